// Services of the machine for every component. Components never know their neighbours;
// MachineServices extends this with routes and transactions (models/protocol/machine_services.h).
#pragma once

#include "models/base/end_of_timestep.h"
#include "models/base/pending_waits.h"

namespace kernbench {

struct Observation;     // models/protocol/observation.h
class MachineServices;  // models/protocol/machine_services.h

class Services {
 public:
  virtual ~Services() = default;
  virtual PendingWaits& pending_waits() = 0;
  virtual EndOfTimestep& end_of_timestep() = 0;
  // The run is to end now: the host of a user's program accepts no further call, and the program
  // waits.
  virtual bool stopping() const { return false; }
  // The analysis ports of the machine.
  virtual Observation& observation() = 0;
  // This object as MachineServices; callers use machine_services().
  virtual MachineServices& as_machine() = 0;
};

}  // namespace kernbench
