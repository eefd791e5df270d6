#include "platform/topology/utilisation.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {
namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse(const std::string& source, const std::string& why) {
  throw UsageError(
      fmt::format("{}: {}; --heat takes the JSON that 'run --stats' or 'traffic "
                  "--links F.json' has written for the same machine",
                  printable(source), why));
}

bool is_memory(Role role) {
  return role == Role::hbm_ctrl || role == Role::sram || role == Role::pe_tcm ||
         role == Role::tlm_target;
}

// "pc3_busy_ns" of an HBM, "read_busy_ns" of a TCM.
bool is_busy_time(const std::string& key) {
  const std::string end = "busy_ns";
  return key.size() >= end.size() && key.compare(key.size() - end.size(), end.size(), end) == 0;
}

// None: the component has no busy time.
std::optional<double> mean_busy_ns(const Json& statistics) {
  double sum = 0;
  int count = 0;
  for (const auto& [key, value] : statistics.items()) {
    if (!is_busy_time(key) || !value.is_number()) continue;
    sum += value.get<double>();
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

// Empty: it has no such text.
std::string text_at(const Json& row, const char* key) {
  if (!row.is_object()) return "";
  const auto found = row.find(key);
  return found == row.end() || !found->is_string() ? "" : found->get<std::string>();
}

double share(double value) { return std::clamp(value, 0.0, 1.0); }

}  // namespace

Utilisation Utilisation::read(const std::string& path, const Graph& graph) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse(path, "is a folder");
  std::ifstream file(path);
  if (!file) refuse(path, "cannot be read");
  return parse({std::istreambuf_iterator<char>(file), {}}, path, graph);
}

Utilisation Utilisation::parse(const std::string& text, const std::string& source,
                               const Graph& graph) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) refuse(source, "is no JSON object");
  const auto links = json.find("links");
  if (links == json.end() || !links->is_array()) refuse(source, "has no list 'links'");
  Utilisation result(graph);
  const auto node_of = [&](const Json& row, const char* key) {
    const std::string name = text_at(row, key);
    const auto node = graph.find(name);
    if (!node) refuse(source, fmt::format("this machine has no node {}", quote(name)));
    return *node;
  };
  for (const Json& row : *links) {
    const NodeId src = node_of(row, "src"), dst = node_of(row, "dst");
    const Edge* edge = graph.find_edge(src, dst);
    const auto value = row.find("utilisation");
    if (edge == nullptr || value == row.end() || !value->is_number())
      refuse(source,
             fmt::format("the link from {} to {} {}", graph.node(src).name, graph.node(dst).name,
                         edge == nullptr ? "is not in this machine" : "has no utilisation"));
    result.edges_[static_cast<std::size_t>(edge - graph.edges().data())] =
        share(value->get<double>());
  }
  const auto elapsed = json.find("elapsed_ns");
  const auto components = json.find("components");
  if (elapsed == json.end() || !elapsed->is_number() || components == json.end() ||
      !components->is_array())
    return result;
  const double elapsed_ns = elapsed->get<double>();
  for (const Json& row : *components) {
    const auto node = graph.find(text_at(row, "name"));
    const auto statistics = row.is_object() ? row.find("stats") : row.end();
    if (!node || !is_memory(graph.node(*node).kind) || statistics == row.end()) continue;
    if (const auto busy_ns = mean_busy_ns(*statistics))
      result.memories_[*node] = elapsed_ns > 0 ? share(*busy_ns / elapsed_ns) : 0;
  }
  return result;
}

double Utilisation::of_edges(const std::vector<std::size_t>& edges) const {
  double highest = 0;
  for (const std::size_t edge : edges) highest = std::max(highest, edges_[edge]);
  return highest;
}

std::optional<double> Utilisation::of_memories(const std::vector<NodeId>& nodes) const {
  std::optional<double> highest;
  for (const NodeId node : nodes) {
    if (!is_memory(graph_.node(node).kind)) continue;
    double here = 0;
    if (const auto known = memories_.find(node); known != memories_.end()) {
      here = known->second;
    } else {
      const auto [first, last] = graph_.out_edges(node);
      for (std::size_t i = first; i < last; ++i) {
        here = std::max(here, edges_[i]);
        const Edge* back = graph_.find_edge(graph_.edges()[i].dst, node);
        if (back != nullptr)
          here = std::max(here, edges_[static_cast<std::size_t>(back - graph_.edges().data())]);
      }
    }
    highest = std::max(highest.value_or(0), here);
  }
  return highest;
}

std::vector<Utilisation::Hot> Utilisation::hottest(const Diagram& diagram, std::size_t most) const {
  std::vector<Hot> list;
  for (const DiagramLink& link : diagram.links) {
    for (const auto* edges : {&link.forward, &link.backward}) {
      for (const std::size_t i : *edges) {
        const Edge& edge = graph_.edges()[i];
        if (edges_[i] > 0)
          list.push_back(
              {graph_.node(edge.src).name + " > " + graph_.node(edge.dst).name, edges_[i]});
      }
    }
  }
  std::sort(list.begin(), list.end(), [](const Hot& a, const Hot& b) {
    return a.utilisation != b.utilisation ? a.utilisation > b.utilisation : a.name < b.name;
  });
  if (list.size() > most) list.resize(most);
  return list;
}

double Utilisation::scale_of(const Diagram& diagram) const {
  double highest = 0;
  for (const DiagramLink& link : diagram.links)
    highest = std::max({highest, of_edges(link.forward), of_edges(link.backward)});
  for (const DiagramBlock& block : diagram.blocks)
    highest = std::max(highest, of_memories(block.nodes).value_or(0));
  for (const double top : {0.05, 0.1, 0.2, 0.5}) {
    if (highest <= top) return top;
  }
  return 1;
}

}  // namespace kernbench
