// PE_IPCQ: the ring buffers of a PE (spec 8.1). It stands in the machine and has its parameters; no ring is installed yet, so that
// a send or a recv has nowhere to go.
#pragma once

#include "models/base/component.h"
#include "models/protocol/pe_ports.h"

namespace kernbench {

class PeIpcq final : public Component, public Uses<DmaAccess> {
 public:
  static constexpr const char* description = "ring buffers between PEs";
  static constexpr std::array roles{Role::pe_ipcq};
  static ParameterSchema schema();
  explicit PeIpcq(const ComponentInit& init);
};

}  // namespace kernbench
