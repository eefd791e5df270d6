#include "platform/probe/route_report.h"

#include <fmt/format.h>

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

std::optional<NarrowestLink> bottleneck_of(const Graph& graph, const Path& path) {
  std::optional<NarrowestLink> narrowest;
  const auto add = [&](const NarrowestLink& link) {
    if (!link.bw_gbs.is_zero() && (!narrowest || link.bw_gbs < narrowest->bw_gbs)) narrowest = link;
  };
  for (std::uint32_t i = 0; i < path.target_position(); ++i) {
    const Fs per_flit = i == 0 ? 0 : transit_of(graph.node(path.hop(i).node)).later_hold;
    if (per_flit > 0)
      add({i, Rational(graph.spec().system.flit_bytes) * Rational(fs_per_ns) / Rational(per_flit),
           true});
    add({i, path.hop(i).bw_gbs, false});
  }
  return narrowest;
}

std::string leg_text(const Graph& graph, const Path& path, Leg leg,
                     const std::vector<LegTimes>& times) {
  constexpr auto right = Table::Align::right;
  std::vector<Table::Column> columns{{"hop", right},         {"node"},
                                     {"overhead ns", right}, {"link GB/s", right},
                                     {"length mm", right},   {"propagation ns", right}};
  for (const LegTimes& column : times) columns.push_back({column.title, right});
  columns.push_back({""});
  Table table(columns);
  const std::optional<NarrowestLink> narrowest = bottleneck_of(graph, path);
  for (std::uint32_t i = 0; i < path.hops().size(); ++i) {
    const PathHop& hop = path.hop(i);
    std::vector<std::string> cells{fmt::format("{}", i),
                                   graph.node(hop.node).name,
                                   fixed_ns(paid_overhead(path, leg, i)),
                                   "",
                                   "",
                                   ""};
    if (i < path.target_position()) {
      cells[3] = hop.bw_gbs.is_zero() ? "unlimited" : hop.bw_gbs.str();
      cells[4] = graph.find_edge(hop.node, path.hop(i + 1).node)->distance_mm.str();
      cells[5] = fixed_ns(hop.propagation_fs);
    }
    for (const LegTimes& column : times) cells.push_back(fixed_ns(column.at[i]));
    const bool marked = narrowest && narrowest->position == i;
    cells.emplace_back(!marked              ? ""
                       : narrowest->is_node ? "<-- bottleneck: the node"
                                            : "<-- bottleneck");
    table.add(row_of(std::move(cells)));
  }
  return table.text("  ");
}

nlohmann::ordered_json leg_json(const Graph& graph, const Path& path, Leg leg,
                                const std::vector<LegTimes>& times) {
  auto rows = nlohmann::ordered_json::array();
  const std::optional<NarrowestLink> narrowest = bottleneck_of(graph, path);
  for (std::uint32_t i = 0; i < path.hops().size(); ++i) {
    const PathHop& hop = path.hop(i);
    nlohmann::ordered_json row;
    row["node"] = graph.node(hop.node).name;
    row["overhead_ns"] = ns_json(paid_overhead(path, leg, i));
    for (const LegTimes& column : times) row[column.json_key] = ns_json(column.at[i]);
    if (const Transit transit = transit_of(graph.node(hop.node)); transit.pipelined) {
      row["occupancy_ns"] = ns_json(transit.hold);
      row["flit_occupancy_ns"] = ns_json(transit.later_hold);
      row["bottleneck"] = narrowest && narrowest->position == i && narrowest->is_node;
    }
    row["link"] = nullptr;  // link behind the node
    if (i < path.target_position()) {
      row["link"] = {
          {"bw_gbs", gbs_json(hop.bw_gbs.is_zero() ? std::nullopt : std::optional(hop.bw_gbs))},
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
