#include "platform/probe/leg_table.h"

#include <fmt/format.h>

#include "platform/output/json_text.h"
#include "platform/output/table.h"
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

std::optional<NarrowestLink> bottleneck_of(const Path& path) {
  std::optional<NarrowestLink> narrowest;
  for (std::uint32_t i = 0; i < path.target_position(); ++i) {
    const Rational& bw = path.hop(i).bw_gbs;
    if (!bw.is_zero() && (!narrowest || bw < narrowest->bw_gbs)) narrowest = NarrowestLink{i, bw};
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
  const std::optional<NarrowestLink> narrowest = bottleneck_of(path);
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
    cells.emplace_back(narrowest && narrowest->position == i ? "<-- bottleneck" : "");
    table.add(row_of(std::move(cells)));
  }
  return table.text("  ");
}

nlohmann::ordered_json leg_json(const Graph& graph, const Path& path, Leg leg,
                                const std::vector<LegTimes>& times) {
  auto rows = nlohmann::ordered_json::array();
  const std::optional<NarrowestLink> narrowest = bottleneck_of(path);
  for (std::uint32_t i = 0; i < path.hops().size(); ++i) {
    const PathHop& hop = path.hop(i);
    nlohmann::ordered_json row;
    row["node"] = graph.node(hop.node).name;
    row["overhead_ns"] = ns_json(paid_overhead(path, leg, i));
    for (const LegTimes& column : times) row[column.json_key] = ns_json(column.at[i]);
    row["link"] = nullptr;  // behind the node
    if (i < path.target_position()) {
      row["link"] = {
          {"bw_gbs", gbs_json(hop.bw_gbs.is_zero() ? std::nullopt : std::optional(hop.bw_gbs))},
          {"distance_mm", graph.find_edge(hop.node, path.hop(i + 1).node)->distance_mm.to_double()},
          {"propagation_ns", ns_json(hop.propagation_fs)},
          {"bottleneck", narrowest && narrowest->position == i}};
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace kernbench
