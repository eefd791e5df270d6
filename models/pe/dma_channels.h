// The read and the write channels of a PE_DMA, and the transactions of an access on the fabric
// (spec 2.6, 3.3, 5).
//
// Timing: each channel is held by one request for the full round trip; the next one is granted at
// the instant of completion, requests of one instant by (command, tile, stage). Channels of one
// direction share the queue before them. After the grant
// overhead_ns, and tlb_overhead_ns if the address is virtual, baaw_overhead_ns if it is logical;
// then all flits of a write, or the command of a read, stand at the link at once. A request that
// lies in several physical ranges, memories or (LA in one_to_one) channels becomes one transaction
// each, issued together, complete when all are; their flits leave in the order of their bytes. The
// runs of a strided request are translated each, at the cost of one; those in one memory or channel
// are one transaction. An atomic access is a request of the write channel whose operands travel
// there and whose old values come back; the channel is held until they have. Nothing is paid where
// a response arrives. Not modelled: TCM time.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/base/log.h"
#include "models/base/small_vector.h"
#include "models/pe/dma_atomic_parts.h"
#include "models/pe/dma_links.h"
#include "models/pe/segment_control.h"
#include "models/pe/serial_resource.h"
#include "models/pe/stage_engine.h"
#include "models/protocol/machine_services.h"

namespace kernbench {

// Holder of a channel: a stage of a tile, or a request of another initiator.
struct DmaJob {
  StageEngine<FabricNode>::Lane* lane = nullptr;
  DmaRequest* request = nullptr;  // without a lane
};

struct DmaChannel {
  bool write = false;
  DmaJob current;
  Fs granted_at = 0;
  Fs inject_at = never_fs;
  bool stands_at_link = false;  // granted at this instant, to be handed over when it is quiescent
  TieKey key;                   // of its first transaction
  DmaPieces pieces;
  AtomicParts atomic;  // of an atomic access: by piece
  std::string fault;
  TransactionHandles in_flight;
  std::size_t awaited = 0;

  bool free() const { return current.lane == nullptr && current.request == nullptr; }
};

// The channels of one direction, one queue before them.
struct DmaDirection {
  SerialResource<DmaJob> use;
  std::vector<DmaChannel> channels;
  std::uint64_t bytes = 0;  // moved since the start of the run
  std::uint64_t in_flight_bytes = 0;
  // Null until they are asked for.
  TraceSignal* busy_signal = nullptr;
  TraceSignal* in_flight_signal = nullptr;

  void show() {
    if (busy_signal == nullptr) return;
    busy_signal->set(use.held());
    in_flight_signal->set(in_flight_bytes);
  }
};

// Rules of the channels; implemented by the PE_DMA.
class DmaRules {
 public:
  // At the end of a timestep: whether the first request of `of`, which has a free channel, is to
  // have it now. Reads are asked for first; asked again when an access has ended.
  virtual bool may_grant(const DmaDirection& of, const DmaDirection& other) = 0;
  // From the grant to the instant at which the access stands at the link, once per access;
  // `addresses`: what the look-up of its addresses costs.
  virtual Fs setup_time(const DmaDirection& of, std::uint64_t bytes, Fs addresses) = 0;

 protected:
  ~DmaRules() = default;
};

class DmaChannels final : private ServiceProvider<DmaRequest>,
                          private EndOfTimestep::Listener,
                          private TransactionListener {
 public:
  // `keys` numbers all transactions of the PE_DMA.
  DmaChannels(StageEngine<FabricNode>& dma, DmaRules& rules, MachineServices& machine,
              DmaLinks& links, SegmentControl& segments, TieKeySource& keys)
      : dma_(dma), rules_(rules), machine_(machine), links_(links), segments_(segments),
        keys_(keys) {}

  // The stage of a lane: begun when its channel is granted, finished when all has been answered.
  void submit_stage(StageEngine<FabricNode>::Lane& lane);

  Fs next_due() const;
  void inject_due(Fs now);

  // Requests granted and injected at this instant compete for the link when it is quiescent.
  bool stand_at_link() const;
  void hand_standing_to_link();

  // Before the end of elaboration.
  void set_channels(bool write, std::uint32_t count);
  DmaDirection& direction(bool write) { return directions_[write ? 1 : 0]; }
  const DmaDirection& other(const DmaDirection& of) const {
    return directions_[&of == &directions_[0] ? 1 : 0];
  }
  void declare_signals(Observables to);
  const std::uint64_t& faults() const { return faults_; }
  const std::uint64_t& transactions() const { return transactions_; }

 private:
  tlm::tlm_sync_enum nb_transport_fw(DmaRequest& request, tlm::tlm_phase& phase) override;
  void transport_dbg(DmaRequest& request) override {
    request.held = directions_[0].use.held_time(Component::now()) +
                   directions_[1].use.held_time(Component::now());
  }
  void grant_at_end_of_timestep() { machine_.end_of_timestep().ask(*this, dma_.node()); }
  void end_of_timestep() override;
  void grant(DmaDirection& direction);
  // `cost`: time that the access pays for its addresses, also where it ends in a fault.
  void plan_pieces(DmaChannel& channel, Fs& cost);
  void plan_contiguous(DmaChannel& channel, const Stage& stage, Fs& cost);
  void plan_runs(DmaChannel& channel, const AddressRuns& runs, Fs& cost);
  // The pieces of one contiguous range, which begins at `position` of the access.
  void translate(const AddressRun& range, std::uint64_t position, DmaPieces& pieces, Fs& cost);

  // At one instant the earlier start goes first, then by id (tie rule of spec 2.3).
  static bool injects_before(const DmaChannel& a, const DmaChannel& b);
  void sort_by_injection();
  void inject(DmaChannel& channel);
  void make_transactions(DmaChannel& channel, bool write);
  const Path& path_to(NodeId memory);
  void hand_to_neighbour(const DmaChannel& channel);
  void hand_to_link(const DmaChannel& channel);

  void completed(Transaction& transaction) override;
  void end(DmaChannel& channel);
  void end_request(DmaRequest& request, DmaChannel& channel);
  void log_end(const DmaChannel& channel) const;

  StageEngine<FabricNode>& dma_;
  DmaRules& rules_;
  MachineServices& machine_;
  DmaLinks& links_;
  SegmentControl& segments_;
  TieKeySource& keys_;
  std::array<DmaDirection, 2> directions_;  // read, write
  SmallVector<DmaChannel*, 2> channels_;    // of both, by their numbers in transactions
  SmallVector<DmaChannel*, 2> ordered_;     // the same, by injects_before
  const Path* path_ = nullptr;              // the last one to a memory as a whole; null: none yet
  std::uint64_t faults_ = 0, transactions_ = 0;
  ServiceInitiator<TranslationRequest> to_mmu_;
  ServiceTarget<DmaRequest> transfers_{dma_, *this};
  Log log_{dma_};
};

}  // namespace kernbench
