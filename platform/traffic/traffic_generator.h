// Requests made by rule instead of read from a file: `kernbench traffic --generate PATTERN`
// (spec 10.2).
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "platform/assembly/platform.h"
#include "platform/traffic/traffic_request.h"

namespace kernbench {

enum class TrafficPattern : std::uint8_t { stream, random, stride, hotspot, closed_loop };
const char* name_of(TrafficPattern pattern);  // "stream", ..., "closed-loop"
TrafficPattern parse_traffic_pattern(
    std::string_view name);  // throws UsageError that lists the names

struct TrafficRecipe {
  TrafficPattern pattern = TrafficPattern::stream;
  std::vector<std::string> initiators{"sip0.cube0.pe*.pe_dma"};  // globs
  std::vector<std::string> targets;                              // globs; none: by pattern
  std::uint64_t requests = 64;                                   // of each initiator
  std::uint64_t size_bytes = 4096;
  std::uint64_t stride_bytes = 65536;  // between the requests of `stride`
  Rational rate_gbs;                   // offered by each initiator; 0: all at once
  Rational read_share = 1;             // 0 to 1
  std::uint64_t max_outstanding = 1;   // of each initiator; closed-loop only
  std::uint64_t seed = 1;
  std::uint64_t most_memory_bytes = UINT64_MAX;  // that requests under way may take
};

// stream: consecutive addresses of one memory (default: the initiator's own HBM partition; a
// pcie_ep: the first of its SIP). stride: the same memory, `stride_bytes` apart, wrapping. random:
// memory, address (a multiple of the size) and kind drawn for each request (default: all HBM
// partitions of the initiators' SIPs). hotspot: everybody at one memory (default: the first HBM
// partition of the machine), addresses drawn. closed-loop: as random, but a request is issued when
// one of the initiator's `max_outstanding` has ended, so the times come from the simulation.
class TrafficGenerator final : public TrafficSource {
 public:
  // Throws UsageError for a recipe that cannot be: a glob that takes nothing, a size beyond the
  // memory, a rate so low that requests would be issued after latest_issue_fs, ...
  TrafficGenerator(TrafficRecipe recipe, const Platform& platform);

  bool next(TrafficRequest& request) override;
  void ended(const TrafficResult& result) override;

  bool times_are_known() const { return recipe_.pattern != TrafficPattern::closed_loop; }

 private:
  struct Stream {
    NodeId initiator = no_node;
    std::vector<NodeId> targets;
    std::uint64_t made = 0;
    std::mt19937_64 random;
  };

  Fs issue_time(std::uint64_t step) const;  // of request `step` of every initiator, at the rate
  void check_last_issue() const;
  void check_memory() const;
  std::vector<NodeId> default_targets(NodeId initiator) const;
  void make(Stream& stream, Fs issue, TrafficRequest& request);
  bool next_by_time(TrafficRequest& request);
  bool next_by_feedback(TrafficRequest& request);

  TrafficRecipe recipe_;
  const Platform& platform_;
  std::vector<Stream> streams_;
  std::size_t turn_ = 0;  // whose request is next at this step of the rate
  std::uint64_t step_ = 0;
  std::uint32_t id_ = 0;
  std::vector<std::pair<Fs, std::size_t>> due_;  // closed loop: (instant, stream), in order
  std::size_t due_at_ = 0;
};

}  // namespace kernbench
