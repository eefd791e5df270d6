// PE_MMU: the page table of a PE, filled by messages, read by PE_DMA and PE_CPU (spec 3.3, ADR-0011
// D-VA, ADR-0039).
//
// Timing: a map or unmap message takes effect overhead_ns after it came and is answered at once
// then. A look-up takes no time here; whoever translates pays tlb_overhead_ns. In the address model
// LA virtual addresses are logical ones: PE_DMA's segments know where they lie, and no page table
// is used. In the address model PA there are no mappings: an address is resolved through the shards
// of the launch's tensors, free of charge; of several copies the nearest one (own PE, own cube, own
// SIP). Not modelled: TLB misses, page walks.
#pragma once

#include <optional>
#include <vector>

#include "models/pe/page_table.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/machine_services.h"
#include "models/protocol/pe_ports.h"

namespace kernbench {

class PeMmu final : public FabricNode, public AddressTranslation, public Uses<SegmentLookup> {
 public:
  static constexpr const char* description = "page table of a PE";
  static constexpr std::array roles{Role::pe_mmu};
  static ParameterSchema schema();
  explicit PeMmu(const ComponentInit& init);

  Result translate_address(std::uint64_t address, std::uint64_t nbytes) override;
  void use_tensors(const std::vector<KernelArgument>& arguments) override;

 private:
  Fs next_due() const override;
  void serve() override;
  void take(Transaction& request);
  PhysRanges by_mapping(std::uint64_t address, std::uint64_t nbytes);
  PhysRanges by_shards(std::uint64_t address, std::uint64_t nbytes) const;
  const Shard* nearest(const TensorArgument& tensor, std::uint64_t offset) const;
  const PeId& where() const;

  MachineServices& machine_;
  Fs overhead_, tlb_overhead_;
  PageTable table_;
  std::vector<TensorArgument> tensors_;  // address model PA
  mutable std::optional<PeId> where_;
  std::uint64_t look_ups_ = 0, misses_ = 0, maps_ = 0, unmaps_ = 0;
};

}  // namespace kernbench
