// Observable events of a machine: one analysis port per kind of event, for all components together.
// Platform::observation() and Services::observation() return it.
//
//   class Carried final : public tlm::tlm_analysis_if<LinkTraversal> {
//     void write(const LinkTraversal& traversal) override { ... }
//   };
//   platform.observation().link_traversals.bind(carried);
//
// Events are written at the simulated instant at which they happen, unless stated otherwise, in an
// order that is reproducible. Their references are valid during the call. No event changes a time.
// Subscribers of link_traversals, node_traversals and hbm_bookings bind before the run starts:
// those that bind later miss flits that are in flight in runs (spec 2.11).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "models/base/analysis_port.h"
#include "models/base/executed_op.h"
#include "models/protocol/flit_run.h"
#include "models/protocol/kernel_progress.h"

namespace kernbench {

class FabricNode;
class FabricTraceObserver;  // models/protocol/fabric_trace_observer.h
class Link;                 // models/noc
class Transaction;
struct Arrival;  // models/protocol/arrival_queue.h

// A run of flits or a control message on a link, at the call that hands it over. The link is
// occupied in [start, end), which may be ahead of now; a control message does not occupy it: start
// == end.
struct LinkTraversal {
  const Link& link;
  const Transaction& transaction;
  FlitRun run;
  Fs start = 0;
  Fs end = 0;
};

// A run that a node has served, when it is forwarded or ends there. It arrived at arrival.time; its
// service began at `start` and ends now.
struct NodeTraversal {
  const FabricNode& node;
  const Arrival& arrival;
  Fs start = 0;
};

// A transaction that is released to the pool, while it still has its route: no callback or event
// follows. It may have completed earlier, if its initiator has kept it.
struct TransactionEnd {
  const Transaction& transaction;
};

// Bursts of one transaction that an HBM controller has booked back to back on one pseudo-channel,
// in the direction of the transaction (an atomic access: a read, then a write, each a booking).
// Follows the NodeTraversal of the command or flit that books.
struct HbmBooking {
  const FabricNode& node;
  // Null: of a write that did not wait for it and may have ended (builtin.hbm_banked).
  const Transaction* transaction = nullptr;
  std::size_t channel = 0;
  std::uint32_t burst_bytes = 0;
  Fs start = 0;         // start of the first burst, after a change of direction
  Fs first_finish = 0;  // end of the first burst
  Fs finish = 0;        // end of the last burst
};

// Memory access of the host, before it is injected.
struct HostTransfer {
  const Transaction& transaction;
};

struct Observation {
  AnalysisPort<ExecutedOp> executed_ops;
  // A subscriber of executed_ops reads the parameters of commands: they have them with data off as
  // well. Set before the run.
  bool records_parameters = false;
  AnalysisPort<TraceEvent> trace_events;
  // Every flit is served by an event of its own (`--fabric flits`). Set before the run.
  bool single_flits = false;
  AnalysisPort<LinkTraversal> link_traversals;
  AnalysisPort<NodeTraversal> node_traversals;
  AnalysisPort<TransactionEnd> transaction_ends;
  AnalysisPort<HbmBooking> hbm_bookings;
  AnalysisPort<KernelStart> kernel_starts;
  AnalysisPort<KernelRun> kernel_runs;
  AnalysisPort<KernelWait> kernel_waits;
  AnalysisPort<SlotWait> slot_waits;
  AnalysisPort<MessageProgress> message_progress;
  AnalysisPort<HostTransfer> host_transfers;

  std::shared_ptr<FabricTraceObserver>
      fabric_trace_observer;  // set when signals of the fabric have been requested
};

}  // namespace kernbench
