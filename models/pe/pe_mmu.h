// PE_MMU: the page table of a PE, filled by messages, read by PE_DMA and PE_CPU (spec 3.3, ADR-0011
// D-VA, ADR-0039).
//
// Timing: a map or unmap message takes effect overhead_ns after its arrival and is answered then. A
// look-up takes no time here; the requester pays tlb_overhead_ns. In the address model LA virtual
// addresses are logical ones: PE_DMA's segments locate them, and no page table is used. In the
// address model PA there are no mappings: an address is resolved through the shards of the tensors
// of the launches that run, free of charge; of several copies the nearest one (own PE, own cube,
// the PE of the same number in another cube). Not modelled: TLB misses, page walks.
//
// Base class: a PE_MMU with other times derives from it, its Parameters from these, and overrides
// look_up_time().
#pragma once

#include <optional>
#include <vector>

#include "models/base/log.h"
#include "models/base/parameter_set.h"
#include "models/pe/page_table.h"
#include "models/pe/pe_identity.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/machine_services.h"
#include "models/protocol/pe_services.h"

namespace kernbench {

class PeMmu : public FabricNode, private ServiceProvider<TranslationRequest> {
 public:
  static constexpr const char* description = "page table of a PE";
  static constexpr std::array roles{Role::pe_mmu};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<std::uint64_t> page_bytes{*this, Parameter::integer("page_bytes", "page", "B", "spec 1.2")
                                               .default_val(4096)
                                               .power_of_two()
                                               .range("1", "1073741824")};
    Param<Fs> tlb_overhead{
        *this,
        Parameter::duration_ns("tlb_overhead_ns",
                               "time per translation, paid by the translating engine", "spec 3.3")
            .default_val(0)};
    Param<Fs> overhead{
        *this, Parameter::duration_ns("overhead_ns", "time per map or unmap message", "ADR-0039")
                   .default_val(0)};
  };
  explicit PeMmu(const ComponentInit& init);

 protected:
  // Override point: time of a look-up in the page table, paid by the requesting engine.
  virtual Fs look_up_time(const TranslationRequest& /*request*/) { return tlb_overhead_; }

 private:
  void b_transport(TranslationRequest& request, sc_core::sc_time& delay) override;
  void transport_dbg(TranslationRequest& request) override;
  void use_tensors(const std::vector<KernelArgument>& arguments);
  PhysRanges ranges_of(std::uint64_t address, std::uint64_t nbytes);
  PhysRanges by_segments(std::uint64_t address, std::uint64_t nbytes);
  Fs next_due() const override;
  void serve() override;
  void declare_signals() override;
  void show_counts();
  void take(Transaction& request);
  PhysRanges by_mapping(std::uint64_t address, std::uint64_t nbytes);
  PhysRanges by_shards(std::uint64_t address, std::uint64_t nbytes) const;
  const Shard* nearest(const TensorArgument& tensor, std::uint64_t offset) const;

  MachineServices& machine_;
  Fs overhead_, tlb_overhead_;
  PageTable table_;
  std::vector<TensorArgument> tensors_;  // address model PA
  PeIdentity where_;
  ServiceTarget<TranslationRequest> translations_{*this, *this};
  ServiceInitiator<SegmentRequest> to_dma_;
  std::uint64_t look_ups_ = 0, misses_ = 0, maps_ = 0, unmaps_ = 0;
  Log log_{*this};
  struct Signals {
    TraceSignal &address, &look_ups, &misses, &mappings;
  };
  std::optional<Signals> signals_;  // set when requested
};

}  // namespace kernbench
