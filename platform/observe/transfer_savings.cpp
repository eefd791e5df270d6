#include "platform/observe/transfer_savings.h"

#include <algorithm>
#include <string>

#include "models/protocol/tile_task.h"
#include "models/timing/engine_rules.h"
#include "platform/topology/zero_load_latency.h"

namespace kernbench {

namespace {

// Work of `units` at `rate` per cycle, and `more` cycles at either rate.
Fs saved_of(Fs took, std::uint64_t units, std::uint64_t rate, std::uint64_t more = 0) {
  if (units == 0 || rate == 0) return took / 2;
  const std::uint64_t cycles = (units + rate - 1) / rate,
                      twice = (units + 2 * rate - 1) / (2 * rate);
  return took / (cycles + more) * (cycles - twice);
}

}  // namespace

void EngineRates::take(Role role, const Component& engine) {
  const auto rate = [&engine](const char* name) {
    const Attributes& attributes = engine.attributes();
    return attributes.has(name) ? static_cast<std::uint64_t>(attributes.integer(name)) : 0;
  };
  if (role == Role::pe_math) lanes = rate("lanes");
  if (role != Role::pe_gemm) return;
  const bool is_systolic =
      engine.attributes().has("timing") && engine.attributes().text("timing") == "systolic";
  if (!is_systolic) macs_per_cycle = rate("macs_per_cycle");
}

Fs EngineRates::saved(Role role, const ExecutedOp& op) const {
  const Fs took = op.t_end - op.t_start;
  if (role == Role::pe_gemm) return saved_of(took, op.macs, macs_per_cycle);
  if (role != Role::pe_math || op.task == nullptr) return took / 2;
  const Stage& stage = op.task->stage();
  return saved_of(took, static_cast<std::uint64_t>(stage.elements), lanes,
                  is_reduction(stage.math_op) ? ceil_log2(lanes) : 0);
}

namespace {

// Leg whose hops and nodes can be changed, with the resources of its links and nodes.
struct OneWay {
  std::vector<PathHop> hops;
  Transits nodes;
  std::vector<ResourceId> links, overheads, occupancies;  // by hop

  OneWay(const Path& path, const Transits& transits, const Graph& graph, Resources& resources)
      : hops(path.hops()), nodes(transits) {
    for (std::size_t i = 0; i < hops.size(); ++i) {
      const Node& node = graph.node(hops[i].node);
      const bool pipelined = nodes[i].pipelined;
      overheads.push_back(pipelined ? resources.of_latency(node.kind)
                                    : resources.of_overhead(node.kind));
      occupancies.push_back(pipelined ? resources.of_occupancy(node.kind, rate_attribute_of(node))
                                      : no_resource);
      if (i + 1 == hops.size()) break;
      const Edge* edge = graph.find_edge(hops[i].node, hops[i + 1].node);
      links.push_back(edge == nullptr ? no_resource : resources.of_link(edge->kind));
    }
  }
  OneWay with_twice(ResourceId resource) const {
    OneWay faster = *this;
    for (std::size_t i = 0; i < hops.size(); ++i) {
      if (i < links.size() && links[i] == resource)
        faster.hops[i].bw_gbs = hops[i].bw_gbs * Rational(2);
      if (overheads[i] == resource) faster.hops[i].overhead_fs /= 2;
      if (occupancies[i] != resource) continue;
      faster.nodes[i].hold /= 2;
      faster.nodes[i].later_hold /= 2;
    }
    return faster;
  }
};

// Latency added by the translation of a virtual address to an access of a PE.
Fs translation_of(const Graph& graph, NodeId initiator) {
  const Node& dma = graph.node(initiator);
  if (dma.kind != Role::pe_dma || graph.spec().cube.memory_map.address_model != AddressModel::va)
    return 0;
  const std::string pe = dma.name.substr(0, dma.name.rfind('.'));
  const std::optional<NodeId> mmu = graph.find(pe + ".pe_mmu");
  if (!mmu || !graph.node(*mmu).attributes().has("tlb_overhead_ns")) return 0;
  return ns_to_fs(graph.node(*mmu).attributes().decimal("tlb_overhead_ns"));
}

Fs latency_of(const OneWay& there, const OneWay& back, MemoryMessage message) {
  message.request_nodes = there.nodes;
  message.response_nodes = back.nodes;
  Path back_path(back.hops, nullptr);
  Path path(there.hops, &back_path);
  back_path.set_reverse(&path);
  return zero_load_latency(path, message);
}

}  // namespace

const TransferSavings& TransferSavingsTable::of(const Path& path, bool write, std::uint64_t bytes) {
  const Key key{&path, bytes, write};
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  return known_.emplace(key, work_out(path, write, bytes)).first->second;
}

TransferSavings TransferSavingsTable::work_out(const Path& path, bool write, std::uint64_t bytes) {
  MemoryMessage message = machine_message(transits_, path, write, 0, bytes);
  const Fs translation = translation_of(graph_, path.source());
  message.initiator_overhead += translation;
  const OneWay there(path, message.request_nodes, graph_, resources_),
      back(path.reverse(), message.response_nodes, graph_, resources_);
  TransferSavings savings;
  savings.latency = latency_of(there, back, message);
  for (const PathHop& hop : (write ? there : back).hops) {
    if (hop.bw_gbs.to_double() > 0)
      savings.payload = std::max(savings.payload, transfer_fs(bytes, hop.bw_gbs));
  }
  for (const Transit& node : (write ? there : back).nodes)
    savings.payload = std::max(savings.payload, bytes / message.flit_bytes * node.later_hold);
  if (message.memory_is_hbm)
    savings.payload = std::max(savings.payload,
                               bytes * message.burst_time / message.burst_bytes / message.num_pcs);

  if (graph_.node(path.target()).kind == Role::pe_dma) {
    for (std::size_t i = 1; i < back.hops.size(); ++i) {
      if (back.hops[i].overhead_fs > 0)
        savings.control_back.emplace_back(back.overheads[i], back.hops[i].overhead_fs / 2);
    }
  }
  std::vector<std::uint64_t> used;
  for (const OneWay* leg : {&there, &back}) {
    for (const auto* resources : {&leg->links, &leg->overheads, &leg->occupancies})
      used.insert(used.end(), resources->begin(), resources->end());
  }
  std::vector<std::uint64_t> shape = used;
  shape.insert(shape.end(), {bytes, write ? 1U : 0U, there.overheads.back()});
  const auto [known, is_new] = by_shape_.try_emplace(std::move(shape));
  savings.saved = &known->second;
  if (!is_new) return savings;

  const ResourceId mmu = translation == 0
                             ? no_resource
                             : resources_.of_attribute(Role::pe_mmu, "pe_mmu", "tlb_overhead_ns");
  const ResourceId bursts = message.burst_lead == 0 ? resources_.of_hbm() : resources_.of_hbm_bus();
  used.push_back(mmu);
  if (message.burst_lead != 0) used.push_back(bursts);
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (const std::uint64_t each : used) {
    const auto resource = static_cast<ResourceId>(each);
    if (resource == no_resource) continue;
    MemoryMessage faster = message;
    if (resource == bursts) faster.burst_time /= 2;
    if (resource == there.overheads.back()) faster.memory_overhead /= 2;
    if (resource == there.overheads.front())
      faster.initiator_overhead -= (message.initiator_overhead - translation) / 2;
    if (resource == mmu) faster.initiator_overhead -= translation / 2;
    const Fs latency = latency_of(there.with_twice(resource), back.with_twice(resource), faster);
    if (latency < savings.latency) known->second.emplace_back(resource, savings.latency - latency);
  }
  return savings;
}

}  // namespace kernbench
