// The services of a component without a machine.
#pragma once

#include <stdexcept>

#include "models/base/services.h"
#include "models/protocol/observation.h"

namespace kernbench::test {

class FakeServices : public Services {
 public:
  PendingWaits& pending_waits() override { return pending_waits_; }
  EndOfTimestep& end_of_timestep() override { return end_of_timestep_; }
  Observation& observation() override { return observation_; }
  MachineServices& as_machine() override { throw std::logic_error("there is no machine"); }

 private:
  PendingWaits pending_waits_;
  EndOfTimestep end_of_timestep_{"end_of_timestep"};
  Observation observation_;
};

}  // namespace kernbench::test
