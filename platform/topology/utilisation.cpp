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

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& source, const std::string& why) {
  throw UsageError(
      fmt::format("{}: {}; --heat accepts the JSON that 'run --stats' or 'traffic "
                  "--links F.json' has written for the same machine",
                  printable(source), why));
}

bool is_memory(Role role) {
  return role == Role::hbm_ctrl || role == Role::sram || role == Role::pe_tcm ||
         role == Role::tlm_target;
}

bool is_die_to_die(Role role) {
  return role == Role::ucie_port || role == Role::ucie_conn || role == Role::io_ucie;
}

// Engines whose busy time is that of slots: channels, and stages at memory.
bool works_in_slots(Role role) { return role == Role::pe_dma || role == Role::pe_fetch_store; }

// Without a server in use it was idle.
bool has_servers(Role role) {
  return works_in_slots(role) || role == Role::pe_gemm || role == Role::pe_math ||
         declared_role(role) == Role::router;
}

// Utilisation of the servers of a component: for an HBM the mean of its channels, else the highest.
struct NodeShare {
  double sum = 0, highest = 0;
  int count = 0;

  void add(double share) {
    sum += share;
    highest = std::max(highest, share);
    ++count;
  }
  double of(Role role) const { return role == Role::hbm_ctrl ? sum / count : highest; }
};

double number_at(const Json& row, const char* key) {
  const auto found = row.find(key);
  return found == row.end() || !found->is_number() ? 0 : found->get<double>();
}

// Empty: there is no such text.
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
  return of(Json::parse(text, nullptr, false), source, graph);
}

Utilisation Utilisation::of(const Json& json, const std::string& source, const Graph& graph) {
  if (json.is_discarded() || !json.is_object()) refuse(source, "is not a JSON object");
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
  const auto servers = json.find("servers");
  if (servers == json.end() || !servers->is_array()) return result;
  std::vector<ServerShare> shares;
  for (const Json& row : *servers) {
    const double busy = number_at(row, "utilisation");
    if (text_at(row, "src").empty()) {
      const std::string kind = text_at(row, "kind");
      if (kind == "rate" || kind == "slot")
        shares.push_back({node_of(row, "name"), nullptr, busy, kind == "slot"});
      continue;
    }
    const NodeId src = node_of(row, "src"), dst = node_of(row, "dst");
    if (const Edge* edge = graph.find_edge(src, dst)) shares.push_back({no_node, edge, busy});
  }
  return of_servers(shares, graph);
}

Utilisation Utilisation::of_servers(const std::vector<ServerShare>& servers, const Graph& graph) {
  Utilisation result(graph);
  result.has_nodes_ = true;
  std::map<NodeId, NodeShare> shares;
  for (const ServerShare& server : servers) {
    if (server.link != nullptr) {
      result.edges_[static_cast<std::size_t>(server.link - graph.edges().data())] =
          share(server.share);
    } else if (!server.is_slot) {
      shares[server.node].add(share(server.share));
    } else if (works_in_slots(graph.node(server.node).kind)) {
      double& held = result.held_[server.node];
      held = std::max(held, share(server.share));
    }
  }
  for (const auto& [node, busy] : shares) result.nodes_[node] = busy.of(graph.node(node).kind);
  return result;
}

double Utilisation::of_edges(const std::vector<std::size_t>& edges) const {
  double highest = 0;
  for (const std::size_t edge : edges) highest = std::max(highest, edges_[edge]);
  return highest;
}

std::optional<double> Utilisation::of_node(NodeId node) const {
  const auto known = nodes_.find(node);
  const Role role = graph_.node(node).kind;
  if (!is_die_to_die(role)) {
    if (known != nodes_.end()) return known->second;
    if (has_nodes_ && has_servers(role)) return 0.0;
    if (!is_memory(role)) return std::nullopt;
  }
  double highest = known == nodes_.end() ? 0 : known->second;
  const auto [first, last] = graph_.out_edges(node);
  for (std::size_t i = first; i < last; ++i) {
    highest = std::max(highest, edges_[i]);
    const Edge* back = graph_.find_edge(graph_.edges()[i].dst, node);
    if (back != nullptr)
      highest = std::max(highest, edges_[static_cast<std::size_t>(back - graph_.edges().data())]);
  }
  return highest;
}

std::optional<double> Utilisation::of_nodes(const std::vector<NodeId>& nodes) const {
  const bool counts_slots = std::all_of(nodes.begin(), nodes.end(), [this](NodeId node) {
    return works_in_slots(graph_.node(node).kind);
  });
  std::optional<double> highest;
  for (const NodeId node : nodes) {
    if (const std::optional<double> here = of_node(node))
      highest = std::max(highest.value_or(0), *here);
    const auto held = held_.find(node);
    if (counts_slots && held != held_.end()) highest = std::max(highest.value_or(0), held->second);
  }
  return highest;
}

double Utilisation::highest() const {
  double highest = edges_.empty() ? 0 : *std::max_element(edges_.begin(), edges_.end());
  for (const auto& [node, share] : nodes_) highest = std::max(highest, share);
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
    highest = std::max(highest, of_nodes(block.nodes).value_or(0));
  for (const double top : {0.05, 0.1, 0.2, 0.5}) {
    if (highest <= top) return top;
  }
  return 1;
}

}  // namespace kernbench
