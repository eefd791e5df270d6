#include "platform/observe/limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/report/json_text.h"

namespace kernbench {
namespace {

constexpr double worth_naming = 1.1;  // a gain
constexpr std::size_t named_on_chain = 4;
// Rows for people.
constexpr double least_gain = 0.005, least_busy = 0.05;
constexpr std::size_t most_rows = 12;

double ratio(Fs part, Fs whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

const char* name_of(Server::Kind kind) {
  return kind == Server::Kind::slot ? "slot" : kind == Server::Kind::rate ? "rate" : "none";
}

double Limits::gain(const ResourceLimit& row) const {
  return row.twice == 0 ? 1 : ratio(window, row.twice);
}

const ResourceLimit* Limits::limit() const {
  return rows.empty() || gain(rows.front()) < worth_naming ? nullptr : &rows.front();
}

std::string Limits::verdict() const {
  if (rows.empty()) return "";
  if (const ResourceLimit* first = limit()) {
    return fmt::format("{}, {} busy: twice as much gains {}; with no end of it {} remain",
                       first->resource, percent(ratio(first->busy, window)),
                       percent(gain(*first) - 1), readable_time(to_ns(first->at_least)));
  }
  std::string chain;
  for (std::size_t i = 0; i < std::min(rows.size(), named_on_chain); ++i) {
    if (rows[i].twice < window)
      chain += fmt::format("{}{} {}", chain.empty() ? "" : ", ", rows[i].resource,
                           percent(ratio(2 * (window - rows[i].twice), window)));
  }
  return "latency, twice as much of no resource gains 10 %" +
         (chain.empty() ? "" : "; on the chain of dependences " + chain);
}

std::string Limits::text() const {
  if (rows.empty()) return "";
  using Align = Table::Align;
  Table table({{"resource"},
               {"busiest"},
               {"busy", Align::right},
               {"stalled", Align::right},
               {"2x gains", Align::right},
               {"2x is"}});
  for (const ResourceLimit& row : rows) {
    const double busy = ratio(row.busy, window), more = gain(row) - 1;
    if (table.size() >= most_rows || (busy < least_busy && more < least_gain)) continue;
    table.add(row_of({row.resource, row.busiest, percent(busy),
                      row.stalled == 0 ? "-" : readable_time(to_ns(row.stalled)), percent(more),
                      row.key}));
  }
  return "limit: " + verdict() + "\n\n" + table.text();
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
    table.add({row.resource, row.kind, row.busiest, ShareCell{ratio(row.busy, window)},
               TimeCell{row.stalled}, ShareCell{gain(row) - 1}, TimeCell{row.at_least}, row.key});
  }
  return table;
}

nlohmann::ordered_json Limits::json() const {
  const ResourceLimit* first = limit();
  return {{"window_ns", ns_json(window)},
          {"limit", first == nullptr ? "latency" : first->resource},
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
