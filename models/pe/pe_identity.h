// The PE that an engine belongs to.
#pragma once

#include <optional>

#include "models/base/errors.h"
#include "models/protocol/machine_services.h"

namespace kernbench {

// Resolved at its first use: the machine's numbers are not known while it is built. ModelError if
// the node is not such an engine.
class PeIdentity {
 public:
  PeIdentity(MachineServices& machine, NodeId node, PeEngine engine)
      : machine_(machine), node_(node), engine_(engine) {}

  const PeId& operator()() const {
    if (!where_) where_ = look_up();
    return *where_;
  }

 private:
  PeId look_up() const {
    const MachineDescription& machine = machine_.machine();
    for (int sip = 0; sip < machine.sips; ++sip) {
      for (int cube = 0; cube < machine.cubes(); ++cube) {
        for (int pe = 0; pe < machine.pes; ++pe) {
          if (machine.engine({sip, cube, pe}, engine_) == node_) return {sip, cube, pe};
        }
      }
    }
    throw ModelError("a node that is not an engine of a PE");
  }

  MachineServices& machine_;
  NodeId node_;
  PeEngine engine_;
  mutable std::optional<PeId> where_;
};

}  // namespace kernbench
