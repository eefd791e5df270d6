// Timer that ends an overdue slice: the wall-time limit is reached or a signal has arrived, and the
// running slice does not end by itself (spec 4.4).
//
// It is a timer signal on the simulation's thread, without cost before it fires. Escalation after
// the end of the run is requested: first no action, as slices take some tens of milliseconds. Then
// the simulation is paused, which ends loops of delta cycles, and programs are held at their next
// call: the run ends with its files. Finally, for code that does not return, the process ends and
// reports where that code is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace kernbench {

// In force while it lives. Only one exists at a time.
class StopTimer {
 public:
  // `deltas`: a timestep with this many delta cycles also pauses the simulation; 0: none does.
  // Without any of the three there is no timer.
  StopTimer(std::optional<double> max_wall_s, std::function<bool()> interrupted,
            std::uint64_t deltas);
  ~StopTimer();
  StopTimer(const StopTimer&) = delete;
  StopTimer& operator=(const StopTimer&) = delete;

  // True if programs are to be held at their next call (Services::stopping()): from then until the
  // next run.
  static bool stopping();
  // Place of the forced end, as ProgramReport formats it; empty: the slice ended by itself.
  static const char* stuck();
};

}  // namespace kernbench
