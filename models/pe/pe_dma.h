// PE_DMA: moves bytes between the TCM and the memories of the machine (spec 2.6, 3.3, 5), and
// messages between PEs (spec 8.1).
//
// Timing: a channel is held by one access for the full round trip; the next access is granted at
// the instant of completion, accesses of one instant by (command, tile, stage). Channels of one
// direction share a queue. After the grant an access pays overhead_ns and its address look-up
// (dma_addressing.h); then all flits of a write, or the command of a read, contend for the link
// (dma_links.h), which arbitrates at the end of the instant. An access to several physical ranges,
// memories or (LA in one_to_one) channels becomes one transaction each, issued together, complete
// when all are; their flits leave in the order of their bytes. An atomic access is a write whose
// operands travel out and whose old values return. A DMA_READ of a tile first takes its tile
// buffer. Messages between PEs: dma_messages.h. A message that changes segments takes effect
// overhead_ns after its arrival and is answered then; such messages do not wait for each other.
// Traffic to and from PE_TCM passes through free of charge; it loses link arbitration to requests
// injected here in the same timestep (tie rule of spec 2.3: pe_dma before pe_tcm). Not modelled:
// time where a response arrives, TCM time.
//
// Base class: a PE_DMA with other policies derives from it, its Parameters from these, and
// overrides may_grant() or setup_time().
#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/base/log.h"
#include "models/base/small_vector.h"
#include "models/pe/dma_addressing.h"
#include "models/pe/dma_links.h"
#include "models/pe/dma_messages.h"
#include "models/pe/serial_resource.h"
#include "models/pe/stage_engine.h"

namespace kernbench {

// Holder of a channel: a stage of a tile, or a request of another initiator.
struct DmaJob {
  StageEngine<FabricNode>::Lane* lane = nullptr;
  DmaRequest* request = nullptr;  // null without a lane
};

struct DmaChannel {
  bool write = false;
  DmaJob current;
  Fs granted_at = 0;
  Fs inject_at = never_fs;
  bool awaits_quiescence = false;  // injected at the instant of its grant: contends at its end
  TieKey key;                      // key of its first transaction
  DmaAccess access;
  TransactionHandles in_flight;  // by piece
  std::size_t outstanding = 0;   // transactions

  bool free() const { return current.lane == nullptr && current.request == nullptr; }
};

// Channels of one direction and their common queue.
struct DmaDirection {
  SerialResource<DmaJob> use;
  std::vector<DmaChannel> channels;
  std::uint64_t bytes = 0;  // moved since the start of the run
  std::uint64_t in_flight_bytes = 0;
  // Null until observed.
  TraceSignal* busy_signal = nullptr;
  TraceSignal* in_flight_signal = nullptr;

  void show() {
    if (busy_signal == nullptr) return;
    busy_signal->set(use.held());
    in_flight_signal->set(in_flight_bytes);
  }
};

class PeDma : public StageEngine<FabricNode>,
              private ServiceProvider<DmaRequest>,
              private TransactionListener,
              private EndOfTimestep::Listener {
 public:
  static constexpr const char* description =
      "DMA of a PE: a read and a write channel on the fabric";
  static constexpr std::array roles{Role::pe_dma};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    StageParameters stage{*this, "1"};
    Param<std::uint32_t> vc_chunk_size{
        *this,
        Parameter::integer("vc_chunk_size",
                           "bytes of vc_comm served before arbitration returns to vc_compute", "B",
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

  void report_in_progress(tlm::tlm_analysis_if<ExecutedOp>& to) const override;

 protected:
  // Override points.
  //
  // Whether the first request of `of`, which has a free channel, is granted now. Called at the end
  // of a timestep, for reads first, and again when an access has ended.
  virtual bool may_grant(const DmaDirection& /*of*/, const DmaDirection& /*other*/) { return true; }
  // Time from the grant until the access contends for the link, once per access; `addresses`: cost
  // of its address look-up.
  virtual Fs setup_time(const DmaDirection& /*of*/, std::uint64_t /*bytes*/, Fs addresses) {
    return overhead() + addresses;
  }
  void declare_signals() override;

 private:
  PeDma(const ComponentInit& init, const Parameters& parameters, MachineServices& machine);
  void add_channels(bool write, std::uint32_t count);
  void add_statistics();
  DmaDirection& direction(bool write) { return directions_[write ? 1 : 0]; }
  const DmaDirection& other(const DmaDirection& of) const {
    return directions_[&of == &directions_[0] ? 1 : 0];
  }

  // Requests of tiles and of other initiators.
  void start(Lane& lane) override;
  bool has_buffer(const Lane& lane);
  void submit(Lane& lane);
  tlm::tlm_sync_enum nb_transport_fw(DmaRequest& request, tlm::tlm_phase& phase) override;
  void transport_dbg(DmaRequest& request) override;

  // Grant, at the end of the timestep.
  void grant_at_end_of_timestep() { services().end_of_timestep().ask(*this, node()); }
  void end_of_timestep() override;
  void grant(DmaDirection& direction);
  static void resolve(const DmaRequest& request, DmaAccess& access);

  // Injection order: in one instant the earlier grant first, then by key (tie rule of spec 2.3).
  static bool injects_before(const DmaChannel& a, const DmaChannel& b);
  void sort_by_injection();
  Fs injection_due() const;
  void inject_due(Fs at);
  void inject(DmaChannel& channel);
  void make_transactions(DmaChannel& channel);
  const Path& path_to(NodeId memory);
  void put_on_link(const DmaChannel& channel);
  void put_to_tcm(const DmaChannel& channel);

  // Completion.
  void completed(Transaction& transaction) override;
  void complete(DmaChannel& channel);
  void log_completion(const DmaChannel& channel) const;

  // Fabric node.
  void accepted(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival) final;
  bool takes_runs() const final { return direct_outputs_take_runs(); }
  void accepted_run(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival,
                    Fs spacing) final;
  void recalled(std::uint32_t port, Transaction& transaction, std::uint32_t position,
                std::uint32_t flit) final;
  Fs next_due() const override;
  void serve() override;
  void take(const Arrival& message);
  Fs segments_due() const;
  void change_segments(Transaction& request);
  Fs links_due(Fs at) const;
  void serve_links_when_quiescent(Fs at);
  void timestep_quiescent() override;

  MachineServices& machine_;
  TieKeySource keys_;
  DmaLinks links_;
  DmaAddressing addressing_;
  std::array<DmaDirection, 2> directions_;  // read, write
  SmallVector<DmaChannel*, 2>
      channels_;  // channels of both directions, by their numbers in transactions
  SmallVector<DmaChannel*, 2> ordered_;   // sorted by injects_before
  const Path* path_ = nullptr;            // last path to a memory as a whole; null: none yet
  RingBuffer<Arrival> segment_messages_;  // in order of arrival
  std::uint64_t faults_ = 0, transactions_ = 0;
  ServiceTarget<DmaRequest> transfers_{*this, *this};
  DmaMessages messages_;
  bool links_asked_ = false;
  std::vector<BufferRequest> buffer_requests_;  // by lane
  ServiceCallback<BufferRequest> buffer_granted_{
      [this](BufferRequest& request) { submit(lane(request.tag)); }};
  ServiceInitiator<BufferRequest> to_scheduler_{&buffer_granted_};
  Log log_{*this};
};

}  // namespace kernbench
