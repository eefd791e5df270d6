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
constexpr std::size_t most_rows = 12;

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
    return "not estimated, as no kernel has ended or one still runs; busy times are those so far";
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

std::string Limits::text() const {
  if (rows.empty()) return "";
  using Align = Table::Align;
  Table table({{"resource"},
               {"busiest"},
               {"busy", Align::right},
               {"stall time", Align::right},
               {"2x gains", Align::right},
               {"key to double"}});
  for (const ResourceLimit& row : rows) {
    const double busy = ratio(row.busy, window), more = gain(row) - 1;
    if (table.size() >= most_rows || (busy < least_busy && more < least_gain)) continue;
    table.add(row_of({row.resource, row.busiest, percent(busy),
                      row.stalled == 0 ? "-" : readable_time(to_ns(row.stalled)),
                      is_estimated ? percent(more) : "-", short_key(row.key)}));
  }
  return fitted("limit: " + verdict(), 7) + "\n\n" + table.text();
}

Table Limits::table() const {
  Table table("resources", {{"resource", "resource"},
                            {"kind", "kind"},
                            {"busiest", "busiest"},
                            {"busy", "busy"},
                            {"stalled_ns", "stalled"},
                            {"gain", "2x gains"},
                            {"at_least_ns", "at least"},
                            {"key", "2x is"}});
  for (const ResourceLimit& row : rows) {
    Cell more, least;
    if (is_estimated) {
      more = ShareCell{gain(row) - 1};
      least = TimeCell{row.at_least};
    }
    table.add({row.resource, row.kind, row.busiest, ShareCell{ratio(row.busy, window)},
               TimeCell{row.stalled}, more, least, row.key});
  }
  return table;
}

nlohmann::ordered_json Limits::json() const {
  if (window == 0) return nullptr;
  return {{"window_ns", ns_json(window)},
          {"limit", is_estimated ? nlohmann::ordered_json(name()) : nlohmann::ordered_json()},
          {"resources", table().json()}};
}

std::string LimitReport::text() const {
  std::string text = run.text();
  for (const auto& [kernel, limits] : kernels)
    text += fmt::format("\n{}, {}, {}", kernel, readable_time(to_ns(limits.window)), limits.text());
  return text;
}

nlohmann::ordered_json LimitReport::json() const {
  nlohmann::ordered_json json = run.json();
  for (const auto& [kernel, limits] : kernels) {
    nlohmann::ordered_json row{{"kernel", kernel}};
    row.update(limits.json());
    json["kernels"].push_back(std::move(row));
  }
  return json;
}

}  // namespace kernbench
