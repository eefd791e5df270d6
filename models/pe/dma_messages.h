// IPCQ endpoint of a PE_DMA: outgoing and incoming messages, and the time of accesses to ring slots
// (spec 8.1).
//
// Timing: outgoing messages are a FIFO. Each pays overhead_ns, back to back; then its flits contend
// for the link (vc_comm). There are no acknowledgements. At the receiver a message pays its slot
// write only: after the last flit, one message at a time, tier_overhead + n / tier_bw +
// n / (narrowest link to the bank). A slot in the TCM has no last term and occupies the TCM's write
// channel for n bytes, a slot read its read channel. Data become visible at the end of the write,
// together with the head. Not modelled: the load on the bank itself (its controller and links),
// reading the source of a send.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>

#include "models/base/parameter_set.h"
#include "models/pe/dma_links.h"
#include "models/pe/pe_identity.h"
#include "models/protocol/ipcq_services.h"
#include "models/protocol/machine_services.h"
#include "models/protocol/pe_services.h"
#include "models/timing/ipcq_rules.h"

namespace kernbench {

// Parameters of the slot accesses; a member of the PE_DMA's.
struct SlotParameters {
  explicit SlotParameters(ParameterSet& set);
  std::array<SlotTier, 3> tiers() const;  // by MemorySpace

  Param<Fs> tcm_overhead, sram_overhead;
  Param<Rational> sram_bw_gbs;
  Param<Fs> hbm_overhead;
  Param<Rational> hbm_bw_gbs;
};

class DmaMessages final : private ServiceProvider<RingRequest>,
                          private ServiceListener<TcmRequest>,
                          private ServiceListener<MessageArrival>,
                          private TransactionListener {
 public:
  struct Settings {
    Fs overhead = 0;  // overhead of a message
    std::uint32_t vc_chunk_bytes = 0;
    std::array<SlotTier, 3> tiers;  // by MemorySpace
  };
  // `dma` is the node; `keys` numbers all of its transactions.
  DmaMessages(FabricNode& dma, MachineServices& machine, DmaLinks& links, TieKeySource& keys,
              Settings settings);

  // The last flit of a message for this PE has arrived.
  void message_reached(NodeId upstream, Transaction& transaction, FlitRun run, Fs arrival);
  // It is not on its way any more, if it was.
  void recall(const Transaction& transaction);

  Fs next_due(Fs now) const;
  void serve(Fs now);

  // Statistics of the PE_DMA.
  const std::uint64_t& messages_sent() const { return messages_sent_; }
  const std::uint64_t& messages_written() const { return messages_written_; }
  const std::uint64_t& messages_dropped() const { return messages_dropped_; }
  const std::uint64_t& bytes_sent() const { return bytes_sent_; }
  const Fs& slot_busy() const { return slot_busy_; }
  Fs slot_busy_until(Fs now) const {
    return slot_busy_ + (accessing_ > 0 ? now - accessing_since_ : 0);
  }
  // See Component: accesses to slots.
  void report_in_progress(tlm::tlm_analysis_if<ExecutedOp>& to) const;

 private:
  // Serves one access at a time: one instance for incoming messages, one for accesses of the PE.
  struct Server {
    enum class State : std::uint8_t { idle, paying, in_tcm };
    State state = State::idle;
    Fs due = never_fs;
    Fs started = 0;
    bool write = false;
    MemorySpace space = MemorySpace::tcm;
    std::uint64_t bytes = 0;
  };

  tlm::tlm_sync_enum nb_transport_fw(RingRequest& request, tlm::tlm_phase& phase) override;
  void b_transport(RingRequest& request, sc_core::sc_time& delay) override;
  void nb_transport_bw(TcmRequest& access, const tlm::tlm_phase& phase) override {
    if (phase == tlm::BEGIN_RESP) end_access(access.tag);
  }
  void nb_transport_bw(MessageArrival&, const tlm::tlm_phase&) override {}
  void send_message(std::shared_ptr<const IpcqMessage> message);
  bool has_slot(const IpcqMessage& message);
  void completed(Transaction& message) override { in_flight_.erase(message.route().key); }

  void begin_access(std::uint32_t server, bool write, MemorySpace space, std::uint64_t bytes);
  void end_computed_part(std::uint32_t server);
  void end_access(std::uint32_t server);
  void end_write();
  void report_written(const IpcqMessage& message) const;
  ExecutedOp op_until_now(const Server& server) const;
  const Path& path_to_bank(MemorySpace space);

  FabricNode& dma_;
  MachineServices& machine_;
  DmaLinks& links_;
  TieKeySource& keys_;
  Settings settings_;
  PeIdentity where_;
  MemorySpace space_ = MemorySpace::tcm;

  std::size_t outstanding_ = 0;        // messages and accesses here: in outgoing_, arrived_,
                                       // accesses_ or being written
  std::deque<Transaction*> outgoing_;  // the first one is paying
  Fs leaves_at_ = never_fs;
  std::map<TieKey, TransactionHandle> in_flight_;  // outgoing, travelling, or being written

  ArrivalQueue arrived_{ArrivalQueue::Forwarding::store_and_forward};
  Arrival writing_;
  MessageArrival arrival_;                  // arrival of writing_
  std::deque<RingRequest*> accesses_;       // the first one is being served
  std::array<TcmRequest, 2> tcm_accesses_;  // by server
  std::array<Server, 2> servers_;

  std::uint64_t messages_sent_ = 0, messages_written_ = 0, messages_dropped_ = 0, bytes_sent_ = 0;
  Fs slot_busy_ = 0;        // time with at least one busy server, counted once
  unsigned accessing_ = 0;  // servers that are not idle
  Fs accessing_since_ = 0;

  ServiceInitiator<TcmRequest> to_tcm_{this};
  ServiceInitiator<MessageArrival> to_ipcq_{this};
  ServiceTarget<RingRequest> rings_{dma_, *this};
};

}  // namespace kernbench
