// Bound on the delta cycles of one timestep: detects processes that notify each other endlessly
// without advancing time (spec 4.2).
//
// Counting every delta cycle would cost each run a few percent. A large bound is therefore watched
// only from half of it on; the timer of the run (stop_timer.h) fires long before the other half has
// passed.
#pragma once

#include <cstdint>
#include <string>

#include "models/base/delta_listener.h"

namespace kernbench {

// In force while it lives. Beyond `bound` (0: none) the simulation is paused after each delta
// cycle.
class DeltaWatch final : private DeltaListener {
 public:
  explicit DeltaWatch(std::uint64_t bound);

  // Delta cycles of a timestep after which they are counted individually; 0: no bound.
  std::uint64_t watched_from() const { return bound_ < large ? bound_ : bound_ / 2; }
  // Called between two slices: starts counting if the timestep has that many delta cycles.
  void look();
  bool exceeded() const { return exceeded_; }
  // Called after the bound, between two slices: simulates a few more delta cycles to find the
  // processes that run in them. "more than 10000000 delta cycles at 12 ns, by top.a.run,
  // top.b.run".
  std::string report();

 private:
  static constexpr std::uint64_t large = 5'000'000;  // half of it lasts many ticks of the timer

  void delta_ended() override;

  std::uint64_t bound_;
  bool exceeded_ = false;
};

}  // namespace kernbench
