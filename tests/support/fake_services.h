// The services of a machine that keeps no log of operations.
#pragma once

#include "models/base/services.h"

namespace kernbench::test {

class FakeServices : public Services {
 public:
  PendingWaits& pending_waits() override { return pending_waits_; }
  EndOfTimestep& end_of_timestep() override { return end_of_timestep_; }
  OpSink* op_sink() override { return nullptr; }

 private:
  PendingWaits pending_waits_;
  EndOfTimestep end_of_timestep_{"end_of_timestep"};
};

}  // namespace kernbench::test
