#include "platform/web/statistics_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

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

// Builds the value of a JSON text without histograms, which are most of a file, and without values
// nested deeper than `most_depth`. Parser callbacks of nlohmann::json are no replacement: they scan
// the whole list after each of its elements.
class StatisticsReader final : public nlohmann::json_sax<Json> {
 public:
  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (skipped_depth_ == 0) {
      key_ = std::move(name);
      skips_value_ = key_ == "waiting" || key_ == "latency" || key_ == "per_pe";
    }
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    return false;
  }

 private:
  static constexpr std::size_t most_depth = 16;

  Json* put(Json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    Json& parent = *open_.back();
    if (parent.is_array()) return &parent.emplace_back(std::move(value));
    return &(parent[key_] = std::move(value));
  }
  bool add(Json value) {
    if (skipped_depth_ == 0 && !skips_value_) put(std::move(value));
    if (skipped_depth_ == 0) skips_value_ = false;
    return true;
  }
  bool open(Json empty) {
    if (skipped_depth_ > 0 || skips_value_ || open_.size() == most_depth) {
      ++skipped_depth_;
      skips_value_ = false;
    } else {
      open_.push_back(put(std::move(empty)));
    }
    return true;
  }
  bool close() {
    if (skipped_depth_ > 0) {
      --skipped_depth_;
    } else {
      open_.pop_back();
    }
    return true;
  }

  Json root_;
  std::vector<Json*> open_;  // containers from the root to the innermost
  std::string key_;          // last one read: of the next value of the innermost object
  bool skips_value_ = false;
  std::size_t skipped_depth_ = 0;  // open containers that are skipped
};

Json read_statistics(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  std::ifstream file(path);
  if (error || !file) throw UsageError(quote(path) + " cannot be read");
  if (size > most_file_bytes)
    throw UsageError(fmt::format("{} has {} bytes; statistics of at most {} are shown", quote(path),
                                 size, most_file_bytes));
  StatisticsReader reader;
  Json json = Json::sax_parse(file, &reader) ? reader.take() : Json();
  if (!json.is_object() || !json.contains("links") || !json["links"].is_array())
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

// Throws UsageError unless the links of the file are those of the machine, and its servers are in
// it.
void check_machine(const Json& json, const std::string& path, const ServedMachine& machine,
                   const std::string& configuration) {
  const Graph& graph = machine.graph();
  const auto refuse = [&](const std::string& what) {
    const std::string source =
        configuration.empty()
            ? "; give the topology of the run that wrote the file by --topology"
            : fmt::format("; {} describes the machine, not --topology", quote(configuration));
    throw UsageError(
        fmt::format("{}: {}, {}{}", quote(path), what, quote(machine.title()), source));
  };
  const auto link_of = [&](const Json& row) {
    const std::string src = text_of(cell_of(row, "src")), dst = text_of(cell_of(row, "dst"));
    const auto from = graph.find(src), to = graph.find(dst);
    const Edge* const edge = from && to ? graph.find_edge(*from, *to) : nullptr;
    if (edge == nullptr)
      refuse(fmt::format("link {} of the file is not in its machine", quote(src + " > " + dst)));
    return static_cast<std::size_t>(edge - graph.edges().data());
  };
  // Files that the program writes have every link, within PEs those with a bandwidth.
  std::vector<bool> is_listed;
  for (const Edge& edge : graph.edges())
    is_listed.push_back(!json.contains("elapsed_ns") || edge.kind == EdgeKind::pe_internal);
  for (const Json& row : json["links"]) {
    const std::size_t link = link_of(row);
    if (!cell_of(row, "utilisation").is_number())
      throw UsageError(fmt::format("{}: link {} has no utilisation", quote(path),
                                   quote(machine.link_name(graph.edges()[link]))));
    is_listed[link] = true;
  }
  const auto missing = std::find(is_listed.begin(), is_listed.end(), false);
  if (missing != is_listed.end())
    refuse(fmt::format("the file lacks link {} of its machine",
                       quote(machine.link_name(
                           graph.edges()[static_cast<std::size_t>(missing - is_listed.begin())]))));
  for (const Json& row : cell_of(json, "servers")) {
    const std::string name = text_of(cell_of(row, "name")), kind = text_of(cell_of(row, "kind"));
    if (!text_of(cell_of(row, "src")).empty()) {
      link_of(row);
    } else if ((kind == "rate" || kind == "slot") && !graph.find(name)) {
      refuse(fmt::format("node {} of the file is not in its machine", quote(name)));
    }
  }
}

void put_busiest_first(Json& json, const char* list) {
  if (!json.contains(list) || !json[list].is_array()) return;
  Json& rows = json[list];
  std::vector<std::pair<double, Json>> by_use;
  for (Json& row : rows) {
    const double use = number_of(cell_of(row, "utilisation"));
    by_use.emplace_back(use, std::move(row));
  }
  std::stable_sort(by_use.begin(), by_use.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; i < by_use.size(); ++i) rows[i] = std::move(by_use[i].second);
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
                             const ServedMachine& machine, const std::string& configuration)
    : ServedRun(title, path, machine), places_(machine),
      tables_([this](const std::vector<Json>& row) { return places_.of_row(row); }) {
  Json json = read_statistics(path);
  check_machine(json, path, machine, configuration);
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
  servers_ =
      has_links_alone_ ? servers_of_links(std::move(json["links"])) : std::move(json["servers"]);
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
  const auto node = machine().graph().find(known);
  const bool is_hbm = node && machine().graph().node(*node).kind == Role::hbm_ctrl;
  Json servers = Json::array();
  std::size_t count = 0;
  for (const Json& row : servers_) {
    if (!row.is_object()) continue;
    const std::string of = text_of(cell_of(row, "name")), place = place_of(row);
    const auto is_inside = [&](const std::string& name) {
      return name.compare(0, inside.size(), inside) == 0;
    };
    // Nodes without servers of their own have their links; an HBM, whose bytes are those of its
    // links, has them, too.
    const auto is_end = [&](const char* key) {
      const std::string end = text_of(cell_of(row, key));
      return (has_links_alone_ || is_hbm) && (end == known || is_inside(end));
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
