// ThreadTurns: threads that are woken at one instant continue at its end, in the order of static
// numbers, whatever the order in which the kernel woke them (spec 11.6). Takes no simulated time.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "models/base/end_of_timestep.h"

namespace kernbench {

class ThreadTurns final : private EndOfTimestep::Listener {
 public:
  // `rank`: order among the listeners of an instant.
  ThreadTurns(EndOfTimestep& end, std::uint32_t rank) : end_(end), rank_(rank) {}

  // Called by a thread that has just been woken.
  void await(unsigned number);

 private:
  struct Woken {
    unsigned number;
    sc_core::sc_event* turn;
  };
  void end_of_timestep() override;

  EndOfTimestep& end_;
  const std::uint32_t rank_;
  std::vector<Woken> woken_;
};

}  // namespace kernbench
