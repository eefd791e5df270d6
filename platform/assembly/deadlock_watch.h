// Livelock detection: ends a run in which a process waits while only polling and clock events
// advance time (spec 4.2).
//
// The check runs between slices of the simulation and costs nothing inside them. Progress shows in
// the counters: every activity of a component or a link changes at least one of its statistics, and
// every wait opens a pending_wait. Polling and clock events change neither. A delay counts as
// progress, however long it is: models declare the time up to which they have events of their own
// (PendingWaits::busy_until), and events pending at the last progress may belong to a model that
// declares nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "models/base/units.h"

namespace kernbench {

class DeadlockWatch {
 public:
  struct Questions {
    std::function<std::uint64_t()> work;  // counter that changes with any progress
    std::function<bool()> waiting;        // a pending_wait is open
    std::function<Fs()> busy_until;       // latest time declared by a model
    std::function<Fs()> pending_until;    // latest time of the pending events
  };
  DeadlockWatch(Fs patience, Questions ask) : patience_(patience), ask_(std::move(ask)) {}

  // True if a wait has been open for at least the patience without progress made or due. `now`
  // never decreases.
  bool expired(Fs now) {
    if (now < look_at_) return false;
    const std::uint64_t work = ask_.work();
    if (!started_ || work != seen_ || !ask_.waiting()) {
      started_ = true;
      seen_ = work;
      quiet_since_ = now;
      pending_until_ = ask_.pending_until();
      look_after(now, patience_);
      return false;
    }
    const Fs busy_until = std::max(ask_.busy_until(), pending_until_);
    if (busy_until < now) return true;
    look_after(now,
               std::max(patience_,
                        busy_until - now + 1));  // events at that very time may still be pending
    return false;
  }
  // Time of the next check.
  Fs look_at() const { return look_at_; }
  // Time of the last progress.
  Fs quiet_since() const { return quiet_since_; }

 private:
  void look_after(Fs now, Fs time) { look_at_ = time < never_fs - now ? now + time : never_fs; }

  Fs patience_;
  Questions ask_;
  bool started_ = false;
  std::uint64_t seen_ = 0;
  Fs quiet_since_ = 0;
  Fs pending_until_ = 0;
  Fs look_at_ = 0;
};

}  // namespace kernbench
