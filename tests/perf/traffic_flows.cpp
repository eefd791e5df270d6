#include "tests/perf/traffic_flows.h"

#include <algorithm>

namespace kernbench::perf {

TrafficFlows::TrafficFlows(std::vector<Flow> flows)
    : flows_(std::move(flows)), made_(flows_.size()) {
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    const std::size_t at = channel(flows_[i].initiator, flows_[i].write);
    flow_of_.resize(std::max(flow_of_.size(), at + 1));
    flow_of_[at] = i;
    due_.emplace_back(0, i);
    total_ += flows_[i].requests;
  }
}

bool TrafficFlows::next(TrafficRequest& request) {
  if (taken_ == due_.size()) {
    due_.clear();
    taken_ = 0;
    return false;
  }
  const auto [issue, index] = due_[taken_++];
  const Flow& flow = flows_[index];
  request.issue = issue;
  request.initiator = flow.initiator;
  request.target = flow.targets.size() == 1 ? flow.targets.front()
                                            : flow.targets[random_() % flow.targets.size()];
  request.offset = flow.first_offset + made_[index]++ * flow.request_bytes;
  request.bytes = flow.request_bytes;
  request.id = id_++;
  request.write = flow.write;
  return true;
}

void TrafficFlows::ended(const TrafficResult& result) {
  const std::size_t index = flow_of_[channel(result.request.initiator, result.request.write)];
  if (made_[index] < flows_[index].requests) due_.emplace_back(result.end, index);
}

}  // namespace kernbench::perf
