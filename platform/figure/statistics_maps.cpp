#include "platform/figure/statistics_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {
namespace {

using Json = nlohmann::json;
using Position = std::pair<int, int>;  // row, column

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

UsageError refused(const std::string& path, const std::string& why) {
  return UsageError(fmt::format("{} {}", quote(path), why));
}

Json read_statistics(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw refused(path, "cannot be read");
  Json json = Json::parse(file, nullptr, false);
  const bool ok = json.is_object() && json.contains("links") && json["links"].is_array() &&
                  json.contains("hbm_channels") && json["hbm_channels"].is_array();
  if (!ok) throw refused(path, "is no JSON with the statistics of a run, as --stats writes");
  return json;
}

bool is_within(const std::string& name, const std::string& scope) {
  return scope.empty() || name == scope || name.rfind(scope + '.', 0) == 0;
}

// "sip0.cube3" of "sip0.cube3.r0c1"; "" without a cube.
std::string cube_of(const std::string& name) {
  const std::size_t at = name.find(".cube");
  return at == std::string::npos ? "" : name.substr(0, name.find('.', at + 1));
}
std::string sip_of(const std::string& name) { return name.substr(0, name.find('.')); }
// "r0c1" of "sip0.cube3.r0c1".
std::string rest_of(const std::string& name) { return name.substr(name.rfind('.') + 1); }

// Compares numbers within names by value: "cube2" before "cube10".
bool natural_less(const std::string& a, const std::string& b) {
  return ::strverscmp(a.c_str(), b.c_str()) < 0;
}

struct Link {
  std::string from, to, kind;
  double utilisation = 0, bytes = 0;
};

class Maps {
 public:
  Maps(const std::string& path, std::string scope)
      : path_(path), scope_(std::move(scope)), json_(read_statistics(path)) {
    try {
      for (const Json& each : json_["links"])
        links_.push_back({each.at("src"), each.at("dst"), each.at("kind"), each.at("utilisation"),
                          each.at("bytes")});
    } catch (const Json::exception& error) {
      throw refused(path, fmt::format("has a link without its numbers: {}", error.what()));
    }
    check_scope();
  }

  std::vector<StatisticsMap> all() {
    std::vector<StatisticsMap> maps;
    add_hbm(maps);
    add_links(maps, "router_mesh", &cube_of);
    add_links(maps, "ucie_mesh", &sip_of);
    if (maps.empty())
      throw refused(path_, fmt::format("has no HBM channel and no link of a mesh in use{}",
                                       scope_.empty() ? "" : " in " + quote(scope_)));
    return maps;
  }

 private:
  void check_scope() const;
  void add_hbm(std::vector<StatisticsMap>& maps) const;
  void add_links(std::vector<StatisticsMap>& maps, const std::string& kind,
                 std::string (*owner)(const std::string&)) const;
  std::map<std::string, Position> positions(const std::vector<Link>& links,
                                            const std::string& kind) const;
  static void fill(Figure& figure, const std::vector<Link>& links,
                   const std::map<std::string, Position>& places, const char* row,
                   const char* column);

  std::string path_, scope_;
  Json json_;
  std::vector<Link> links_;
};

void Maps::check_scope() const {
  std::set<std::string> scopes;
  for (const Link& link : links_) {
    if (!cube_of(link.from).empty()) scopes.insert({sip_of(link.from), cube_of(link.from)});
  }
  if (scope_.empty() || scopes.count(scope_) > 0) return;
  throw UsageError(
      fmt::format("--scope {}: there is no such SIP or cube in {}, whose names are "
                  "like {}",
                  quote(scope_), quote(path_), scopes.empty() ? "sip0.cube0" : *scopes.rbegin()));
}

void Maps::add_hbm(std::vector<StatisticsMap>& maps) const {
  std::map<std::string, std::map<std::string, double>> rows;  // by cube, partition and channel
  std::set<std::string> columns;
  for (const Json& each : json_["hbm_channels"]) {
    const std::string name = each.at("name");
    if (!is_within(name, scope_)) continue;
    const std::string column =
        fmt::format("{}.{}", name.substr(name.rfind('.') + 1), each.at("channel").get<int>());
    rows[cube_of(name)][column] = each.at("utilisation");
    columns.insert(column);
  }
  if (rows.empty()) return;
  Figure figure;
  figure.kind = FigureKind::heat_map;
  figure.title = "Utilisation of HBM channels";
  figure.x = {"partition.channel", false, {}, {}, {columns.begin(), columns.end()}};
  std::sort(figure.x.categories.begin(), figure.x.categories.end(), &natural_less);
  figure.y.label = "cube";
  for (const auto& [cube, values] : rows) figure.y.categories.push_back(cube);
  std::sort(figure.y.categories.begin(), figure.y.categories.end(), &natural_less);
  for (const std::string& cube : figure.y.categories) {
    std::vector<double>& cells = figure.cells.emplace_back();
    for (const std::string& column : figure.x.categories) {
      const auto found = rows[cube].find(column);
      cells.push_back(found == rows[cube].end() ? 0 : found->second);
    }
  }
  figure.cells_label = "busy (share of the run)";
  figure.caption = "Cubes and channels without an access are left out.";
  maps.push_back({"hbm", std::move(figure)});
}

// Row and column of each node: those in the name of a router; those of a cube follow from the
// directions of its links.
std::map<std::string, Position> Maps::positions(const std::vector<Link>& links,
                                                const std::string& kind) const {
  std::map<std::string, Position> places;
  if (kind == "router_mesh") {
    for (const Link& link : links) {
      for (const std::string& name : {link.from, link.to}) {
        int row = 0, column = 0;
        if (std::sscanf(rest_of(name).c_str(), "r%dc%d", &row, &column) == 2)
          places[name] = {row, column};
      }
    }
    return places;
  }
  places[cube_of(links.front().from)] = {0, 0};
  for (bool grows = true; grows;) {
    grows = false;
    for (const Link& link : links) {
      const auto from = places.find(cube_of(link.from));
      if (from == places.end() || link.from.empty()) continue;
      auto [row, column] = from->second;
      switch (link.from.back()) {
        case 'E':
          ++column;
          break;
        case 'W':
          --column;
          break;
        case 'S':
          ++row;
          break;
        default:
          --row;
      }
      grows = places.try_emplace(cube_of(link.to), row, column).second || grows;
    }
  }
  int top = 0, left = 0;
  for (const auto& [name, place] : places) {
    top = std::min(top, place.first);
    left = std::min(left, place.second);
  }
  for (auto& [name, place] : places) {
    place.first -= top;
    place.second -= left;
  }
  return places;
}

// Nodes are at even positions of the map, links between neighbours in the cells between them.
void Maps::fill(Figure& figure, const std::vector<Link>& links,
                const std::map<std::string, Position>& places, const char* row,
                const char* column) {
  int rows = 0, columns = 0;
  for (const auto& [name, place] : places) {
    rows = std::max(rows, place.first + 1);
    columns = std::max(columns, place.second + 1);
  }
  const auto names = [](int count, const char* prefix) {
    std::vector<std::string> texts;
    for (int i = 0; i < 2 * count - 1; ++i)
      texts.push_back(i % 2 == 0 ? prefix + std::to_string(i / 2) : "");
    return texts;
  };
  figure.y.categories = names(rows, row);
  figure.x.categories = names(columns, column);
  figure.cells.assign(figure.y.categories.size(),
                      std::vector<double>(figure.x.categories.size(), no_value));
  for (const Link& link : links) {
    const auto place = [&](const std::string& name) {
      auto found = places.find(name);
      return found != places.end() ? found : places.find(cube_of(name));
    };
    const auto from = place(link.from), to = place(link.to);
    if (from == places.end() || to == places.end()) continue;
    const int y = from->second.first + to->second.first,
              x = from->second.second + to->second.second;
    const bool neighbours = std::abs(from->second.first - to->second.first) +
                                std::abs(from->second.second - to->second.second) ==
                            1;
    if (!neighbours) continue;
    double& cell = figure.cells[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)];
    cell = std::isnan(cell) ? link.utilisation : std::max(cell, link.utilisation);
  }
}

void Maps::add_links(std::vector<StatisticsMap>& maps, const std::string& kind,
                     std::string (*owner)(const std::string&)) const {
  std::map<std::string, std::vector<Link>> by_owner;
  std::map<std::string, double> bytes;
  for (const Link& link : links_) {
    const std::string of = owner(link.from);
    if (link.kind != kind || (!scope_.empty() && scope_ != of)) continue;
    by_owner[of].push_back(link);
    bytes[of] += link.bytes;
  }
  const auto busiest = std::max_element(
      bytes.begin(), bytes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (busiest == bytes.end() || busiest->second == 0) return;
  const std::vector<Link>& links = by_owner[busiest->first];
  const bool routers = kind == "router_mesh";
  Figure figure;
  figure.kind = FigureKind::heat_map;
  figure.title = fmt::format("Utilisation of the links between {} of {}",
                             routers ? "routers" : "cubes", busiest->first);
  figure.x.label = "column";
  figure.y.label = "row";
  fill(figure, links, positions(links, kind), "r", "c");
  figure.cells_label = "busy (share of the run)";
  figure.caption = fmt::format(
      "Grey: {}, or no link. A cell between two of them is the busier direction of their link.",
      routers ? "routers" : "cubes");
  maps.push_back({"links-" + busiest->first, std::move(figure)});
}

}  // namespace

std::vector<StatisticsMap> statistics_maps(const std::string& path, const std::string& scope) try {
  return Maps(path, scope).all();
} catch (const Json::exception& error) {
  throw refused(path, fmt::format("has statistics of another form: {}", error.what()));
}

}  // namespace kernbench
