#include "models/pe/pe_identity.h"

#include "models/base/errors.h"

namespace kernbench {

PeId pe_of(const MachineDescription& machine, NodeId node, PeEngine engine) {
  for (int sip = 0; sip < machine.sips; ++sip) {
    for (int cube = 0; cube < machine.cubes(); ++cube) {
      for (int pe = 0; pe < machine.pes; ++pe) {
        if (machine.engine({sip, cube, pe}, engine) == node) return {sip, cube, pe};
      }
    }
  }
  throw ModelError("a node that is no engine of a PE");
}

}  // namespace kernbench
