// PE_TCM: the scratchpad of a PE, time only (spec 5, ADR-0040).
//
// Timing: one read and one write channel, each for one access at a time, nbytes / bandwidth each;
// the two run side by side. As a target of traffic on the fabric it answers like SRAM (spec 2.6),
// beside the channels. The scheduler's reserve is the highest reserved_kb, outside what anybody
// allocates. Not modelled: bytes (the memory store has them), banks.
#pragma once

#include <array>

#include "models/base/services.h"
#include "models/fabric/terminal_memory.h"
#include "models/pe/serial_resource.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/pe_ports.h"

namespace kernbench {

class PeTcm final : public FabricNode, public TcmAccess, private EndOfTimestep::Listener {
 public:
  static constexpr const char* description = "scratchpad of a PE: a read and a write channel";
  static constexpr std::array roles{Role::pe_tcm};
  static ParameterSchema schema();
  explicit PeTcm(const ComponentInit& init);

  void access_tcm(bool write, std::uint64_t bytes, TcmListener& user, std::uint32_t tag,
                  const WorkOrder& order) override;

 private:
  struct Access {
    std::uint64_t bytes = 0;
    TcmListener* user = nullptr;
    std::uint32_t tag = 0;
  };
  struct Channel {
    SerialResource<Access> use;
    Access current;
    Fs due = never_fs;
    Rational bw_gbs;
    std::uint64_t bytes = 0;
    TraceSignal* busy = nullptr;
    TraceSignal* waiting = nullptr;
  };

  Fs next_due() const override;
  void serve() override;
  unsigned debug_access(tlm::tlm_generic_payload& payload, std::uint64_t offset) override;
  void end_accesses();
  void end_of_timestep() override;
  void grant_at_end_of_timestep() { services().end_of_timestep().ask(*this, node()); }

  std::array<Channel, 2> channels_;  // read, write
  TerminalMemory terminal_;
};

}  // namespace kernbench
