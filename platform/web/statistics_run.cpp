#include "platform/web/statistics_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/output/json_text.h"
#include "platform/web/web_request.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uintmax_t most_file_bytes = std::uintmax_t{1} << 30;
constexpr std::size_t most_busiest = 100;  // rows of tables in the summary

Fs fs_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number()) return 0;
  const double ns = found->get<double>();
  return ns > 0 && ns < 9e12 ? static_cast<Fs>(std::llround(ns * fs_per_ns)) : 0;
}

// Histograms are most of the file, and not shown.
Json read_statistics(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  std::ifstream file(path);
  if (error || !file) throw UsageError(quote(path) + " cannot be read");
  if (size > most_file_bytes)
    throw UsageError(fmt::format("{} has {} bytes; statistics of at most {} are shown", quote(path),
                                 size, most_file_bytes));
  constexpr int most_depth = 16;
  const Json::parser_callback_t keep = [](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > most_depth) return false;
    return event != Json::parse_event_t::key ||
           (parsed != "waiting" && parsed != "latency" && parsed != "per_pe");
  };
  Json json = Json::parse(file, keep, false);
  if (json.is_discarded() || !json.is_object() || !json.contains("links"))
    throw UsageError(quote(path) +
                     " is no file of `run --stats`, `traffic --stats` or `traffic --links`: it is "
                     "not a JSON object with a list 'links'");
  return json;
}

// Null: no object, or without the key.
Json cell_of(const Json& row, const char* key) {
  return row.is_object() && row.contains(key) ? row[key] : Json();
}

std::string text_of(const Json& cell) { return cell.is_string() ? cell.get<std::string>() : ""; }

double number_of(const Json& cell) { return cell.is_number() ? cell.get<double>() : 0; }

void put_busiest_first(Json& json, const char* list) {
  if (!json.contains(list) || !json[list].is_array()) return;
  std::stable_sort(json[list].begin(), json[list].end(), [](const Json& a, const Json& b) {
    return number_of(cell_of(a, "utilisation")) > number_of(cell_of(b, "utilisation"));
  });
}

// Rows of `traffic --links` as rows of servers.
Json servers_of_links(Json links) {
  for (Json& row : links) {
    if (!row.is_object()) continue;
    row["resource"] = cell_of(row, "kind");
    row["kind"] = "rate";
    row["places"] = 1;
  }
  return links;
}

// Of a row of the list of servers.
std::string place_of(const Json& row) {
  const std::string src = text_of(cell_of(row, "src"));
  return src.empty() ? text_of(cell_of(row, "name")) : src + " > " + text_of(cell_of(row, "dst"));
}

}  // namespace

StatisticsRun::StatisticsRun(const std::string& title, const std::string& path,
                             const ServedMachine& machine)
    : ServedRun(title, path, machine), places_(machine),
      tables_([this](const std::vector<Json>& row) { return places_.of_row(row); }) {
  Json json = read_statistics(path);
  utilisation_.emplace(Utilisation::of(json, path, machine.graph()));
  end_ = std::max(fs_of(json, "simulated_ns"), fs_of(json, "elapsed_ns"));
  if (const auto limits = json.find("bottleneck"); limits != json.end() && limits->is_object())
    window_.length = fs_of(*limits, "window_ns");
  // Traffic without kernels.
  if (window_.length == 0 || window_.length >= end_) window_ = {"run", 0, end_, end_};
  window_.end = end_;
  json.erase("statistics");  // descriptions
  for (const char* list : {"links", "servers"}) put_busiest_first(json, list);
  tables_.add("", json);
  has_links_alone_ = !json.contains("servers");
  servers_ = has_links_alone_ ? servers_of_links(json["links"]) : std::move(json["servers"]);
  add_places(json);
  for (const char* list : {"servers", "components", "links", "hbm_channels", "transfers"})
    json.erase(list);
  totals_ = Json{{"file", path}};
  totals_.update(json);
  for (const char* table : {"bottleneck.resources", "bottleneck.kernels", "links"})
    if (tables_.has(table)) totals_[table] = tables_.table(table, most_busiest);
}

Json StatisticsRun::facts() const {
  return {{"kind", "stats"}, {"status", Json()},     {"error", Json()}, {"bench", Json()},
          {"end_fs", end_},  {"has_windows", false}, {"operations", 0}, {"command", Json()}};
}

void StatisticsRun::add_places(const Json& json) {
  for (const Json& row : servers_)
    places_.add_use(place_of(row), text_of(cell_of(row, "resource")),
                    number_of(cell_of(row, "utilisation")));
  for (const Json& row : cell_of(cell_of(json, "activity"), "pes"))
    if (const std::string pe = text_of(cell_of(row, "pe")); !pe.empty())
      places_.add_run("", pe, 0, 0);
}

ServedRun::Use StatisticsRun::utilisation(const WebInterval& interval) {
  if (!interval.is_whole()) refuse("activity over time");
  return {*utilisation_, window_};
}

Json StatisticsRun::place(const std::string& name, const WebInterval& interval, std::size_t most) {
  if (!interval.is_whole()) refuse("activity over time");
  const std::string known = machine().place_of(name);
  if (known.empty()) machine().place(name);  // throws
  const std::string inside = known + '.';
  Json servers = Json::array();
  std::size_t count = 0;
  for (const Json& row : servers_) {
    if (!row.is_object()) continue;
    const std::string of = text_of(cell_of(row, "name")), place = place_of(row);
    const auto is_inside = [&](const std::string& name) {
      return name.compare(0, inside.size(), inside) == 0;
    };
    // Nodes without servers of their own have their links.
    const auto is_end = [&](const char* key) {
      const std::string end = text_of(cell_of(row, key));
      return has_links_alone_ && (end == known || is_inside(end));
    };
    if (place != known && !is_inside(of) && !is_end("src") && !is_end("dst")) continue;
    if (++count > most) continue;
    const auto cell = [&row](const char* key) { return cell_of(row, key); };
    const std::string part = text_of(cell("part"));
    servers.push_back({{"name", part.empty() ? place : place + ' ' + part},
                       {"place", place},
                       {"part", part},
                       {"resource", cell("resource")},
                       {"kind", cell("kind")},
                       {"places", cell("places")},
                       {"busy_fs", fs_of(row, "busy_ns")},
                       {"share", cell("utilisation")},
                       {"stalled_fs", row.contains("stalled_ns") && row["stalled_ns"].is_number()
                                          ? Json(fs_of(row, "stalled_ns"))
                                          : Json()},
                       {"bytes", cell("bytes")}});
  }
  return {{"name", known},
          {"window", window_.json()},
          {"servers", std::move(servers)},
          {"server_count", count},
          {"windows", Json::array()}};
}

}  // namespace kernbench
