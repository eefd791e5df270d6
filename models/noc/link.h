// Link: one directed edge of the fabric.
//
// Timing (spec 2.3, models/timing/link_state.h): a flit of b bytes that is handed over at a starts
// at max(a, available_at), leaves b / bw_gbs later, which is the new available_at, and arrives one
// propagation (>= 1 fs) later. A control message waits for available_at but does not move it; host
// control messages do neither. First come, first served. Statistics: read without the part that is
// ahead of now (models/timing/booked_ahead.h). No process and no event: accept() computes the
// arrival and announces it to the receiver at once. Credits of the receiver go back in one
// propagation and wait for nothing (spec 2.10).
#pragma once

#include <cstdint>
#include <systemc>

#include "models/protocol/fabric_arena.h"
#include "models/protocol/fabric_socket.h"
#include "models/protocol/observation.h"
#include "models/protocol/protocol_monitor.h"
#include "models/protocol/ring_buffer.h"
#include "models/timing/booked_ahead.h"
#include "models/timing/link_state.h"
#include "models/timing/service_time.h"
#include "models/timing/stall_time.h"

namespace kernbench {

// A channel between the sockets of two nodes, without sockets of its own: the interfaces of the
// sockets are bound to it directly.
class Link final : public sc_core::sc_object,
                   public InFabricArena,
                   private FabricForward,
                   private FabricBackward {
 public:
  // bw_gbs 0 = unlimited; propagation from propagation_fs(); flit_bytes: the size of a full flit.
  // `traversals`: the port of the machine, which outlives the link.
  Link(const char* name, const Rational& bw_gbs, Fs propagation, std::uint32_t flit_bytes,
       const AnalysisPort<LinkTraversal>& traversals);

  // Binds it between two nodes, once; before the end of elaboration. `monitors`, of the nodes
  // `from` and `to`, observe both sides; null: no monitor.
  // `in_order`: see FabricMonitor::Times. `far_buffer`: of the receiver.
  void connect(FabricInitiatorSocket& upstream, FabricTargetSocket& downstream);
  void connect(FabricInitiatorSocket& upstream, FabricTargetSocket& downstream,
               ProtocolMonitors* monitors, NodeId from, NodeId to, bool in_order = true,
               InputBuffer far_buffer = {});

  // Since the start of the run.
  struct Statistics {
    std::uint64_t bytes = 0;  // flits left the sender; for a flit that is leaving, the bytes so far
    std::uint64_t flits = 0;  // handed over
    std::uint64_t control_messages = 0;  // both virtual channels; handed over
    Fs busy_fs = 0;                      // occupied by flits
    Fs stalled_fs = 0;                   // time that first flits of messages were queued
  };
  Statistics statistics() const;  // up to now
  // A flit or a control message has entered it, or has been announced.
  bool is_used() const {
    return handed_over_.flits > 0 || handed_over_.control_messages > 0 || direct_.messages() > 0;
  }
  Fs available_at() const { return state_.available_at; }
  Fs propagation() const { return propagation_; }

 private:
  // First, the members that every flit touches.
  FabricForward* downstream_ = nullptr;
  const AnalysisPort<LinkTraversal>& traversals_;
  Fs propagation_;
  LinkState state_;
  Statistics handed_over_;  // including bookings ahead
  BookedAhead ahead_;
  // Flits of one transaction whose hand-overs were in the future when they were announced: they
  // may be withdrawn.
  struct Booked {
    BookedFlits flits;
    std::uint32_t first = 0;
    std::uint32_t flit_bytes = 0;
  };
  RingBuffer<Booked> booked_;
  const Transaction* booked_transaction_ = nullptr;
  Fs before_booked_ = 0;  // available_at before the first of them
  BookedStalls stalls_;
  ServiceTime service_;

  FabricBackward* upstream_ = nullptr;
  DirectRoutes direct_;

  void accept(Transaction& transaction, FlitRun run, Fs handed_over) override;
  bool takes_runs() const override { return service_.of(1) > 0 && downstream_->takes_runs(); }
  void accept_run(Transaction& transaction, FlitRun run, Fs handed_over, Fs spacing) override;
  void recall(Transaction& transaction, std::uint32_t position, std::uint32_t flit) override;
  void book(Transaction& transaction, FlitRun run, Fs handed_over, Fs spacing,
            std::uint32_t flit_bytes);
  Fs available_before(Fs handed_over, bool and_at) const;
  // Errors of the node before it, for flits that overtake those that it has announced, and for the
  // withdrawal of flits that it has not announced, or that have left it.
  void check_order(const Transaction& transaction, FlitRun run, Fs handed_over) const;
  [[noreturn]] void refuse_recall(const Transaction& transaction, std::uint32_t flit) const;
  bool get_direct_route(const Path& path, std::uint32_t position, DirectRoute& route) override;
  void credit(std::uint32_t virtual_channel, std::uint32_t flits, Fs at) override {
    upstream_->credit(virtual_channel, flits, at + propagation_);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
    return downstream_->transport_dbg(payload);
  }
};

}  // namespace kernbench
