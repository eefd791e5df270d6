#include "platform/probe/probe_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "models/base/errors.h"
#include "models/timing/hbm_bank_timing.h"
#include "platform/probe/child_process.h"
#include "platform/topology/machine_message.h"
#include "platform/topology/zero_load_latency.h"
#include "platform/traffic/traffic_player.h"

namespace kernbench {
namespace {

class OneRequest final : public TrafficSource, public TrafficListener {
 public:
  explicit OneRequest(const TrafficRequest& request) : request_(request) {}
  bool next(TrafficRequest& request) override {
    if (taken_) return false;
    taken_ = true;
    request = request_;
    return true;
  }
  void ended(const TrafficResult& result) override { time_ = result.end - result.grant; }
  Fs time() const { return time_; }

 private:
  TrafficRequest request_;
  bool taken_ = false;
  Fs time_ = never_fs;
};

void add_leg(ProbeOutcome& outcome, const Path& path) {
  for (std::uint32_t i = 0; i < path.target_position(); ++i) {
    if (i > 0) outcome.overhead += path.hop(i).overhead_fs;
    outcome.link += path.hop(i).propagation_fs;
  }
}

bool has_banks(const Graph& graph, const Path& path) {
  if (!bank_timing_of(graph.node(path.target()).attributes())) return false;
  for (std::uint32_t i = 1; i < path.target_position(); ++i) {
    const Node& node = graph.node(path.hop(i).node);
    if (declared_role(node.kind) == Role::router && !server_of(node)) return false;
  }
  return true;
}

std::vector<std::uint64_t> sizes() {
  std::vector<std::uint64_t> sizes(sweep_bytes.begin(), sweep_bytes.end());
  sizes.push_back(probe_bytes);
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

}  // namespace

const ProbePoint& ProbeOutcome::at(std::uint64_t bytes) const {
  for (const ProbePoint& point : points) {
    if (point.bytes == bytes) return point;
  }
  throw std::out_of_range(
      fmt::format("case {} has not been measured at {} bytes", probe.name, bytes));
}

Fs simulate_alone(Platform& platform, const TrafficRequest& request) {
  OneRequest alone(request);
  TrafficPlayer player("probe", platform, alone, alone);
  const RunResult result = platform.run();
  if (result.cause) std::rethrow_exception(result.cause);
  player.check_all_ended();
  return alone.time();
}

Simulate simulate_in_children(Platform& platform) {
  return [&platform](const std::vector<TrafficRequest>& requests) {
    std::vector<std::function<std::string()>> bodies;
    for (const TrafficRequest& request : requests)
      bodies.emplace_back([&] { return std::to_string(simulate_alone(platform, request)); });
    std::vector<Fs> times;
    for (const std::string& value : in_children(bodies)) times.push_back(std::stoull(value));
    return times;
  };
}

ProbeOutcome run_probe(const Graph& graph, Routes& routes, const ProbeCase& probe,
                       const Simulate& simulate) {
  ProbeOutcome outcome;
  outcome.probe = probe;
  if (!probe.available()) return outcome;
  try {
    outcome.path = &routes.memory_path(probe.initiator, probe.target);
  } catch (const RoutingError& error) {
    outcome.probe.unavailable = error.what();
    return outcome;
  }
  const Path& path = *outcome.path;
  outcome.bottleneck = bottleneck_of(graph, outcome.data_path());
  outcome.has_banks = has_banks(graph, path);
  const MemoryMessage any = machine_message(graph, path, probe.write, 0, 1);
  outcome.overhead = any.initiator_overhead + any.memory_overhead;
  add_leg(outcome, path);
  if (!any.posted) add_leg(outcome, path.reverse());

  std::vector<TrafficRequest> requests;
  for (const std::uint64_t bytes : sizes()) {
    const MemoryMessage message = machine_message(graph, path, probe.write, 0, bytes);
    ProbePoint point;
    point.bytes = bytes;
    point.bound = lower_bound(path, message);
    const Fs without_waits = zero_load_latency(path, message, Bursts::side_by_side);
    point.flits = without_waits - point.bound.total();
    point.bursts = zero_load_latency(path, message) - without_waits;
    point.drain = outcome.bottleneck ? transfer_fs(bytes, outcome.bottleneck->bw_gbs) : 0;
    TrafficRequest request;
    request.bytes = bytes;
    request.initiator = probe.initiator;
    request.target = probe.target;
    request.write = probe.write;
    requests.push_back(request);
    outcome.points.push_back(point);
  }
  const std::vector<Fs> times = simulate(requests);
  for (std::size_t i = 0; i < times.size(); ++i) {
    ProbePoint& point = outcome.points[i];
    point.actual = times[i];
    if (outcome.has_banks) point.banks = point.unexplained();
  }
  return outcome;
}

}  // namespace kernbench
