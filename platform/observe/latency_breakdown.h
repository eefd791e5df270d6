// Splits the latency of transfers into parts that add up to it (spec 11.3). Attached to a machine before it runs.
//
// Each leg is followed through its last flit (or its control message), and every interval of that flit's time belongs to what
// served or delayed it: a node's overhead and a wire's propagation to the node's and the wire's part; its time on a wire, and
// behind earlier flits of its own transfer, to the wire; the memory's bursts to the memory; the wait for anything that other
// transfers hold, to contention. A node that its own first flit holds counts as the node's overhead. The initiator's overhead is
// pe_setup, the wait for its channel contention. A request that is alone on the machine has no contention.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "platform/observe/hbm_shadow.h"
#include "platform/observe/latency_parts.h"
#include "platform/observe/transfer_watch.h"

namespace kernbench {

class LatencyBreakdown final : private TransferListener {
 public:
  // A listener of `watch`, which watches `platform`. Outlives the run.
  LatencyBreakdown(Platform& platform, TransferWatch& watch);

  // Once per transfer, at the instant `end` at which it ended: its parts, which add up to end - issue. `grant`: when its
  // initiator's channel became free for it.
  LatencyParts take(const TieKey& key, Fs issue, Fs grant, Fs end);
  // The same where nobody else knows: from its id's time on, until its last event, or now where no answer comes back. Once, when it is
  // given back.
  LatencyParts take(const Transaction& transaction);

 private:
  struct Interval {
    Fs start = 0, end = 0;
  };
  // A transfer under way.
  struct Trace {
    Fs begun = 0;   // left the initiator, or came to it from the host
    Fs cursor = 0;  // all before is in `parts`
    LatencyParts parts;
    LatencyPart place = LatencyPart::pe_setup;  // to which the time belongs that nobody else claims
    Fs others_ahead = 0;                        // of the time to come, what others hold the memory for
    HbmShadow::Last bursts;
    Leg leg = Leg::request;
    std::vector<Interval> holds;  // by position on the leg: when its first flit held the node

    void add(LatencyPart part, Fs time) { parts[part] += time; }
    void advance(Fs until);
  };
  struct WireRecord {
    LatencyPart part = LatencyPart::noc;
    LatencyPart far_end = LatencyPart::noc;
    Occupancy occupied;
  };
  struct NodeRecord {
    LatencyPart part = LatencyPart::noc;
    std::unique_ptr<HbmShadow> hbm;  // of a built-in controller
  };
  struct HashKey {
    std::size_t operator()(const TieKey& key) const;
  };

  void carried(const Wire& wire, const Transaction& transaction, FlitRun run, Fs start, Fs end) override;
  void passed(const FabricNode& node, const Arrival& arrival, Fs start) override;
  Trace& trace_of(const Transaction& transaction, Fs now);
  static void pass_first(Trace& trace, const Arrival& arrival, Fs start, Fs now);
  static void pass_last(Trace& trace, const NodeRecord& node, const Arrival& arrival, Fs start, Fs now);

  std::vector<NodeRecord> nodes_;
  std::unordered_map<const Wire*, WireRecord> wires_;  // looked up only
  std::unordered_map<TieKey, Trace, HashKey> traces_;  // looked up only
};

}  // namespace kernbench
