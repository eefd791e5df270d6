#include "platform/topology/machine_message.h"

#include "models/timing/hbm_bank_timing.h"
#include "platform/config/known_attributes.h"

namespace kernbench {
namespace {

// An end point stores messages that it forwards (spec 2.6), unless it cuts through.
bool stores_messages(const Node& node) {
  const bool end_point = node.kind == Role::pcie_ep || node.kind == Role::ual_ep;
  return end_point && !value_in<bool>(node.attributes(), "cut_through").value_or(false);
}

// Attribute of a node that forwards; those of other nodes may have the same names.
Fs forwarding_time(const Node& node, const char* name) {
  const bool forwards = declared_role(node.kind) == Role::router || node.kind == Role::pcie_ep ||
                        node.kind == Role::ual_ep;
  return forwards && node.attributes().has(name) ? ns_to_fs(node.attributes().decimal(name)) : 0;
}

// Banks: a read is at least a row hit, and a write commits in its queue.
void add_bursts(MemoryMessage& message, const Attributes& hbm, const HbmBankTiming& timing) {
  message.memory_is_hbm = true;
  message.num_pcs = static_cast<std::uint32_t>(hbm.integer("num_pcs"));
  message.burst_bytes = static_cast<std::uint32_t>(hbm.integer("burst_bytes"));
  if (message.write) return;
  message.burst_time = timing.burst;
  message.burst_lead = timing.least_read() - timing.burst;
}

void add_bursts(MemoryMessage& message, const Attributes& hbm) {
  if (const auto timing = bank_timing_of(hbm)) return add_bursts(message, hbm, *timing);
  for (const char* name : {"num_pcs", "burst_bytes", "link_bw_gbs", "efficiency"}) {
    if (!hbm.has(name)) return;
  }
  message.memory_is_hbm = true;
  message.num_pcs = static_cast<std::uint32_t>(hbm.integer("num_pcs"));
  message.burst_bytes = static_cast<std::uint32_t>(hbm.integer("burst_bytes"));
  // burst_bytes / pc_bw with pc_bw = link_bw * efficiency / num_pcs (spec 2.5), rounded once.
  message.burst_time = transfer_fs(std::uint64_t{message.burst_bytes} * message.num_pcs,
                                   hbm.decimal("link_bw_gbs") * hbm.decimal("efficiency"));
}

}  // namespace

Fs overhead_of(const Node& node) {
  return std::max(overhead_of(node.attributes()), forwarding_time(node, "latency_ns"));
}

Transit transit_of(const Node& node) {
  const Fs latency = forwarding_time(node, "latency_ns"),
           occupancy = forwarding_time(node, "occupancy_ns"),
           flit_occupancy = forwarding_time(node, "flit_occupancy_ns");
  Transit transit(stores_messages(node));
  if (latency == 0 && occupancy == 0 && flit_occupancy == 0) return transit;
  const ServerTimes times = ServerTimes::pipelined(latency, occupancy, flit_occupancy);
  transit.pipelined = true;
  transit.hold = times.hold;
  transit.later_hold = times.later_hold;
  return transit;
}

std::optional<NodeServer> server_of(const Node& node) {
  const auto per = value_in<std::string>(node.attributes(), "servers");
  if (!per || stores_messages(node)) return std::nullopt;
  return NodeServer{transit_of(node).times(overhead_of(node)), *per};
}

const char* rate_attribute_of(const Node& node) {
  return transit_of(node).pipelined
             ? occupancy_attributes(forwarding_time(node, "occupancy_ns"),
                                    forwarding_time(node, "flit_occupancy_ns"))
             : "overhead_ns";
}

bool starts_transfers(const Node& node) {
  return node.kind == Role::pe_dma || node.kind == Role::pcie_ep;
}

bool is_memory(const Node& node) {
  return node.kind == Role::hbm_ctrl || node.kind == Role::sram || node.kind == Role::pe_tcm ||
         node.kind == Role::tlm_target;
}

const Transit& TransitTable::of(NodeId node) {
  const auto known = known_.find(node);
  return known != known_.end() ? known->second
                               : known_.emplace(node, transit_of(graph_.node(node))).first->second;
}

MemoryMessage machine_message(const Graph& graph, const Path& path, bool write,
                              std::uint64_t offset, std::uint64_t bytes) {
  TransitTable transits(graph);
  return machine_message(transits, path, write, offset, bytes);
}

MemoryMessage machine_message(TransitTable& transits, const Path& path, bool write,
                              std::uint64_t offset, std::uint64_t bytes) {
  const Graph& graph = transits.graph();
  // A pe_dma stores the responses of its TCM.
  const auto transits_on = [&](const Path& leg, bool response) {
    Transits nodes;
    nodes.reserve(leg.hops().size());
    for (const PathHop& hop : leg.hops()) {
      nodes.push_back(transits.of(hop.node));
      if (response && graph.node(hop.node).kind == Role::pe_dma) nodes.back().stores = true;
    }
    return nodes;
  };
  const Node& initiator = graph.node(path.source());
  const Node& memory = graph.node(path.target());
  MemoryMessage message;
  message.write = write;
  message.posted = write && initiator.kind == Role::pcie_ep;
  message.offset = offset;
  message.bytes = bytes;
  message.flit_bytes = static_cast<std::uint32_t>(graph.spec().system.flit_bytes);
  message.initiator_overhead = overhead_of(initiator);
  message.memory_overhead = overhead_of(memory);
  if (memory.kind == Role::hbm_ctrl) add_bursts(message, memory.attributes());
  message.request_nodes = transits_on(path, false);
  message.response_nodes = transits_on(path.reverse(), true);
  return message;
}

}  // namespace kernbench
