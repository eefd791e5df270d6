// Traffic in a closed loop: each flow issues its next request at the instant at which the one
// before has ended.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "platform/traffic/traffic_request.h"

namespace kernbench::perf {

// One channel of one initiator. A request goes to one of the targets, drawn; within a target
// addresses ascend.
struct Flow {
  NodeId initiator = no_node;
  bool write = false;
  std::vector<NodeId> targets;
  std::uint64_t first_offset = 0;
  std::uint64_t request_bytes = 4096;
  std::uint64_t requests = 1;
};

class TrafficFlows final : public TrafficSource {
 public:
  explicit TrafficFlows(std::vector<Flow> flows);

  bool next(TrafficRequest& request) override;
  void ended(const TrafficResult& result) override;
  std::uint64_t requests() const { return total_; }

 private:
  static std::size_t channel(NodeId initiator, bool write) {
    return std::size_t{initiator} * 2 + (write ? 1 : 0);
  }

  std::vector<Flow> flows_;
  std::vector<std::uint64_t> made_;              // by flow
  std::vector<std::size_t> flow_of_;             // by channel
  std::vector<std::pair<Fs, std::size_t>> due_;  // instant and flow
  std::size_t taken_ = 0;                        // of due_
  std::uint64_t total_ = 0;
  std::uint32_t id_ = 0;
  std::mt19937_64 random_;
};

}  // namespace kernbench::perf
