#include "platform/observe/transfer_path.h"

#include <fmt/format.h>

#include <array>

#include "platform/assembly/machine_modules.h"

namespace kernbench {

namespace {

struct PartText {
  const char* name;
  const char* meaning;
};
constexpr std::array<PartText, latency_part_count> texts{{
    {"pe_setup",
     "overhead of the initiator, from the grant of its channel until the message is queued at its "
     "link"},
    {"noc", "overheads of the routers and propagation of the links within a cube"},
    {"ucie",
     "overheads of UCIe ports and connections, propagation of the links at and between them"},
    {"fabric",
     "overheads of PCIe end points, IO chiplet networks and the switch, propagation of their "
     "links"},
    {"link", "bytes / bandwidth: the message on its narrowest link, a flit on each other one"},
    {"hbm", "the memory: its overhead, bursts that the message waits for, changes of direction"},
    {"contention",
     "behind other transfers: for a channel of the initiator, a node, a link, a pseudo-channel"},
}};

}  // namespace

const char* name_of(LatencyPart part) { return texts[static_cast<std::size_t>(part)].name; }

const char* meaning_of(LatencyPart part) { return texts[static_cast<std::size_t>(part)].meaning; }

std::string latency_parts_help() {
  std::string text = "Parts of --breakdown, which add up to the latency:\n";
  for (const PartText& part : texts) text += fmt::format("  {:<12} {}\n", part.name, part.meaning);
  return text +
         "  They cover the path that determined the completion of the message, traced backwards "
         "from its last flit: where that\n"
         "  flit was queued behind an earlier flit of its own message, the trace continues with "
         "that one. An overhead of the first\n"
         "  flit counts if the rest was queued behind it, and not if the rest arrived later than "
         "it took.\n\n";
}

LatencyPart part_of(Role kind) {
  switch (kind) {
    case Role::ucie_port:
    case Role::ucie_conn:
    case Role::io_ucie:
    case Role::io_conn:
      return LatencyPart::ucie;
    case Role::fabric_switch:
    case Role::pcie_ep:
    case Role::ual_ep:
    case Role::io_noc:
    case Role::io_cpu:
      return LatencyPart::fabric;
    case Role::hbm_ctrl:
    case Role::hbm_channel:
    case Role::sram:
    case Role::pe_tcm:
    case Role::tlm_target:
      return LatencyPart::hbm;
    default:
      return LatencyPart::noc;
  }
}

LatencyPart part_of(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::ucie_internal:
    case EdgeKind::router_to_ucie_conn:
    case EdgeKind::ucie_conn_to_router:
    case EdgeKind::ucie_mesh:
    case EdgeKind::io_to_cube:
    case EdgeKind::cube_to_io:
      return LatencyPart::ucie;
    case EdgeKind::io_internal:
    case EdgeKind::pcie:
    case EdgeKind::ual:
      return LatencyPart::fabric;
    default:
      return LatencyPart::noc;
  }
}

const char* name_of(FabricPlace::Kind kind) {
  return kind == FabricPlace::Kind::node ? "node" : "link";
}

std::string name_of(FabricPlace place, const Graph& graph) {
  if (place.kind == FabricPlace::Kind::node) return graph.node(place.index).name;
  const Edge& edge = graph.edges()[place.index];
  const LinkName name = link_name(graph.node(edge.src).name, graph.node(edge.dst).name);
  return name.scope.empty() ? name.leaf : std::string(name.scope) + '.' + name.leaf;
}

std::string_view kind_name(FabricPlace place, const Graph& graph) {
  return place.kind == FabricPlace::Kind::node ? name_of(graph.node(place.index).kind)
                                               : name_of(graph.edges()[place.index].kind);
}

LatencyParts TransferPath::parts() const {
  LatencyParts parts;
  for (const Interval& interval : intervals) parts[interval.part] += interval.time();
  return parts;
}

const char* name_of(DistanceClass distance) {
  constexpr std::array<const char*, distance_class_count> names{"local", "same_cube", "same_sip",
                                                                "other_sip", "host"};
  return names[static_cast<std::size_t>(distance)];
}

DistanceClass distance_of(const Graph& graph, NodeId initiator, NodeId target) {
  const Location& from = graph.node(initiator).at;
  const Location& to = graph.node(target).at;
  if (graph.node(initiator).kind == Role::pcie_ep) return DistanceClass::host;
  if (from.sip != to.sip) return DistanceClass::other_sip;
  if (from.cube != to.cube) return DistanceClass::same_sip;
  return from.pe == to.pe ? DistanceClass::local : DistanceClass::same_cube;
}

}  // namespace kernbench
