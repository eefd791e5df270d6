#include "platform/rtl_compare/flow_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

#include "models/base/errors.h"
#include "models/data/functional_model.h"
#include "models/timing/engine_rules.h"
#include "platform/assembly/describe_machine.h"
#include "platform/assembly/platform.h"
#include "platform/probe/child_process.h"
#include "platform/topology/build_graph.h"
#include "platform/traffic/traffic_player.h"

namespace kernbench {
namespace {

constexpr const char* sram_node = "sip0.cube0.sram";

struct Flow {
  std::string name, group;
  std::size_t phase;       // requests of a phase are issued together
  TrafficRequest request;  // without an issue time
};

// Requests of one experiment, in order of issue.
class Flows {
 public:
  Flows(const MachineDescription& machine, const std::vector<std::uint64_t>& sizes)
      : machine_(machine), sizes_(sizes) {}

  std::vector<Flow> messages() {
    for (const std::uint64_t bytes : sizes_) {
      for (int to = 0; to < machine_.pes; ++to) add_alone({0, machine_.hbm({0, 0, to}), 0, bytes});
    }
    for (const std::uint64_t bytes : sizes_) {
      ++phase_;
      for (int from = 0; from < machine_.pes; ++from) {
        for (int to = 0; to < machine_.pes; ++to)
          add_together({from, machine_.hbm({0, 0, to}), offset_of(from), bytes}, "all-to-all");
      }
    }
    return std::move(flows_);
  }
  std::vector<Flow> accesses() {
    for (const std::uint64_t bytes : sizes_) add_alone({0, machine_.sram(0, 0), 0, bytes});
    for (const std::uint64_t bytes : sizes_) {
      ++phase_;
      for (int from = 0; from < machine_.pes; ++from)
        add_together({from, machine_.sram(0, 0), offset_of(from), bytes}, "all PEs");
    }
    return std::move(flows_);
  }

 private:
  struct Access {
    int from;
    NodeId memory;
    std::uint64_t offset, bytes;
  };

  std::uint64_t offset_of(int pe) const { return static_cast<std::uint64_t>(pe) * sizes_.back(); }
  void add_alone(const Access& access) {
    for (const bool write : {true, false}) {
      ++phase_;
      add(access, write, "alone");
    }
  }
  void add_together(const Access& access, const char* how) {
    for (const bool write : {true, false}) add(access, write, how);
  }
  void add(const Access& access, bool write, const char* how) {
    TrafficRequest request;
    request.initiator = machine_.engine({0, 0, access.from}, PeEngine::pe_dma);
    request.target = access.memory;
    request.offset = access.offset;
    request.bytes = access.bytes;
    request.write = write;
    request.id = static_cast<std::uint32_t>(flows_.size());
    flows_.push_back({fmt::format("{} {} B, pe{} > {}, {}", write ? "write" : "read", access.bytes,
                                  access.from, short_name(access.memory), how),
                      how, phase_, request});
  }
  // Name without its cube.
  std::string short_name(NodeId node) const {
    const std::string& name = machine_.name(node);
    const std::string cube = "sip0.cube0.";
    return name.rfind(cube, 0) == 0 ? name.substr(cube.size()) : name;
  }

  const MachineDescription& machine_;
  const std::vector<std::uint64_t>& sizes_;
  std::vector<Flow> flows_;
  std::size_t phase_ = 0;
};

// A phase begins at a clock edge when the machine has been idle for as long as the previous phase
// took: credits have returned and banks are idle.
class Requests final : public TrafficSource {
 public:
  Requests(const std::vector<Flow>& flows, const Rational& clock_ghz)
      : flows_(flows), clock_ghz_(clock_ghz), times_(flows.size(), 0) {}

  bool next(TrafficRequest& request) override {
    if (taken_ == flows_.size() || (in_flight_ > 0 && flows_[taken_].phase != phase_)) return false;
    phase_ = flows_[taken_].phase;
    request = flows_[taken_++].request;
    request.issue = begin_;
    ++in_flight_;
    return true;
  }
  void ended(const TrafficResult& result) override {
    times_[result.request.id] = result.latency();
    if (--in_flight_ > 0) return;
    const Fs idle_until = result.end + (result.end - begin_);
    begin_ = cycles_to_fs(first_edge_from(idle_until, clock_ghz_), clock_ghz_);
  }
  const std::vector<Fs>& times() const { return times_; }

 private:
  const std::vector<Flow>& flows_;
  Rational clock_ghz_;
  std::vector<Fs> times_;
  std::size_t taken_ = 0, in_flight_ = 0, phase_ = 0;
  Fs begin_ = 0;  // start of the phase
};

std::vector<NodeId> memories_of(const MachineDescription& machine, ComparedRole role) {
  if (role == ComparedRole::sram) return {machine.sram(0, 0)};
  std::vector<NodeId> memories;
  for (int pe = 0; pe < machine.pes; ++pe) memories.push_back(machine.hbm({0, 0, pe}));
  return memories;
}

std::vector<Flow> flows_of(const MachineDescription& machine, ComparedRole role,
                           const FlowOptions& options) {
  Flows flows(machine, options.sizes);
  return role == ComparedRole::sram ? flows.accesses() : flows.messages();
}

// Initialises all bytes that requests access, so that data returned by a memory can be compared.
void fill_sram(FunctionalModel& data, const Platform& platform, const FlowOptions& options) {
  const auto range = platform.machine().memory_map.range_of(platform.machine().sram(0, 0));
  if (!range) return;
  std::mt19937_64 random(options.seed);
  std::vector<std::byte> bytes(std::min<std::uint64_t>(
      range->nbytes, options.sizes.back() * static_cast<std::uint64_t>(platform.machine().pes)));
  for (std::byte& each : bytes) each = static_cast<std::byte>(random() & 0xffU);
  data.memory().write_bytes(range->base, bytes.data(), bytes.size());
}

// Times in fs, as JSON.
std::string simulate(const MachineSpec& machine, const ComponentRegistry& registry,
                     const ComparedDevice& device, const FlowOptions& options) {
  const ComparedRole role = device.role();
  FunctionalModel data;
  PlatformOptions platform_options;
  platform_options.data = role == ComparedRole::sram ? &data : nullptr;
  platform_options.tear_down = false;
  Platform platform(build_graph(machine), registry, platform_options);
  if (role == ComparedRole::sram) fill_sram(data, platform, options);
  const std::vector<Flow> flows = flows_of(platform.machine(), role, options);
  Requests requests(flows, device.clock_ghz());
  TrafficListener no_listener;
  TrafficPlayer player("rtl_compare", platform, requests, no_listener);
  const RunResult result = platform.run();
  if (result.cause) std::rethrow_exception(result.cause);
  player.check_all_ended();
  return nlohmann::json(requests.times()).dump();
}

// Name of the machine's own implementation, which has been replaced.
std::string model_name(const Graph& machine, ComparedRole role) {
  for (const Node& node : machine.nodes()) {
    if (role == ComparedRole::sram ? node.name == sram_node : node.kind == Role::router)
      return node.impl();
  }
  return "the model";
}

}  // namespace

std::vector<std::string> flow_settings(const ComparedDevice& device) {
  return device.settings(device.role() == ComparedRole::sram ? sram_node
                                                             : "cube.components.router");
}

void check_flow_sizes(const MachineSpec& machine, const ComparedDevice& device,
                      const std::vector<std::uint64_t>& sizes) {
  const MachineDescription described = describe_machine(build_graph(machine));
  const auto pes = static_cast<std::uint64_t>(described.pes);
  for (const NodeId memory : memories_of(described, device.role())) {
    const auto range = described.memory_map.range_of(memory);
    const std::uint64_t nbytes = range ? range->nbytes : 0;
    if (sizes.back() * pes <= nbytes) continue;
    throw UsageError(
        fmt::format("--sizes: found {}, allowed is 1 to {}: {} PEs share the {} bytes of {}",
                    sizes.back(), nbytes / pes, pes, nbytes, described.name(memory)));
  }
}

TimeComparison compare_flows(const MachineSpec& device_machine, const MachineSpec& model_machine,
                             const ComponentRegistry& registry, const ComparedDevice& device,
                             const FlowOptions& options) {
  const ComparedRole role = device.role();
  std::vector<std::function<std::string()>> bodies;
  for (const MachineSpec* machine : {&device_machine, &model_machine})
    bodies.emplace_back([&, machine] { return simulate(*machine, registry, device, options); });
  std::vector<std::vector<Fs>> times;
  for (const std::string& value : in_children(bodies))
    times.push_back(nlohmann::json::parse(value).get<std::vector<Fs>>());

  const Graph graph = build_graph(model_machine);
  const std::vector<Flow> flows = flows_of(describe_machine(graph), role, options);
  TimeComparison comparison{device.implementation().name,
                            role == ComparedRole::sram ? "access" : "message",
                            {model_name(graph, role)},
                            "",
                            {}};
  for (std::size_t i = 0; i < flows.size(); ++i) {
    ComparedWork work;
    work.name = flows[i].name;
    work.group = flows[i].group;
    work.sizes = {{"bytes", static_cast<std::int64_t>(flows[i].request.bytes)}};
    work.time = times[0].at(i);
    work.models = {times[1].at(i)};
    comparison.works.push_back(std::move(work));
  }
  return comparison;
}

}  // namespace kernbench
