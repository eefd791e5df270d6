// Finds a run in which somebody waits although time goes on: nothing is left but polling and clocks (spec 4.2).
//
// Looked at between slices of the simulation, so it costs nothing inside them. Work shows in what the machine counts: whatever a
// component or a wire does changes at least one of its statistics, and whoever begins to wait opens an obligation. Polling and
// clock events change neither. A single delay that is longer than the patience is no deadlock as long as nothing polls meanwhile:
// the next pending event always happens before the next look.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "models/base/units.h"

namespace kernbench {

class DeadlockWatch {
 public:
  // `work`: a number that changes whenever something has been done. `obliged`: somebody waits.
  DeadlockWatch(Fs patience, std::function<std::uint64_t()> work, std::function<bool()> obliged)
      : patience_(patience), work_(std::move(work)), obliged_(std::move(obliged)) {}

  // True if somebody has been waiting, and nothing has been done, for the patience at least. `now` does not descend.
  bool expired(Fs now) {
    if (now < look_at_) return false;
    const std::uint64_t work = work_();
    if (!started_ || work != seen_ || !obliged_()) {
      started_ = true;
      seen_ = work;
      look_at_ = patience_ < never_fs - now ? now + patience_ : never_fs;
      return false;
    }
    return true;
  }
  // The instant of the next look.
  Fs look_at() const { return look_at_; }

 private:
  Fs patience_;
  std::function<std::uint64_t()> work_;
  std::function<bool()> obliged_;
  bool started_ = false;
  std::uint64_t seen_ = 0;
  Fs look_at_ = 0;
};

}  // namespace kernbench
