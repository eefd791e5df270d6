// Timer that ends an overdue slice: the wall-time limit is reached or a signal has come, and the
// running slice does not end by itself (spec 4.4).
//
// A timer signal, on the simulation's thread; no cost before. Once the run is to end: first nothing
// is done, as slices take some tens of milliseconds. Then the simulation is paused, which ends
// loops of delta cycles, and programs that make a call are held there: the run ends with its files.
// At last, with code that does not return, the process ends with a report of where that is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace kernbench {

// In force while it lives; one at a time.
class StopTimer {
 public:
  // `deltas`: an instant with as many delta cycles pauses the simulation, too; 0: none does.
  // Nothing of the three: no timer.
  StopTimer(std::optional<double> max_wall_s, std::function<bool()> interrupted,
            std::uint64_t deltas);
  ~StopTimer();
  StopTimer(const StopTimer&) = delete;
  StopTimer& operator=(const StopTimer&) = delete;

  // Programs are to be held at their next call (Services::stopping()): from then on until the next
  // run.
  static bool stopping();
  // Place of the forced end, as ProgramReport words it; empty: the slice ended by itself.
  static const char* stuck();
};

}  // namespace kernbench
