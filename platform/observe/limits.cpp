#include "platform/observe/limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/output/json_text.h"
#include "platform/output/line_width.h"

namespace kernbench {
namespace {

constexpr double worth_naming = 1.1;  // a gain
constexpr std::size_t named_in_latency = 4;
// Rows for people.
constexpr double least_gain = 0.005, least_busy = 0.05;

double ratio(Fs part, Fs whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// "pe_dma.rd_engines" of "cube.pe_template.components.pe_dma.attrs.rd_engines".
std::string short_key(std::string key) {
  for (const std::string& part : {std::string("cube.pe_template.components."),
                                  std::string("cube.components."), std::string(".attrs")}) {
    if (const std::size_t at = key.find(part); at != std::string::npos)
      key.replace(at, part.size(), "");
  }
  return key.substr(0, key.find(','));
}

}  // namespace

double Limits::gain(const ResourceLimit& row) const {
  return row.twice == 0 ? 1 : ratio(window, row.twice);
}

std::vector<const ResourceLimit*> Limits::limits() const {
  std::vector<const ResourceLimit*> limits;
  if (!is_estimated || rows.empty()) return limits;
  if (gain(rows.front()) >= worth_naming) return {&rows.front()};
  for (const ResourceLimit& row : rows) {
    if (row.kind == "rate" && ratio(row.busy, window) >= saturated) limits.push_back(&row);
  }
  return limits;
}

std::string Limits::name() const {
  if (!is_estimated) return "not estimated";
  std::string names;
  for (const ResourceLimit* row : limits()) names += (names.empty() ? "" : ", ") + row->resource;
  return names.empty() ? "latency" : names;
}

std::string Limits::verdict() const {
  if (rows.empty()) return "";
  if (!is_estimated)
    return "not estimated, as the run was stopped or no kernel has ended; busy times are those so "
           "far";
  const std::vector<const ResourceLimit*> named = limits();
  if (named.size() == 1 && gain(*named.front()) >= worth_naming) {
    const ResourceLimit& row = *named.front();
    return fmt::format("{}, {} busy: with twice as much ({}) {} faster; with it unlimited {}",
                       row.resource, percent(ratio(row.busy, window)), row.key,
                       percent(gain(row) - 1), readable_time(to_ns(row.at_least)));
  }
  std::string list;
  for (const ResourceLimit* row : named)
    list += fmt::format("{}{} {} busy", list.empty() ? "" : ", ", row->resource,
                        percent(ratio(row->busy, window)));
  if (!list.empty()) return list + ": none of them gains 10 % without the others";
  for (std::size_t i = 0; i < std::min(rows.size(), named_in_latency); ++i) {
    if (rows[i].twice < window)
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", rows[i].resource,
                          percent(gain(rows[i]) - 1));
  }
  return "latency, no resource gains 10 % with twice as much" +
         (list.empty() ? "" : "; most: " + list);
}

Table Limits::significant_table(std::vector<Table::Column> columns) {
  using Align = Table::Align;
  columns.insert(columns.end(), {{"resource"},
                                 {"busiest"},
                                 {"busy", Align::right},
                                 {"stall time", Align::right},
                                 {"2x gains", Align::right},
                                 {"key to double"}});
  const std::size_t keys = columns.size() - 5;
  return Table(std::move(columns)).with_keys(keys);
}

void Limits::add_significant(Table& table, const Table::Row& first, std::size_t most) const {
  for (const ResourceLimit& row : rows) {
    const double busy = ratio(row.busy, window), more = gain(row) - 1;
    if (most == 0 || (busy < least_busy && more < least_gain)) continue;
    --most;
    Table::Row cells = first;
    for (const std::string& cell :
         {row.resource, row.busiest, percent(busy),
          row.stalled ? readable_time(to_ns(*row.stalled)) : std::string("-"),
          is_estimated ? percent(more) : std::string("-"), short_key(row.key)})
      cells.emplace_back(cell);
    table.add(std::move(cells));
  }
}

Table Limits::table(std::vector<Table::Column> columns) {
  columns.insert(columns.end(), {{"resource", "resource"},
                                 {"kind", "kind"},
                                 {"busiest", "busiest"},
                                 {"busy", "busy"},
                                 {"stalled_ns", "stalled"},
                                 {"gain", "2x gains"},
                                 {"at_least_ns", "at least"},
                                 {"key", "2x is"}});
  return Table("resources", std::move(columns));
}

void Limits::add_all(Table& table, const Table::Row& first) const {
  for (const ResourceLimit& row : rows) {
    Cell more = NoneCell(), least = NoneCell(), stalled = NoneCell();
    if (row.stalled) stalled = TimeCell{*row.stalled};
    if (is_estimated) {
      more = ShareCell{gain(row) - 1};
      least = TimeCell{row.at_least};
    }
    Table::Row cells = first;
    cells.insert(cells.end(), {row.resource, row.kind, row.busiest,
                               ShareCell{ratio(row.busy, window)}, stalled, more, least, row.key});
    table.add(std::move(cells));
  }
}

nlohmann::ordered_json Limits::json() const {
  if (window == 0) return nullptr;
  Table all = table();
  add_all(all, {});
  return {{"window_ns", ns_json(window)},
          {"limit", is_estimated ? nlohmann::ordered_json(name()) : nlohmann::ordered_json()},
          {"resources", all.json()}};
}

}  // namespace kernbench
