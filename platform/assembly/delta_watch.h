// Bound on the delta cycles of one instant: recognises processes that notify each other for ever
// without letting time pass (spec 4.2).
//
// To count them would cost every run a few percent: a bound that is large is watched from the half
// of it on, which the timer of the run notices (stop_timer.h) long before the rest is over.
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

  // Delta cycles of an instant from which on they are counted one by one; 0: there is no bound.
  std::uint64_t watched_from() const { return bound_ < large ? bound_ : bound_ / 2; }
  // Between two slices: counts them if there are that many.
  void look();
  bool exceeded() const { return exceeded_; }
  // After that, between two slices: simulates a few more delta cycles, for the processes that run
  // in them. "more than 10000000 delta cycles at 12 ns, by top.a.run, top.b.run".
  std::string report();

 private:
  static constexpr std::uint64_t large = 5'000'000;  // half of it takes many ticks of the timer

  void delta_ended() override;

  std::uint64_t bound_;
  bool exceeded_ = false;
};

}  // namespace kernbench
