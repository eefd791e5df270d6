#include "platform/probe/route_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/observe/roofline.h"
#include "platform/output/json_text.h"
#include "platform/output/table.h"
#include "platform/topology/lower_bound.h"
#include "platform/topology/machine_message.h"
#include "platform/traffic/traffic_rows.h"

namespace kernbench {
namespace {

Fs paid_overhead(const Path& path, Leg leg, std::uint32_t position) {
  const bool end = position == 0 || position == path.target_position();
  return leg == Leg::response && end ? 0 : path.hop(position).overhead_fs;
}

}  // namespace

nlohmann::ordered_json gbs_json(const std::optional<Rational>& bw_gbs) {
  return bw_gbs ? nlohmann::ordered_json(bw_gbs->to_double()) : nlohmann::ordered_json();
}

Rational node_gbs(const Graph& graph, const Path& path, std::uint32_t position) {
  const Node& node = graph.node(path.hop(position).node);
  const bool end = position == 0 || position == path.target_position();
  if (end) return node.kind == Role::hbm_ctrl ? hbm_peak_gbs(node) : Rational(0);
  const Fs per_flit = transit_of(node).later_hold;
  if (per_flit == 0) return Rational(0);
  return Rational(graph.spec().system.flit_bytes) * Rational(fs_per_ns) /
         Rational::fraction(per_flit, 1);
}

std::optional<NarrowestLink> bottleneck_of(const Graph& graph, const Path& path) {
  std::optional<NarrowestLink> narrowest;
  const auto add = [&](const NarrowestLink& link) {
    if (!link.bw_gbs.is_zero() && (!narrowest || link.bw_gbs < narrowest->bw_gbs)) narrowest = link;
  };
  for (std::uint32_t i = 0; i < path.target_position(); ++i) add({i, path.hop(i).bw_gbs, false});
  if (path.target_position() == 0) return narrowest;  // no transfer
  for (std::uint32_t i = 0; i <= path.target_position(); ++i)
    add({i, node_gbs(graph, path, i), true});
  return narrowest;
}

namespace {

// Servers of the nodes between the ends of a path, by position.
std::vector<std::optional<NodeServer>> servers_on(const Graph& graph, const Path& path) {
  std::vector<std::optional<NodeServer>> servers(path.hops().size());
  for (std::uint32_t i = 1; i < path.target_position(); ++i)
    servers[i] = server_of(graph.node(path.hop(i).node));
  return servers;
}

// Latency and occupancy differ, or the node has several servers.
bool is_apart(const std::optional<NodeServer>& server) {
  if (!server) return false;
  const ServerTimes& times = server->times;
  return times.hold != times.latency || times.later_latency > 0 || times.later_hold > 0 ||
         server->per != "node";
}

std::string gbs_text(const Rational& gbs) {
  const std::string text = gbs.str();
  return text.find('/') == std::string::npos ? text : fmt::format("{:.3f}", gbs.to_double());
}

const char* mark_of(const std::optional<NarrowestLink>& narrowest, std::uint32_t position,
                    const Rational& node_rate) {
  if (!narrowest) return "";
  if (narrowest->position == position)
    return narrowest->is_node ? "<-- bottleneck: node" : "<-- bottleneck";
  return narrowest->is_node && narrowest->bw_gbs == node_rate ? "<-- equal" : "";
}

}  // namespace

std::string leg_text(const Graph& graph, const Path& path, Leg leg,
                     const std::vector<LegTimes>& times) {
  constexpr auto right = Table::Align::right;
  const std::vector<std::optional<NodeServer>> servers = servers_on(graph, path);
  const bool apart = std::any_of(servers.begin(), servers.end(), is_apart);
  const std::optional<NarrowestLink> narrowest = bottleneck_of(graph, path);
  const bool rates = apart || (narrowest && narrowest->is_node);
  std::vector<Table::Column> columns{{"hop", right}, {"node"}, {"latency ns", right}};
  if (apart)
    columns.insert(columns.end(), {{"occupancy ns", right}, {"per flit ns", right}, {"servers"}});
  if (rates) columns.push_back({"node GB/s", right});
  for (const char* title : {"link GB/s", "length mm", "propagation ns"})
    columns.push_back({title, right});
  for (const LegTimes& column : times) columns.push_back({column.title, right});
  columns.push_back({""});
  Table table(columns);
  for (std::uint32_t i = 0; i < path.hops().size(); ++i) {
    const PathHop& hop = path.hop(i);
    const std::optional<NodeServer>& server = servers[i];
    const Rational rate = node_gbs(graph, path, i);
    std::vector<std::string> cells{fmt::format("{}", i), graph.node(hop.node).name,
                                   fixed_ns(paid_overhead(path, leg, i))};
    if (apart && server) {
      cells.push_back(fmt::format("{:g}", to_ns(server->times.hold)));
      cells.push_back(fmt::format("{:g}", to_ns(server->times.later_hold)));
      cells.push_back(server->per);
    } else if (apart) {
      cells.insert(cells.end(), 3, "");
    }
    if (rates) cells.push_back(rate.is_zero() ? "" : gbs_text(rate));
    if (i < path.target_position()) {
      cells.push_back(hop.bw_gbs.is_zero() ? "unlimited" : gbs_text(hop.bw_gbs));
      cells.push_back(graph.find_edge(hop.node, path.hop(i + 1).node)->distance_mm.str());
      cells.push_back(fixed_ns(hop.propagation_fs));
    } else {
      cells.insert(cells.end(), 3, "");
    }
    for (const LegTimes& column : times) cells.push_back(fixed_ns(column.at[i]));
    cells.emplace_back(mark_of(narrowest, i, rate));
    table.add(row_of(std::move(cells)));
  }
  return table.text("  ") +
         (apart ? "  occupancy: the first flit of a message holds a server of the node; per flit: "
                  "each other flit. node GB/s: by flits of long messages.\n"
                : "");
}

nlohmann::ordered_json leg_json(const Graph& graph, const Path& path, Leg leg,
                                const std::vector<LegTimes>& times) {
  auto rows = nlohmann::ordered_json::array();
  const std::vector<std::optional<NodeServer>> servers = servers_on(graph, path);
  const std::optional<NarrowestLink> narrowest = bottleneck_of(graph, path);
  const auto known_gbs = [](const Rational& gbs) {
    return gbs_json(gbs.is_zero() ? std::nullopt : std::optional(gbs));
  };
  for (std::uint32_t i = 0; i < path.hops().size(); ++i) {
    const PathHop& hop = path.hop(i);
    nlohmann::ordered_json row;
    row["node"] = graph.node(hop.node).name;
    row["latency_ns"] = ns_json(paid_overhead(path, leg, i));
    if (const std::optional<NodeServer>& server = servers[i]) {
      row["occupancy_ns"] = ns_json(server->times.hold);
      row["flit_occupancy_ns"] = ns_json(server->times.later_hold);
      row["servers"] = server->per;
    }
    row["node_gbs"] = known_gbs(node_gbs(graph, path, i));
    row["bottleneck"] = narrowest && narrowest->position == i && narrowest->is_node;
    for (const LegTimes& column : times) row[column.json_key] = ns_json(column.at[i]);
    row["link"] = nullptr;  // link behind the node
    if (i < path.target_position()) {
      row["link"] = {
          {"bw_gbs", known_gbs(hop.bw_gbs)},
          {"distance_mm", graph.find_edge(hop.node, path.hop(i + 1).node)->distance_mm.to_double()},
          {"propagation_ns", ns_json(hop.propagation_fs)},
          {"bottleneck", narrowest && narrowest->position == i && !narrowest->is_node}};
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

namespace {

Rational length_mm(const Graph& graph, const Path& path) {
  Rational length;
  for (std::uint32_t i = 0; i < path.target_position(); ++i)
    length = length + graph.find_edge(path.hop(i).node, path.hop(i + 1).node)->distance_mm;
  return length;
}

// A node along the path accepts the message and sends a message of its own.
bool is_sent_on(const Graph& graph, const Path& path) {
  for (std::uint32_t i = 1; i < path.target_position(); ++i) {
    const Role kind = graph.node(path.hop(i).node).kind;
    if (kind == Role::io_cpu || kind == Role::m_cpu) return true;
  }
  return false;
}

std::vector<Fs> later(std::vector<Fs> times, Fs by) {
  for (Fs& t : times) t += by;
  return times;
}

void add_formula(RouteReport& report, const Graph& graph, const Path& path, std::uint64_t bytes) {
  constexpr auto right = Table::Align::right;
  Table table({{"op"},
               {"initiator", right},
               {"control leg", right},
               {"data leg", right},
               {"memory burst", right},
               {"total ns", right},
               {"GB/s", right},
               {"ends with"}});
  report.json["formula"] = nlohmann::ordered_json::array();
  for (const bool write : {false, true}) {
    const MemoryMessage message = machine_message(graph, path, write, 0, bytes);
    const MessageBound bound = lower_bound(path, message);
    const char* const end = write ? message.posted ? "the commit" : "the acknowledgement"
                                  : "the last flit of the answer";
    const double gbs = bound.total() == 0 ? 0 : static_cast<double>(bytes) / to_ns(bound.total());
    table.add({write ? "write" : "read", fixed_ns(bound.initiator), fixed_ns(bound.control),
               fixed_ns(bound.data), fixed_ns(bound.burst), fixed_ns(bound.total()),
               fmt::format("{:.3f}", gbs), end});
    report.json["formula"].push_back({{"op", write ? "write" : "read"},
                                      {"posted", message.posted},
                                      {"initiator_ns", ns_json(bound.initiator)},
                                      {"control_leg_ns", ns_json(bound.control)},
                                      {"data_leg_ns", ns_json(bound.data)},
                                      {"memory_burst_ns", ns_json(bound.burst)},
                                      {"total_ns", ns_json(bound.total())},
                                      {"gbs", gbs}});
  }
  report.text +=
      fmt::format("\nFormula for one message of {} bytes on an idle machine, a lower bound (ns):\n",
                  bytes) +
      table.text("  ");
  report.text +=
      "  A leg holds the overheads of the nodes that its message passes; the memory's own is in "
      "the leg that ends there.\n";
}

}  // namespace

RouteReport route_report(const Graph& graph, MachineRoutes& routes, NodeId from, NodeId to,
                         std::uint64_t bytes) {
  const bool memory = starts_transfers(graph.node(from)) && is_memory(graph.node(to));
  const Path& path = memory ? routes.memory_path(from, to) : routes.message_path(from, to);
  const std::uint32_t hops = path.target_position();
  const std::optional<NarrowestLink> narrowest = bottleneck_of(graph, path);
  RouteReport report;
  report.text =
      fmt::format("{} -> {}: {} hop{}, {} mm, {}\n\n", graph.node(from).name, graph.node(to).name,
                  hops, hops == 1 ? "" : "s", length_mm(graph, path).str(),
                  memory ? "memory traffic" : "control messages");
  report.json["from"] = graph.node(from).name;
  report.json["to"] = graph.node(to).name;
  report.json["kind"] = memory ? "memory" : "control";
  report.json["length_mm"] = length_mm(graph, path).to_double();
  report.json["bottleneck_gbs"] =
      gbs_json(narrowest ? std::optional(narrowest->bw_gbs) : std::nullopt);

  const Fs start = memory ? machine_message(graph, path, false, 0, bytes).initiator_overhead : 0;
  std::vector<LegTimes> times{
      {"header at ns", "header_at_ns", later(control_leg(path).first, start)}};
  if (memory) {
    const MemoryMessage write = machine_message(graph, path, true, 0, bytes);
    report.json["bytes"] = bytes;
    times.push_back({"first flit at ns", "first_flit_at_ns",
                     later(data_leg(path, FlitCut(write), write.request_nodes).first, start)});
  } else {
    report.json["control_latency_ns"] = ns_json(path.control_latency_fs());
  }
  report.json["hops"] = leg_json(graph, path, Leg::request, times);
  report.text += leg_text(graph, path, Leg::request, times);
  report.text += fmt::format(
      "  Times count from {}: when a header{} arrives at the node on an idle machine. A link "
      "is in the row of its source node.\n",
      memory ? "the grant" : "the departure", memory ? ", or the first flit of a write," : "");
  if (!memory && is_sent_on(graph, path))
    report.text +=
        "  io_cpu and m_cpu receive the message and send a new one, an overhead later.\n";
  if (!memory)
    report.text += fmt::format("\ncontrol latency {} ns, with the overhead of {}\n",
                               fixed_ns(path.control_latency_fs()), graph.node(to).name);
  if (memory) add_formula(report, graph, path, bytes);
  return report;
}

}  // namespace kernbench
