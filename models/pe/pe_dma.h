// PE_DMA: moves bytes between the TCM and the memories of the machine (spec 2.6, 3.3, 5), and
// messages between PEs (spec 8.1).
//
// Timing: reads and writes by dma_channels.h, IPCQ messages by ipcq_end.h, segments by
// segment_control.h; arbitration for the link by dma_links.h, at the end of an instant, when all
// contenders are there. A DMA_READ of a tile first takes its tile buffer. Traffic to and from
// PE_TCM passes through at once, free of charge; at the link it stands behind what starts here at
// the same instant (tie rule of spec 2.3: pe_dma before pe_tcm).
//
// A base class as well: a PE_DMA of other rules derives from it, its Parameters from these, and
// overrides may_grant() or setup_time(). Stages, addresses, messages and the fabric are here.
#pragma once

#include <array>
#include <vector>

#include "models/pe/dma_channels.h"
#include "models/pe/ipcq_end.h"

namespace kernbench {

class PeDma : public StageEngine<FabricNode>,
              private ServiceListener<BufferRequest>,
              private EndOfTimestep::Listener,
              private DmaRules {
 public:
  static constexpr const char* description =
      "DMA of a PE: a read and a write channel on the fabric";
  static constexpr std::array roles{Role::pe_dma};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    StageParameters stage{*this, "1"};
    Param<std::uint32_t> vc_chunk_size{
        *this, Parameter::integer("vc_chunk_size",
                                  "bytes of vc_comm that go before vc_compute has its turn", "B",
                                  "spec 2.6")
                   .default_val(256)
                   .range("1", "1073741824")};
    Param<Fs> baaw_overhead{
        *this, Parameter::duration_ns(
                   "baaw_overhead_ns",
                   "time per access that is resolved by segments (address model la)", "assumption")
                   .default_val(0)};
    Param<std::uint32_t> flit_bytes{
        *this, Parameter::integer("flit_bytes", "flit size of the fabric", "B", "spec 2.2")
                   .range("1", "65536")
                   .from_machine()};
    Param<std::uint32_t> rd_engines{*this, engines("rd_engines", "read channels")};
    Param<std::uint32_t> wr_engines{*this, engines("wr_engines", "write channels")};
    SlotParameters slots{*this};

   private:
    static Parameter engines(const char* name, const char* description) {
      return Parameter::integer(name, description, "", "ADR-0014").default_val(1).range("1", "64");
    }
  };
  explicit PeDma(const ComponentInit& init)
      : PeDma(init, init.attributes.as<Parameters>(), machine_services(init.services)) {}

  void report_under_way(tlm::tlm_analysis_if<ExecutedOp>& to) const override;

 protected:
  // The rules to override, see DmaRules.
  bool may_grant(const DmaDirection& /*of*/, const DmaDirection& /*other*/) override {
    return true;
  }
  Fs setup_time(const DmaDirection& /*of*/, std::uint64_t /*bytes*/, Fs addresses) override {
    return overhead() + addresses;
  }
  void declare_signals() override;

 private:
  PeDma(const ComponentInit& init, const Parameters& parameters, MachineServices& machine);
  void add_channels(bool write, std::uint32_t count);
  void add_statistics();

  // Stage engine.
  void start(Lane& lane) override;
  void responded(BufferRequest& request, const tlm::tlm_phase& /*phase*/) override {
    channels_.submit_stage(lane(request.tag));
  }
  bool has_buffer(const Lane& lane);

  // Fabric node.
  void accepted(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival) override;
  Fs next_due() const override;
  void serve() override;
  void take(const Arrival& message);
  Fs links_due(Fs at) const;
  void serve_links_when_quiescent(Fs at);
  void timestep_quiescent() override;

  TieKeySource keys_;
  DmaLinks links_;
  SegmentControl segments_;
  DmaChannels channels_;
  IpcqEnd ipcq_;
  bool links_asked_ = false;
  std::vector<BufferRequest> buffer_requests_;  // by lane
  ServiceInitiator<BufferRequest> to_scheduler_{this};
};

}  // namespace kernbench
