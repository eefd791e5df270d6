#include "platform/web/served_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "models/address/virtual_space.h"
#include "models/base/quote.h"
#include "platform/assembly/machine_modules.h"
#include "platform/config/nearest_name.h"
#include "platform/probe/route_report.h"
#include "platform/topology/build_graph.h"
#include "platform/topology/memory_ranges.h"
#include "platform/web/name_rank.h"
#include "platform/web/web_request.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

Json number_json(const Rational& value) {
  return value.is_integer() ? Json(value.to_int64()) : Json(value.to_double());
}

Json value_json(const ParameterValue& value) {
  if (const auto* number = std::get_if<Rational>(&value)) return number_json(*number);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  return std::get<std::string>(value);
}

Json attribute_json(const std::string& key, Json value, const std::string& unit,
                    const std::string& source) {
  return {{"key", key}, {"value", std::move(value)}, {"unit", unit}, {"source", source}};
}

bool is_numbered(std::string_view part, std::string_view word) {
  return part.size() > word.size() && part.compare(0, word.size(), word) == 0 &&
         part.find_first_not_of("0123456789", word.size()) == std::string_view::npos;
}

// "sip", "cube", "pe", "io" by the last part of a scope's name; "": it is no scope.
std::string_view role_of_scope(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
  for (const std::string_view word : {"sip", "cube", "pe", "io"})
    if (is_numbered(last, word)) return word;
  return dot != std::string_view::npos && name.substr(0, dot).find('.') == std::string_view::npos
             ? "io"
             : "";
}

using Values = std::map<std::string, Json>;

Values values_of(const Node& node) {
  Values values{{"impl", node.impl()}};
  for (const auto& [key, value] : node.attributes().values())
    values["attrs." + key] = value_json(value);
  return values;
}

Values values_of(const Edge& edge) {
  return {{"bw_gbs", gbs_json(edge.bw_gbs)}, {"distance_mm", number_json(edge.distance_mm)}};
}

// Innermost part of a name without its numbers: "pe_dma", "rc".
std::string kind_of_name(const std::string& name) {
  std::string kind = name.substr(name.rfind('.') + 1);
  kind.erase(std::remove_if(kind.begin(), kind.end(), [](char c) { return c >= '0' && c <= '9'; }),
             kind.end());
  return kind;
}

// Values that differ, equal changes of one kind of node or link together.
class Changes {
 public:
  explicit Changes(std::size_t most) : most_(most) {}

  void add(const std::string& name, const std::string& kind, const Values& a, const Values& b) {
    Values all = a;
    all.insert(b.begin(), b.end());
    for (const auto& [key, ignored] : all) {
      const auto in_a = a.find(key), in_b = b.find(key);
      const Json of_a = in_a == a.end() ? Json() : in_a->second;
      const Json of_b = in_b == b.end() ? Json() : in_b->second;
      if (of_a != of_b) add(name, kind, key, of_a, of_b);
    }
  }
  std::size_t count() const { return count_; }
  Json take() { return std::move(list_); }

 private:
  void add(const std::string& name, const std::string& kind, const std::string& key, const Json& a,
           const Json& b) {
    ++count_;
    const auto [group, is_new] = groups_.try_emplace({kind, key, a.dump(), b.dump()}, list_.size());
    if (is_new)
      list_.push_back({{"name", name},
                       {"key", key},
                       {"a", a},
                       {"b", b},
                       {"count", 0},
                       {"names", Json::array()}});
    Json& entry = list_[group->second];
    entry["count"] = entry["count"].get<std::size_t>() + 1;
    if (count_ <= most_) entry["names"].push_back(name);
  }

  std::size_t most_, count_ = 0;
  std::map<std::array<std::string, 4>, std::size_t> groups_;  // index in `list_`
  Json list_ = Json::array();
};

Json first_of(const std::vector<std::string>& names, std::size_t most) {
  return std::vector<std::string>(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size())));
}

}  // namespace

ServedMachine::ServedMachine(std::string title, std::string configuration, MachineSpec spec,
                             const ComponentRegistry& registry)
    : title_(std::move(title)), configuration_(std::move(configuration)), registry_(registry),
      graph_(build_graph(std::move(spec))), edges_(graph_), routes_(graph_, edges_),
      views_(graph_) {
  for (std::size_t i = 0; i < graph_.edges().size(); ++i)
    links_by_module_.emplace(module_of(graph_.edges()[i]), i);
  for (const Node& node : graph_.nodes()) {
    for (std::size_t dot = node.name.find('.'); dot != std::string::npos;
         dot = node.name.find('.', dot + 1)) {
      std::string scope = node.name.substr(0, dot);
      if (!role_of_scope(scope).empty() && !graph_.find(scope)) scopes_.push_back(std::move(scope));
    }
  }
  std::sort(scopes_.begin(), scopes_.end());
  scopes_.erase(std::unique(scopes_.begin(), scopes_.end()), scopes_.end());
}

Json ServedMachine::summary() const {
  const MachineSpec& spec = graph_.spec();
  const auto sips = static_cast<std::int64_t>(spec.system.sips.count);
  return {{"sips", sips},
          {"cubes", sips * spec.sip.cubes()},
          {"pes", sips * spec.sip.cubes() * spec.cube.pe_layout.pes()},
          {"nodes", graph_.nodes().size()},
          {"links", graph_.edges().size()}};
}

void ServedMachine::refuse(const std::string& name) const {
  std::vector<std::string> known = scopes_;
  for (const Node& node : graph_.nodes()) known.push_back(node.name);
  throw WebError(404, fmt::format("there is no node {} in this machine{}", quote(name),
                                  did_you_mean(name, known)));
}

NodeId ServedMachine::node_of(const std::string& name) const {
  const auto node = graph_.find(name);
  if (!node) refuse(name);
  return *node;
}

std::string ServedMachine::link_name(const Edge& edge) const {
  return graph_.node(edge.src).name + " > " + graph_.node(edge.dst).name;
}

const Edge* ServedMachine::find_link(const std::string& name) const {
  if (const std::size_t arrow = name.find(" > "); arrow != std::string::npos) {
    const auto src = graph_.find(name.substr(0, arrow)), dst = graph_.find(name.substr(arrow + 3));
    return src && dst ? graph_.find_edge(*src, *dst) : nullptr;
  }
  const auto found = links_by_module_.find(name);
  return found == links_by_module_.end() ? nullptr : &graph_.edges()[found->second];
}

std::string ServedMachine::module_of(const Edge& edge) const {
  const LinkName link =
      kernbench::link_name(graph_.node(edge.src).name, graph_.node(edge.dst).name);
  return link.scope.empty() ? link.leaf : std::string(link.scope) + '.' + link.leaf;
}

std::string ServedMachine::place_of(const std::string& name) const {
  if (graph_.find(name) || is_scope(name)) return name;
  const Edge* const link = find_link(name);
  return link == nullptr ? "" : link_name(*link);
}

bool ServedMachine::is_scope(const std::string& name) const {
  return std::binary_search(scopes_.begin(), scopes_.end(), name);
}

const MachineViews::Parts& ServedMachine::view(const std::string& scope) const {
  if (scope.empty()) return views_.parts(DiagramLevel::system, {});
  const auto level = static_cast<DiagramLevel>(1 + std::count(scope.begin(), scope.end(), '.'));
  return views_.parts(level, parse_diagram_scope(graph_, scope));
}

Json ServedMachine::place(const std::string& name) const {
  if (const auto node = graph_.find(name)) return node_json(*node);
  if (const Edge* link = find_link(name)) return link_json(*link);
  if (is_scope(name)) return scope_json(name, role_of_scope(name));
  refuse(name);
}

Json ServedMachine::node_json(NodeId id) const {
  const Node& node = graph_.node(id);
  const Implementation* const implementation = registry_.find(node.impl());
  Json attributes = Json::array();
  if (implementation != nullptr) {
    for (const Parameter& parameter : implementation->schema) {
      const auto value = node.attributes().values().find(parameter.name());
      if (value == node.attributes().values().end()) continue;
      Json attribute = attribute_json(parameter.name(), value_json(value->second), parameter.unit(),
                                      parameter.source());
      attribute["description"] = parameter.description();
      attributes.push_back(std::move(attribute));
    }
  }
  if (const auto range = memory_map_of(graph_).range_of(id)) {
    attributes.push_back(attribute_json("address", format_address(range->base), "", "spec 3.1"));
    attributes.push_back(attribute_json("size", range->nbytes, "B", "spec 3.1"));
  }
  attributes.push_back(attribute_json("x", number_json(node.x_mm), "mm", "spec 2.9"));
  attributes.push_back(attribute_json("y", number_json(node.y_mm), "mm", "spec 2.9"));
  Json links = Json::array();
  for (const Edge& edge : graph_.edges()) {
    if (edge.src != id && edge.dst != id) continue;
    const bool out = edge.src == id;
    links.push_back({{"name", link_name(edge)},
                     {"peer", graph_.node(out ? edge.dst : edge.src).name},
                     {"direction", out ? "out" : "in"},
                     {"bw_gbs", gbs_json(edge.bw_gbs)},
                     {"distance_mm", number_json(edge.distance_mm)},
                     {"kind", name_of(edge.kind)}});
  }
  return {{"name", node.name},
          {"type", "node"},
          {"role", name_of(node.kind)},
          {"implementation", node.impl()},
          {"description", implementation == nullptr ? "" : implementation->description},
          {"attributes", std::move(attributes)},
          {"links", std::move(links)}};
}

Json ServedMachine::link_json(const Edge& edge) const {
  const FabricEdges::Edge& fabric = edges_[static_cast<std::size_t>(&edge - graph_.edges().data())];
  Json attributes = Json::array();
  attributes.push_back(
      attribute_json("bandwidth", gbs_json(edge.bw_gbs), "GB/s", "configuration; null: unlimited"));
  attributes.push_back(
      attribute_json("length", number_json(edge.distance_mm), "mm", "configuration"));
  attributes.push_back(attribute_json("propagation", to_ns(fabric.propagation_fs), "ns",
                                      "length and system.ns_per_mm"));
  return {{"name", link_name(edge)},
          {"type", "link"},
          {"role", name_of(edge.kind)},
          {"implementation", nullptr},
          {"source", graph_.node(edge.src).name},
          {"target", graph_.node(edge.dst).name},
          {"attributes", std::move(attributes)},
          {"links", Json::array()}};
}

Json ServedMachine::scope_json(const std::string& name, std::string_view role) const {
  const auto [first, last] = graph_.with_prefix(name + '.');
  std::map<std::string_view, std::int64_t> roles;
  std::uint64_t hbm_bytes = 0;
  const MemoryMap memories = memory_map_of(graph_);
  for (NodeId id = first; id < last; ++id) {
    ++roles[name_of(graph_.node(id).kind)];
    if (graph_.node(id).kind != Role::hbm_ctrl) continue;
    if (const auto range = memories.range_of(id)) hbm_bytes += range->nbytes;
  }
  Json attributes = Json::array();
  attributes.push_back(attribute_json("nodes", last - first, "", "topology"));
  for (const auto& [of, count] : roles)
    attributes.push_back(attribute_json(std::string(of), count, "", "topology"));
  if (hbm_bytes > 0) attributes.push_back(attribute_json("HBM", hbm_bytes, "B", "spec 3.1"));
  return {{"name", name},
          {"type", "scope"},
          {"role", role},
          {"implementation", nullptr},
          {"attributes", std::move(attributes)},
          {"links", Json::array()}};
}

Json ServedMachine::search(const std::string& text, std::size_t most) const {
  struct Match {
    int rank;
    std::size_t parts;
    std::string_view name, role;
  };
  std::vector<Match> matches;
  const auto add = [&](const std::string& name, std::string_view role) {
    const int rank = search_rank(name, text);
    if (rank < no_rank)
      matches.push_back(
          {rank, static_cast<std::size_t>(std::count(name.begin(), name.end(), '.')), name, role});
  };
  for (const std::string& scope : scopes_) add(scope, role_of_scope(scope));
  for (const Node& node : graph_.nodes()) add(node.name, name_of(node.kind));
  // Outer places first; names of one length before longer ones, so that pe2 precedes pe10.
  const auto order = [](const Match& a, const Match& b) {
    return std::make_tuple(a.rank, a.parts, a.name.size(), a.name) <
           std::make_tuple(b.rank, b.parts, b.name.size(), b.name);
  };
  const std::size_t count = std::min(most, matches.size());
  std::partial_sort(matches.begin(), matches.begin() + static_cast<std::ptrdiff_t>(count),
                    matches.end(), order);
  Json found = Json::array();
  for (std::size_t i = 0; i < count; ++i)
    found.push_back({{"name", matches[i].name}, {"role", matches[i].role}});
  return found;
}

Json ServedMachine::route(const std::string& from, const std::string& to, std::uint64_t bytes) {
  const NodeId source = node_of(from), target = node_of(to);
  const std::lock_guard<std::mutex> lock(routes_mutex_);
  return route_report(graph_, routes_, source, target, bytes).json;
}

// "": `other` has it.
std::string ServedMachine::outermost_not_in(const ServedMachine& other,
                                            const std::string& name) const {
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
    std::string scope = name.substr(0, dot);
    if (is_scope(scope) && !other.has(scope)) return scope;
  }
  return other.has(name) ? "" : name;
}

std::vector<std::string> ServedMachine::not_in(const ServedMachine& other) const {
  std::set<std::string> places;
  for (const Node& node : graph_.nodes())
    if (std::string place = outermost_not_in(other, node.name); !place.empty())
      places.insert(std::move(place));
  std::vector<std::string> names(places.begin(), places.end());
  // Links of nodes that the other machine lacks are part of these nodes.
  for (const Edge& edge : graph_.edges()) {
    const auto src = other.graph_.find(graph_.node(edge.src).name);
    const auto dst = other.graph_.find(graph_.node(edge.dst).name);
    if (src && dst && other.graph_.find_edge(*src, *dst) == nullptr)
      names.push_back(link_name(edge));
  }
  return names;
}

Json ServedMachine::difference(const ServedMachine& other, std::size_t most) const {
  Changes changes(most);
  for (const Node& node : graph_.nodes())
    if (const auto in_other = other.graph_.find(node.name))
      changes.add(node.name, kind_of_name(node.name), values_of(node),
                  values_of(other.graph_.node(*in_other)));
  for (const Edge& edge : graph_.edges()) {
    const std::string &from = graph_.node(edge.src).name, &to = graph_.node(edge.dst).name;
    const auto src = other.graph_.find(from), dst = other.graph_.find(to);
    if (!src || !dst) continue;
    if (const Edge* const in_other = other.graph_.find_edge(*src, *dst))
      changes.add(link_name(edge), kind_of_name(from) + " > " + kind_of_name(to), values_of(edge),
                  values_of(*in_other));
  }
  const std::vector<std::string> only_a = not_in(other), only_b = other.not_in(*this);
  return {{"only_a", first_of(only_a, most)}, {"only_b", first_of(only_b, most)},
          {"changed", changes.take()},        {"only_a_count", only_a.size()},
          {"only_b_count", only_b.size()},    {"changed_count", changes.count()}};
}

}  // namespace kernbench
