// Splits the latency of transfers into intervals, each with a place and a part, that sum up to it
// (spec 11.3). Attached to a machine before it runs.
//
// The last flit of a leg (or its control message) is traced backwards: each interval belongs to the
// server or the delay of that flit. Where the flit was queued behind an earlier flit of its own
// message, the trace continues with that flit. So the cost of the first flit at a port appears
// under that port whenever the rest of the message was queued behind it. No backward trace is
// executed: every flit carries the steps of its time so far, and inherits those of the flit that it
// was queued behind. A stall behind other transfers is contention; a request alone on the machine
// has none.
//
// Place of an interval: the node for its service and the queue before it; the link for its queue,
// bytes / bandwidth and propagation; the memory for bursts and pseudo-channels; the initiator for
// its channels and overhead. At a memory the bursts of other transfers precede those of the
// transfer, even where they alternated: the sums are exact, the order is not.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/base/units.h"
#include "models/protocol/observation.h"
#include "models/protocol/ring_buffer.h"
#include "models/protocol/transaction.h"
#include "platform/assembly/platform.h"
#include "platform/observe/transfer_path.h"
#include "platform/topology/machine_message.h"

namespace kernbench {

// StepChain: time of a flit or message so far as a chain of steps, newest first. Chains share their
// older steps, so a copy costs one reference count regardless of the length.
//
// Adjacent steps differ in place or part: a step with the place and part of the newest one extends
// it. If other chains share the newest step, this chain replaces it by a longer one of its own.
// Steps are allocated from a StepPool, which outlives its chains. Chains are freed in a loop: where
// flits of two messages alternate on a link, a chain has as many steps as its message has flits.
//
// Fields by size: 32 bytes.
struct LatencyStep {
  LatencyStep* previous = nullptr;
  Fs length = 0;
  FabricPlace place;
  std::uint32_t owners = 0;  // chains that end with it, and steps that follow it
  LatencyPart part = LatencyPart::noc;
};

class StepPool {
 public:
  LatencyStep* make() {
    if (free_ == nullptr) grow();
    LatencyStep* step = free_;
    free_ = step->previous;
    return step;
  }
  // Recycles a step without owners, and the earlier steps that it alone owned.
  void recycle(LatencyStep* step);
  std::size_t size() const;  // steps in use

 private:
  void grow();

  std::vector<std::unique_ptr<LatencyStep[]>> blocks_;
  LatencyStep* free_ = nullptr;  // linked by `previous`
};

class StepChain {
 public:
  StepChain() = default;  // empty for good
  explicit StepChain(StepPool& pool) : pool_(&pool) {}
  StepChain(const StepChain& other) : pool_(other.pool_), last_(other.last_) {
    if (last_ != nullptr) ++last_->owners;
  }
  StepChain(StepChain&& other) noexcept
      : pool_(other.pool_), last_(std::exchange(other.last_, nullptr)) {}
  StepChain& operator=(StepChain other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(last_, other.last_);
    return *this;
  }
  ~StepChain() {
    if (last_ != nullptr && --last_->owners == 0) pool_->recycle(last_);
  }

  void add(FabricPlace place, LatencyPart part, Fs length);
  const LatencyStep* newest() const { return last_; }  // null: empty

 private:
  StepPool* pool_ = nullptr;
  LatencyStep* last_ = nullptr;
};

// Holders of a serial resource (a link, a pseudo-channel) by time, as far back as queries may
// reach.
class Occupancy {
 public:
  // Intervals in ascending order, without overlap. Null: a holder that makes no query.
  void add(const Transaction* holder, Fs start, Fs end) {
    if (start == end) return;
    if (!spans_.empty() && spans_.back().holder == holder && spans_.back().end == start) {
      spans_.back().end = end;
    } else {
      spans_.push_back({holder, start, end});
    }
  }
  // Drops intervals that ended by then: no earlier queries follow.
  void forget_until(Fs time) {
    while (!spans_.empty() && spans_.front().end <= time) spans_.pop_front();
  }
  // Time in [from, until) for which others than `transaction` held it.
  Fs held_by_others(const Transaction& transaction, Fs from, Fs until) const {
    Fs held = 0;
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      const Span& span = spans_[i];
      if (span.holder == &transaction) continue;
      const Fs start = std::max(span.start, from);
      const Fs end = std::min(span.end, until);
      if (start < end) held += end - start;
    }
    return held;
  }

 private:
  struct Span {
    const Transaction* holder = nullptr;  // compared only
    Fs start = 0;
    Fs end = 0;
  };
  RingBuffer<Span> spans_;
};

class LatencyBreakdown final : private tlm::tlm_analysis_if<LinkTraversal>,
                               private tlm::tlm_analysis_if<NodeTraversal>,
                               private tlm::tlm_analysis_if<HbmBooking> {
 public:
  // Observes `platform`, which outlives it.
  explicit LatencyBreakdown(Platform& platform);

  // Path of a transfer that ended at the time `end`, from `issue` to `end`; called once per
  // transfer. `grant`: time at which a channel of its initiator became free for it.
  TransferPath take(const TieKey& key, NodeId initiator, Fs issue, Fs grant, Fs end);
  // Path from the transaction alone: from the time of its id to its last event, or to now if it has
  // no response. Called once, when it is released.
  TransferPath take(const Transaction& transaction);

 private:
  // Flit or message at a time; the steps sum up to the time since the transfer began.
  struct Point {
    Fs time = 0;
    StepChain steps;

    void to(Fs until, LatencyPart part, FabricPlace place);
  };
  // Position of a leg: a node, and the link behind it.
  struct Stop {
    struct Arrived {
      std::uint32_t flit = 0;
      Point point;
    };
    RingBuffer<Arrived> arrived;  // flits not yet served by the node
    // The first flit when its server is free again, which others may be queued behind; of a
    // pipelined node the last flit that held its server.
    std::optional<Point> first_served;
    std::optional<Point> served;   // the last flit served by the node
    std::optional<Point> on_link;  // the previous flit, at its departure

    Point pop_arrived();  // removes the first of `arrived` and returns its point
  };
  // Share of one channel in a read, in the order of first access.
  struct Share {
    Fs first_finish = 0;
    Fs others = 0;  // stall time behind others before it
  };
  // Transfer in flight.
  struct Trace {
    Fs begun = 0;   // departure from the initiator, or arrival there from the host
    Point source;   // start of the leg
    Point reached;  // the message as a whole
    LatencyPart part = LatencyPart::pe_setup;  // part of time after `reached`
    FabricPlace place;                         // place of time after `reached`
    Leg leg = Leg::request;
    std::vector<Stop> stops;  // by position on the leg
    // For a memory that books bursts:
    std::vector<std::optional<Point>> channels;  // a write's last burst on each
    Point committed;                             // latest burst of a write
    std::vector<Share> shares;                   // for a read
    std::uint32_t burst_bytes = 0;
    Fs burst_time = 0;
    std::uint64_t bursts_seen = 0, last_burst = 0;  // for a read of several runs: by flits so far
    Point read;                                     // its last flit that left

    Stop& stop(std::uint32_t position);
  };
  struct LinkRecord {
    LatencyPart part = LatencyPart::noc;
    FabricPlace place;
    NodeId far_end = no_node;
  };
  struct NodeRecord {
    LatencyPart part = LatencyPart::noc;
    Transit transit;
    bool serves_passing = true;       // false: traversing flits are queued for their next link
    std::vector<Occupancy> channels;  // channels of an HBM controller
  };
  struct HashKey {
    std::size_t operator()(const TieKey& key) const;
  };

  void write(const LinkTraversal& traversal) override;
  void write(const NodeTraversal& traversal) override;
  void write(const HbmBooking& booking) override;

  Trace& trace_of(const Transaction& transaction, Fs now);
  Point departure(Trace& trace, const Transaction& transaction, std::uint32_t position,
                  std::uint32_t flit, FabricPlace link) const;
  static Point arrival_point(Trace& trace, const Arrival& arrival);
  static void book_write(Trace& trace, const Occupancy& channel, const HbmBooking& booking);
  static void book_read(Trace& trace, const Occupancy& channel, const HbmBooking& booking);
  static std::pair<std::uint64_t, std::uint64_t> bursts_of_flit(Trace& trace,
                                                                const RouteExtension& route,
                                                                std::uint32_t flit);
  static Point read_departure(Trace& trace, const RouteExtension& route, std::uint32_t flit);

  StepPool steps_;  // constructed before all owners of chains
  std::vector<NodeRecord> nodes_;
  std::unordered_map<const Link*, LinkRecord> links_;  // looked up only
  std::unordered_map<TieKey, Trace, HashKey> traces_;  // looked up only
  AnalysisBinding<LinkTraversal> link_traversals_;
  AnalysisBinding<NodeTraversal> node_traversals_;
  AnalysisBinding<HbmBooking> bookings_;
};

}  // namespace kernbench
