// Queueing times at servers, as histograms (spec 11.3): of flits at the nodes of the fabric and at
// its links, of stages at the engines of the PEs, of bursts at the pseudo-channels of the HBM.
//
// A flit is queued at a node from its arrival to the start of its service, and at a link from its
// hand-over to the start of its transfer, also behind flits of its own message. A stage is queued
// from the end of the previous stage, or the dispatch of its command, to the start of its service:
// in the queue, for its channel, slot or registers. Bursts that are booked together are queued from
// the booking to the start of the first. The high-water mark of a node's queue is that of a server
// in order of arrival.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/base/histogram.h"
#include "models/protocol/observation.h"
#include "models/protocol/ring_buffer.h"
#include "platform/assembly/platform.h"

namespace kernbench {

// Histogram of values in femtoseconds: {"count", "total_ns", "min_ns", "mean_ns", "p50_ns",
// "p90_ns", "p99_ns", "max_ns", "buckets": [[first ns, count], ...]}; percentiles within 6 %.
nlohmann::ordered_json histogram_json(const Histogram& histogram);

class WaitingTimes final : private tlm::tlm_analysis_if<LinkTraversal>,
                           private tlm::tlm_analysis_if<NodeTraversal>,
                           private tlm::tlm_analysis_if<TraceEvent>,
                           private tlm::tlm_analysis_if<HbmBooking> {
 public:
  // Observes `platform`, which outlives it.
  explicit WaitingTimes(Platform& platform);

  // {"flits": {histogram, "queue_high_water"}, "dma_read": {histogram}, ...}; null: no arrivals.
  nlohmann::ordered_json json(const Component& component) const;
  // Histogram of a link; null: no flit arrived.
  nlohmann::ordered_json json(const Link& link) const;
  // Entries of the pseudo-channels in use: [{"name", "channel", "bursts_read", "bursts_written",
  // "burst_bytes", "busy_ns", "idle_ns", "utilisation", "waiting": {histogram}}]
  nlohmann::ordered_json hbm_json(Fs elapsed) const;

 private:
  struct NodeQueue {
    Histogram waits;
    RingBuffer<Fs> starts;  // service starts of queued flits
    std::uint64_t high_water = 0;
  };
  struct HbmChannel {
    std::uint64_t bursts_read = 0, bursts_written = 0;
    Histogram waits;
  };
  struct Partition {
    std::uint32_t burst_bytes = 0;
    std::vector<HbmChannel> channels;
  };
  // Tile, or a simple command, of a PE.
  struct TaskKey {
    const sc_core::sc_object* pe = nullptr;
    std::uint64_t command = 0;
    std::int64_t tile = -1;
    friend bool operator==(const TaskKey& a, const TaskKey& b) {
      return a.pe == b.pe && a.command == b.command && a.tile == b.tile;
    }
  };
  struct HashKey {
    std::size_t operator()(const TaskKey& key) const;
  };
  using StageWaits = std::map<std::string, Histogram>;  // by stage, "dma_read"

  void write(const LinkTraversal& traversal) override;
  void write(const NodeTraversal& traversal) override;
  void write(const TraceEvent& event) override;
  void write(const HbmBooking& booking) override;

  const Platform& platform_;
  std::vector<NodeQueue> nodes_;                      // by NodeId
  std::unordered_map<const Link*, Histogram> links_;  // looked up only
  std::map<NodeId, Partition> partitions_;
  std::unordered_map<const sc_core::sc_object*, StageWaits> stages_;  // by engine; looked up only
  std::unordered_map<TaskKey, Fs, HashKey>
      ready_;  // time since which a task is queued; looked up only
  AnalysisBinding<LinkTraversal> link_traversals_;
  AnalysisBinding<NodeTraversal> node_traversals_;
  AnalysisBinding<TraceEvent> events_;
  AnalysisBinding<HbmBooking> bookings_;
};

}  // namespace kernbench
