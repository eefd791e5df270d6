// Splits the latency of transfers into intervals, each with its place and its part, that add up to
// it (spec 11.3). Attached to a machine before it runs.
//
// The last flit of a leg (or its control message) is walked backwards: each interval belongs to
// what served or delayed it, and where it was behind an earlier flit of its own message, the walk
// goes on with that flit. So what the first flit paid at a port shows under that port's name
// whenever the rest of the message queued up behind it. Nothing is walked in fact: every flit
// carries the steps of its time so far, and takes those of the flit that it waited for. A wait
// behind other transfers is contention; a request that is alone on the machine has none.
//
// Place of an interval: the node for its service and the queue before it; the link for its queue,
// bytes / bandwidth and propagation; the memory for bursts and pseudo-channels; the initiator for
// its channels and overhead. At a memory the bursts of other transfers precede those of the
// transfer, also where they alternated: the sums are exact, the order is not.
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

namespace kernbench {

// StepChain: the time of a flit or message so far as a chain of steps, newest first. Chains share
// their older steps, so a copy costs one reference count whatever the length.
//
// Adjacent steps differ in place or part: a step of the place and part of the newest one makes that
// one longer; if other chains share it, this chain replaces it by a longer one of its own. Steps
// come from a StepPool, which outlives its chains. Chains are freed in a loop: where flits of two
// messages alternate on a link, a chain has as many steps as its message has flits.
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
  // Takes back a step without owners, and the steps before it that it alone owned.
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
  // In ascending order, without overlap.
  void add(const Transaction& holder, Fs start, Fs end) {
    if (start == end) return;
    if (!spans_.empty() && spans_.back().holder == &holder && spans_.back().end == start) {
      spans_.back().end = end;
    } else {
      spans_.push_back({&holder, start, end});
    }
  }
  // Drops what ended by then: no more queries for it.
  void forget_until(Fs time) {
    while (!spans_.empty() && spans_.front().end <= time) spans_.pop_front();
  }
  // Of [from, until), the time for which others than `transaction` held it.
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

  // Once per transfer, at the instant `end` at which it ended: its path from `issue` to `end`.
  // `grant`: when a channel of its initiator became free for it.
  TransferPath take(const TieKey& key, NodeId initiator, Fs issue, Fs grant, Fs end);
  // The same from the transaction alone: from its id's time to its last event, or to now where no
  // response comes back. Once, when it is released.
  TransferPath take(const Transaction& transaction);

 private:
  // A flit or message at an instant; the steps add up to the time since the transfer began.
  struct Point {
    Fs time = 0;
    StepChain steps;

    void to(Fs until, LatencyPart part, FabricPlace place);
  };
  // One position of a leg: a node, and the link behind it.
  struct Stop {
    struct Arrived {
      std::uint32_t flit = 0;
      Point point;
    };
    RingBuffer<Arrived> arrived;        // flits that the node has not served yet
    std::optional<Point> first_served;  // the first flit, which others may wait behind
    std::optional<Point> served;        // the flit that the node served last
    std::optional<Point> on_link;       // the flit before, when it had left

    Point pop_arrived();  // removes the first of `arrived` and returns its point
  };
  // A read's share of one channel, in the order in which it touches them.
  struct Share {
    Fs first_finish = 0;
    Fs others = 0;  // waited for before
  };
  // A transfer in flight.
  struct Trace {
    Fs begun = 0;                              // left the initiator, or came to it from the host
    Point source;                              // where the leg starts
    Point reached;                             // the message as a whole
    LatencyPart part = LatencyPart::pe_setup;  // of time after `reached`
    FabricPlace place;                         // of time after `reached`
    Leg leg = Leg::request;
    std::vector<Stop> stops;  // by position on the leg
    // At a memory that books bursts:
    std::vector<std::optional<Point>> channels;  // a write's last burst on each
    Point committed;                             // of a write, the latest of its bursts
    std::vector<Share> shares;                   // of a read
    std::uint32_t burst_bytes = 0;
    Fs burst_time = 0;
    std::uint64_t bursts_seen = 0, last_burst = 0;  // of a read of several runs: by flits so far
    Point read;                                     // its flit that left last

    Stop& stop(std::uint32_t position);
  };
  struct LinkRecord {
    LatencyPart part = LatencyPart::noc;
    FabricPlace place;
    NodeId far_end = no_node;
  };
  struct NodeRecord {
    LatencyPart part = LatencyPart::noc;
    bool serves_passing = true;       // false: passing flits are queued for their next link
    std::vector<Occupancy> channels;  // of an HBM controller
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

  StepPool steps_;  // before all that has chains
  std::vector<NodeRecord> nodes_;
  std::unordered_map<const Link*, LinkRecord> links_;  // looked up only
  std::unordered_map<TieKey, Trace, HashKey> traces_;  // looked up only
  AnalysisBinding<LinkTraversal> link_traversals_;
  AnalysisBinding<NodeTraversal> node_traversals_;
  AnalysisBinding<HbmBooking> bookings_;
};

}  // namespace kernbench
