#include "tests/perf/fabric_scenario.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "models/base/component_registry.h"
#include "models/noc/link.h"
#include "platform/assembly/builtin_components.h"
#include "platform/assembly/machine_modules.h"
#include "platform/topology/build_graph.h"
#include "platform/traffic/traffic_player.h"
#include "tests/perf/child_measurement.h"

namespace kernbench::perf {
namespace {

constexpr int stream_hops = 20;

Graph default_machine(const std::vector<Override>& overrides, const ComponentRegistry& registry) {
  MachineSpec spec =
      load_machine(KERNBENCH_SOURCE_DIR "/configs/topology.yaml", overrides, registry);
  return build_graph(std::move(spec));
}

// Notes the instant at which the last request ends: what the run does afterwards is not traffic.
class EndOfTraffic final : public TrafficListener {
 public:
  explicit EndOfTraffic(std::uint64_t requests) : half_(requests / 2), open_(requests) {}
  void ended(const TrafficResult& result) override {
    if (--open_ == half_) allocations_at_half = heap_allocations();
    if (open_ > 0) return;
    seconds = processor_seconds();
    allocations = heap_allocations();
    simulated = result.end;
  }

  double seconds = 0;
  std::uint64_t allocations = 0;
  std::uint64_t allocations_at_half = 0;
  Fs simulated = 0;

 private:
  std::uint64_t half_;
  std::uint64_t open_;
};

PeId pe_of(const Platform& platform, int index) {
  return {0, index / platform.machine().pes, index % platform.machine().pes};
}

int pes_of_a_sip(const Platform& platform) {
  return platform.machine().cubes() * platform.machine().pes;
}

NodeId dma(const Platform& platform, PeId pe) {
  return platform.machine().engine(pe, PeEngine::pe_dma);
}

// The first PE and partition of the SIP that are `stream_hops` links apart.
std::pair<NodeId, NodeId> ends_of_the_stream(Platform& platform) {
  for (int i = 0; i < pes_of_a_sip(platform); ++i) {
    for (int j = 0; j < pes_of_a_sip(platform); ++j) {
      const NodeId from = dma(platform, pe_of(platform, i));
      const NodeId to = platform.machine().hbm(pe_of(platform, j));
      if (platform.routes().memory_path(from, to).target_position() == stream_hops)
        return {from, to};
    }
  }
  throw std::logic_error("no PE and partition are as far apart as the stream is to be long");
}

FabricScenario long_stream(const char* name, bool write) {
  return {name, {}, [write](Platform& platform) {
            const auto [initiator, target] = ends_of_the_stream(platform);
            Flow flow{initiator, write, {target}};
            flow.request_bytes = std::uint64_t{1} << 20;
            flow.requests = 64;
            return std::vector<Flow>{flow};
          }};
}

FabricScenario local(const char* name) {
  return {
      name, {}, [](Platform& platform) {
        std::vector<Flow> flows;
        for (int i = 0; i < pes_of_a_sip(platform); ++i) {
          const PeId pe = pe_of(platform, i);
          flows.push_back({dma(platform, pe), false, {platform.machine().hbm(pe)}, 0, 4096, 512});
        }
        return flows;
      }};
}

FabricScenario to_one_partition(const char* name, bool write) {
  return {name, {}, [write](Platform& platform) {
            std::vector<Flow> flows;
            for (int i = 0; i < pes_of_a_sip(platform); ++i) {
              const std::uint64_t own = (std::uint64_t{1} << 20) * static_cast<std::uint64_t>(i);
              flows.push_back({dma(platform, pe_of(platform, i)),
                               write,
                               {platform.machine().hbm({0, 0, 0})},
                               own,
                               4096,
                               64});
            }
            return flows;
          }};
}

FabricScenario all_to_all(const char* name, std::vector<Override> overrides) {
  return {
      name, std::move(overrides), [](Platform& platform) {
        std::vector<NodeId> partitions;
        for (int i = 0; i < pes_of_a_sip(platform); ++i)
          partitions.push_back(platform.machine().hbm(pe_of(platform, i)));
        std::vector<Flow> flows;
        for (int i = 0; i < pes_of_a_sip(platform); ++i) {
          for (const bool write : {false, true})
            flows.push_back({dma(platform, pe_of(platform, i)), write, partitions, 0, 4096, 64});
        }
        return flows;
      }};
}

void count_traffic(const Platform& platform, FabricFigures& figures) {
  std::vector<NodeId> active;
  for (const LinkInstance& entry : platform.links()) {
    const Link::Statistics& carried = entry.link->statistics();
    figures.flit_hops += carried.flits;
    figures.control_hops += carried.control_messages;
    if (carried.flits == 0) continue;
    active.push_back(platform.graph().edges()[entry.edge].src);
    active.push_back(platform.graph().edges()[entry.edge].dst);
  }
  std::sort(active.begin(), active.end());
  figures.active_processes =
      static_cast<std::uint64_t>(std::unique(active.begin(), active.end()) - active.begin());
}

}  // namespace

FabricFigures play(const FabricScenario& scenario) {
  ComponentRegistry registry;
  register_builtin_components(registry);
  PlatformOptions options;
  options.tear_down = false;
  Platform platform(default_machine(scenario.overrides, registry), registry, options);
  std::vector<Flow> wanted = scenario.flows(platform);
  for (const Flow& flow : wanted) {  // each route is made once, when it is first asked for: that
                                     // belongs to the elaboration
    for (const NodeId target : flow.targets) platform.routes().memory_path(flow.initiator, target);
  }
  TrafficFlows flows(std::move(wanted));
  EndOfTraffic end(flows.requests());
  TrafficPlayer player("traffic", platform, flows, end);
  double start = -1;
  std::uint64_t allocations = 0;
  RunLimits limits;
  limits.progress = [&](const RunProgress&) {  // first after elaboration, before time goes on
    if (start >= 0) return;
    allocations = heap_allocations();
    start = processor_seconds();
  };
  const RunResult result = platform.run(limits);
  if (result.cause) std::rethrow_exception(result.cause);
  player.check_all_ended();
  FabricFigures figures;
  figures.seconds = end.seconds - start;
  figures.allocations = end.allocations - allocations;
  figures.late_allocations = end.allocations - end.allocations_at_half;
  figures.simulated_ns = to_ns(end.simulated);
  count_traffic(platform, figures);
  return figures;
}

ElaborationFigures elaborate(const std::vector<Override>& overrides) {
  ElaborationFigures figures;
  const double start = processor_seconds();
  ComponentRegistry registry;
  register_builtin_components(registry);
  Graph graph = default_machine(overrides, registry);
  const double loaded = processor_seconds();
  PlatformOptions options;
  options.tear_down = false;
  const Platform platform(std::move(graph), registry, options);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  figures.construct_seconds = processor_seconds() - loaded;
  figures.load_seconds = loaded - start;
  figures.resident_mib = resident_mib();
  figures.modules = platform.graph().nodes().size();
  figures.links = platform.links().size();
  return figures;
}

std::vector<FabricScenario> fabric_scenarios() {
  return {long_stream("long_stream_write", true),
          long_stream("long_stream_read", false),
          local("local_reads"),
          to_one_partition("one_partition_writes", true),
          to_one_partition("one_partition_reads", false),
          all_to_all("all_to_all", {})};
}

FabricScenario all_to_all_with(int sips) {
  return all_to_all("all_to_all", {{"system.sips.count", std::to_string(sips)}});
}

double resident_mib() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  file >> size >> resident;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

}  // namespace kernbench::perf
