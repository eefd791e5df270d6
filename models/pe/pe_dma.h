// PE_DMA: moves bytes between the TCM and the memories of the machine (spec 2.6, 3.3, 5).
//
// Timing: a read and a write channel, each held by one request for the full round trip; the next
// one is granted at the instant of completion, requests of one instant by (command, tile, stage).
// After the grant overhead_ns, and tlb_overhead_ns if the address is virtual, baaw_overhead_ns if
// it is logical; then all flits of a write, or the command of a read, stand at the link at once. A
// request that lies in several physical ranges, memories or (LA in one_to_one) channels becomes one
// transaction each, issued together, complete when all are; their flits leave in the order of their
// bytes. Nothing is paid where a response arrives. A DMA_READ of a tile first takes its tile
// buffer. Traffic to and from PE_TCM passes through at once, free of charge; at the link it stands
// behind what starts here at the same instant (tie rule of spec 2.3: pe_dma before pe_tcm). IPCQ
// messages: ipcq_end.h; who has the link: virtual_channels.h. A message that installs or removes
// segments takes effect overhead_ns after it came and is answered at once then. Not modelled: TCM
// time, coalescing.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/pe/baaw.h"
#include "models/pe/ipcq_end.h"
#include "models/pe/serial_resource.h"
#include "models/pe/stage_engine.h"
#include "models/pe/virtual_channels.h"
#include "models/protocol/machine_services.h"

namespace kernbench {

class PeDma final : public StageEngine<FabricNode>,
                    public DmaAccess,
                    public SegmentLookup,
                    public CommAccess,
                    public Uses<AddressTranslation>,
                    public Uses<TileBuffers>,
                    public Uses<TcmAccess>,
                    public Uses<IpcqMessageListener>,
                    private EndOfTimestep::Listener,
                    private GrantListener,
                    private TransactionListener,
                    private IpcqEnd::Owner {
 public:
  static constexpr const char* description =
      "DMA of a PE: a read and a write channel on the fabric";
  static constexpr std::array roles{Role::pe_dma};
  static ParameterSchema schema();
  explicit PeDma(const ComponentInit& init);

  void submit_dma(const DmaRequest& request) override;
  PhysRanges look_up_segments(std::uint64_t address, std::uint64_t nbytes) const override {
    return baaw_.look_up(address, nbytes);
  }
  Fs dma_channel_held() const override {
    return channels_[0].use.held_time(now()) + channels_[1].use.held_time(now());
  }

  void report_under_way(tlm::tlm_analysis_if<ExecutedOp>& to) const override;

  void use_rings(const IpcqSettings& settings) override;
  void send_message(std::shared_ptr<const IpcqMessage> message) override {
    comm_.send_message(std::move(message));
  }
  void access_slot(bool write, MemorySpace space, std::uint64_t bytes, SlotListener& user,
                   std::uint32_t tag) override {
    comm_.access_slot(write, space, bytes, user, tag);
  }

 private:
  // A lane's stage, or a transfer from outside.
  struct Work {
    Lane* lane = nullptr;
    DmaRequest request;
  };
  struct Channel {
    SerialResource<Work> use;
    Work current;
    Fs inject_at = never_fs;
    bool stands_at_link = false;  // granted at this instant, to be handed over when it is quiescent
    TieKey key;                   // of its first transaction
    std::vector<DmaPiece> pieces;
    std::string fault;
    std::vector<TransactionHandle> in_flight;
    std::size_t awaited = 0;
    std::uint64_t bytes = 0;
    TraceSignal* busy = nullptr;
    TraceSignal* in_flight_bytes = nullptr;
  };

  // Stage engine.
  void start(Lane& lane) override;
  void granted(std::uint32_t tag) override;  // the tile buffer
  void request_channel(Lane& lane);

  // Fabric node.
  void accepted(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival) override;
  Fs next_due() const override;
  void serve() override;
  void completed(Transaction& transaction) override;

  // At one instant what started earlier goes first, then by id (tie rule of spec 2.3).
  static bool injects_before(const Channel& a, const Channel& b);
  std::array<Channel*, 2> in_order_of_injection();
  void inject_due();
  void end_of_timestep() override;
  void grant_at_end_of_timestep() { services().end_of_timestep().ask(*this, node()); }
  void timestep_quiescent() override;
  void pass_due();
  void grant(Channel& channel);
  void plan_pieces(Channel& channel, Fs& cost);
  void inject(Channel& channel);
  void hand_over_to_neighbour(const Channel& channel);
  void hand_to_link(const Channel& channel);
  void hand_standing_to_link();
  void hand_to_link(VirtualChannel virtual_channel, Transaction& transaction,
                    std::uint32_t position);
  Fs links_due() const;
  void serve_links_when_quiescent();
  void end(Channel& channel);
  void take_segment_message(Transaction& request);

  // IPCQ.
  void message_at_link(Transaction& message) override {
    hand_to_link(VirtualChannel::comm, message, 0);
  }
  TcmAccess& slot_tcm() override { return Uses<TcmAccess>::provider(); }
  IpcqMessageListener& message_listener() override { return Uses<IpcqMessageListener>::provider(); }
  void comm_changed() override { rearm(); }

  MachineServices& machine_;
  TieKeySource keys_;
  Baaw baaw_;
  Fs baaw_overhead_;
  std::uint32_t flit_bytes_;
  std::array<Channel, 2> channels_;  // read, write
  ArrivalQueue passing_{
      ArrivalQueue::Forwarding::store_and_forward};  // responses of PE_TCM on their way out, at the
                                                     // instant at which they come
  VirtualChannels links_;
  bool links_asked_ = false;
  IpcqEnd comm_;
  TraceSignal& comm_waiting_;
  RingBuffer<Arrival> segment_messages_;  // in order of arrival
  std::uint64_t faults_ = 0, transactions_ = 0;
};

}  // namespace kernbench
