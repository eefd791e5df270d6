// PE_DMA: moves bytes between the TCM and the memories of the machine (spec 2.6, 3.3, 5).
//
// Timing: a read and a write channel, each held by one request for the full round trip; the next one is granted at the instant of
// completion, requests of one instant by (command, tile, stage). After the grant overhead_ns, and tlb_overhead_ns if the address is
// virtual; then all flits of a write, or the command of a read, stand at the wire at once. A request that lies in several physical
// ranges or memories becomes one transaction each, issued together, complete when all are. Nothing is paid where a response
// arrives. A DMA_READ of a tile first takes its tile buffer. Traffic to and from PE_TCM passes through at once, free of charge.
// Not modelled: TCM time, coalescing.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/pe/serial_resource.h"
#include "models/pe/stage_engine.h"
#include "models/protocol/machine_services.h"

namespace kernbench {

class PeDma final : public StageEngine<FabricNode>,
                    public DmaAccess,
                    public Uses<AddressTranslation>,
                    public Uses<TileBuffers>,
                    private GrantTaker,
                    private TransactionOwner {
 public:
  static constexpr const char* description = "DMA of a PE: a read and a write channel on the fabric";
  static ParameterSchema schema();
  explicit PeDma(const ComponentInit& init);

  void submit_dma(const DmaRequest& request) override;
  Fs dma_channel_held() const override { return channels_[0].use.held_time(now()) + channels_[1].use.held_time(now()); }

 private:
  // A lane's stage, or a transfer from outside.
  struct Work {
    Lane* lane = nullptr;
    DmaRequest request;
  };
  struct Piece {
    MemoryPlace place;
    std::uint64_t address = 0;  // physical, 0 if not known
    std::uint64_t bytes = 0;
  };
  struct Channel {
    SerialResource<Work> use;
    Work current;
    Fs inject_at = never_fs;
    TieKey key;  // of its first transaction
    std::vector<Piece> pieces;
    std::string fault;
    std::vector<TransactionHandle> in_flight;
    std::size_t awaited = 0;
    std::uint64_t bytes = 0;
    Probe* busy = nullptr;
    Probe* in_flight_bytes = nullptr;
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
  bool inject_due();
  void pass_due();
  void grant(Channel& channel);
  void plan_pieces(Channel& channel, Fs& cost);
  void add_pieces(Channel& channel, std::uint64_t physical, std::uint64_t bytes);
  void inject(Channel& channel);
  void hand_to_wire(Transaction& transaction);
  void end(Channel& channel);

  MachineServices& machine_;
  TieKeySource keys_;
  std::uint32_t flit_bytes_;
  std::array<Channel, 2> channels_;                      // read, write
  ArrivalQueue passing_{ArrivalQueue::Keep::last_flit};  // responses of PE_TCM on their way out, at the instant at which they come
  std::uint64_t faults_ = 0, transactions_ = 0;
};

}  // namespace kernbench
