// What every component may use of the machine around it. Components never know their neighbours;
// the protocol box extends this with routes and the transaction pool
// (models/protocol/machine_services.h).
#pragma once

#include "models/base/end_of_timestep.h"
#include "models/base/op_sink.h"
#include "models/base/pending_waits.h"

namespace kernbench {

class Services {
 public:
  virtual ~Services() = default;
  virtual PendingWaits& pending_waits() = 0;
  virtual EndOfTimestep& end_of_timestep() = 0;
  // The run is to end now: whoever runs a program of a user lets it make no further call, but wait.
  virtual bool stopping() const { return false; }
  virtual OpSink* op_sink() = 0;  // null when no operation log is wanted
};

}  // namespace kernbench
