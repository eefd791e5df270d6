// The shared scratchpad of a cube: a terminal memory behind its router.
//
// Timing (spec 2.6, models/fabric/terminal_memory.h): no serial server; overhead_ns after the last
// flit of a write or the command of a read, the whole response stands at the link at once; a posted
// write completes there. Not modelled: banks and ports (accesses do not disturb each other), values
// (MemoryStore holds them).
#pragma once

#include "models/fabric/terminal_memory.h"
#include "models/protocol/fabric_node.h"

namespace kernbench {

class Sram final : public FabricNode {
 public:
  static constexpr const char* description = "shared scratchpad of a cube";
  static constexpr std::array roles{Role::sram, Role::hbm_ctrl};
  static ParameterSchema schema();
  explicit Sram(const ComponentInit& init);

 private:
  Fs next_due() const override { return memory_.next_due(); }
  void serve() override;
  unsigned debug_access(tlm::tlm_generic_payload& payload, std::uint64_t offset) override;

  TerminalMemory memory_;
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t bytes_written_ = 0;
};

}  // namespace kernbench
