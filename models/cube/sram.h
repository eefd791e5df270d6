// The shared scratchpad of a cube: a terminal memory behind its router.
//
// Timing (spec 2.6, models/fabric/terminal_memory.h): no serial server; overhead_ns after the last
// flit of a write or the command of a read, the whole response stands at the link at once; a posted
// write completes there. Not modelled: banks and ports (accesses do not disturb each other), values
// (MemoryStore holds them).
#pragma once

#include "models/address/phys_addr.h"
#include "models/base/parameter_set.h"
#include "models/fabric/terminal_memory.h"
#include "models/protocol/fabric_node.h"

namespace kernbench {

class Sram final : public FabricNode {
 public:
  static constexpr const char* description = "shared scratchpad of a cube";
  static constexpr std::array roles{Role::sram, Role::hbm_ctrl};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<Fs> overhead{
        *this, Parameter::duration_ns(
                   "overhead_ns", "from the last flit or the command to the response", "spec 2.6")
                   .default_val(0)};
    Param<std::int64_t> size_mb{
        // read by the address map
        *this, Parameter::integer("size_mb", "capacity", "MiB", "spec 1.2, 3.1")
                   .default_val(32)
                   .range(1, PhysAddr::cube_sram_bytes >> 20)};
    Param<std::uint32_t> flit_bytes{
        *this, Parameter::integer("flit_bytes", "size of a full flit", "B", "spec 2.2")
                   .range(1, 65536)
                   .from_machine()};
  };
  explicit Sram(const ComponentInit& init);

 private:
  Fs next_due() const override { return memory_.next_due(); }
  void serve() override;
  unsigned debug_access(tlm::tlm_generic_payload& payload, std::uint64_t offset) override;

  Sram(const ComponentInit& init, const Parameters& parameters);

  TerminalMemory memory_;
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t bytes_written_ = 0;
};

}  // namespace kernbench
