// Makes a simulation come back that is to end: when its time by the wall is over, or a signal has
// come, and the slice that runs does not end by itself (spec 4.4).
//
// A timer signal, on the simulation's thread; nothing is paid before. Once the run is to end: first
// nothing is done, as slices take some tens of milliseconds. Then the simulation is paused, which
// ends loops of delta cycles, and programs that make a call are held there. Then a program that
// does not come back is parked where it stands (program_guard.h), if possible outside the C library
// and SystemC, which may hold locks. At last the process ends with the message alone.
#pragma once

#include <atomic>
#include <functional>
#include <optional>

namespace kernbench {

// In force while it lives; one at a time.
class StopTimer {
 public:
  // `stopping` is set when programs are to be held at their next call. Neither limit: no timer.
  StopTimer(std::optional<double> max_wall_s, std::function<bool()> interrupted,
            std::atomic<bool>& stopping);
  ~StopTimer();
  StopTimer(const StopTimer&) = delete;
  StopTimer& operator=(const StopTimer&) = delete;

  // Where the run was made to come back, as ProgramReport tells it; empty: it came by itself.
  static const char* stuck();
};

}  // namespace kernbench
