// Finds a run in which somebody waits although time goes on: nothing is left but polling and clocks
// (spec 4.2).
//
// Looked at between slices of the simulation, so it costs nothing inside them. Work shows in what
// the machine counts: whatever a component or a link does changes at least one of its statistics,
// and whoever begins to wait opens an pending_wait. Polling and clock events change neither. A
// delay is work, however long it is: models say until when they have events of their own
// (PendingWaits::busy_until), and whatever was pending when something was last seen done may be the
// work of a model that does not say.
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
    std::function<std::uint64_t()> work;  // a number that changes whenever something has been done
    std::function<bool()> waiting;        // somebody waits
    std::function<Fs()> busy_until;       // the latest instant at which a model is known to go on
    std::function<Fs()> pending_until;    // that of the events that are pending now
  };
  DeadlockWatch(Fs patience, Questions ask) : patience_(patience), ask_(std::move(ask)) {}

  // True if somebody has been waiting, and nothing has been done or was to be done, for the
  // patience at least. `now` does not descend.
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
    look_after(
        now, std::max(patience_,
                      busy_until - now + 1));  // at that very instant it may not have happened yet
    return false;
  }
  // The instant of the next look.
  Fs look_at() const { return look_at_; }
  // Nothing has been done since then.
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
