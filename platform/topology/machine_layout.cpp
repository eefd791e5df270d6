#include "platform/topology/machine_layout.h"

#include <array>
#include <cmath>
#include <set>

#include "models/protocol/pe_engine.h"
#include "platform/topology/diagram_blocks.h"
#include "platform/topology/diagram_layout.h"
#include "platform/topology/diagram_style.h"
#include "platform/topology/node_names.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

double rounded(double px) { return std::round(100 * px) / 100; }

Json json_of(const Box& box) {
  return {
      {"x", rounded(box.x)}, {"y", rounded(box.y)}, {"w", rounded(box.w)}, {"h", rounded(box.h)}};
}

Json json_of(const std::vector<Point>& points) {
  Json list = Json::array();
  for (const Point& point : points) list.push_back({rounded(point.x), rounded(point.y)});
  return list;
}

const char* name_of(BlockKind kind) {
  constexpr std::array<const char*, 8> names{"control",    "compute",      "memory",      "network",
                                             "die_to_die", "input_output", "translation", "module"};
  return names[static_cast<std::size_t>(kind)];
}

const char* name_of(LinkKind kind) {
  constexpr std::array<const char*, 10> names{"mesh",         "pe_port", "memory", "die_to_die",
                                              "input_output", "pcie",    "ual",    "internal",
                                              "module",       "control"};
  return names[static_cast<std::size_t>(kind)];
}

// Scope of a level that contains a node, "sip0.cube3"; empty: the whole system, or the node is in
// no such scope.
std::string scope_of(DiagramLevel level, const Node& node) {
  const Location& at = node.at;
  switch (level) {
    case DiagramLevel::sip:
      return at.sip < 0 ? "" : node_names::sip(at.sip);
    case DiagramLevel::cube:
      return at.cube < 0 ? "" : node_names::cube(at.sip, at.cube);
    case DiagramLevel::pe:
      return is_engine_of_pe(node.kind) ? node_names::pe(at.sip, at.cube, at.pe) : "";
    default:
      return "";
  }
}

class LevelLayout {
 public:
  LevelLayout(const Graph& graph, DiagramLevel level)
      : graph_(graph), level_(level), diagram_(make_diagram(graph, level)),
        layout_(diagram_picture(graph, diagram_).layout) {
    for (const Node& node : graph.nodes()) {
      const std::string scope = scope_of(level, node);
      if (!scope.empty()) scopes_.insert(scope);
    }
  }

  Json json() const {
    const Box& b = layout_.bounds;
    Json json{{"width", rounded(b.w)},         {"height", rounded(b.h)},  {"bounds", json_of(b)},
              {"area", json_of(layout_.area)}, {"blocks", Json::array()}, {"links", Json::array()},
              {"outlines", Json::array()},     {"guides", Json::array()}};
    for (std::size_t i = 0; i < diagram_.blocks.size(); ++i) json["blocks"].push_back(block(i));
    for (std::size_t i = 0; i < diagram_.links.size(); ++i) json["links"].push_back(link(i));
    for (const DiagramLayout::Outline& each : layout_.outlines) {
      Json outline = json_of(each.box);
      outline["label"] = each.label;
      json["outlines"].push_back(std::move(outline));
    }
    for (const std::vector<Point>& each : layout_.guides) json["guides"].push_back(json_of(each));
    return json;
  }

 private:
  // True for a block that the level above shows: the chiplets of a SIP, the router of a PE.
  bool is_reference(const Node& node) const {
    switch (level_) {
      case DiagramLevel::sip:
        return node.at.cube < 0;
      case DiagramLevel::pe:
        return !is_engine_of_pe(node.kind);
      default:
        return false;
    }
  }

  // Name of the scope one level below that a block represents, relative to this level's.
  std::string child_of(const DiagramBlock& block, const Node& node) const {
    const bool is_scope = (level_ == DiagramLevel::system && node.at.cube >= 0) ||
                          (level_ == DiagramLevel::sip && node.at.cube >= 0) ||
                          (level_ == DiagramLevel::cube && is_engine_of_pe(node.kind));
    return is_scope ? block.id : "";
  }

  std::string relative(const Node& node) const {
    const std::string scope = scope_of(level_, node);
    if (!scope.empty()) return node.name.substr(scope.size() + 1);
    return node.name;
  }
  // Relative to the scope of the other end too, whose name an edge out of a PE lacks.
  std::string relative(const Node& node, const Node& other) const {
    const std::string scope = scope_of(level_, node);
    return scope.empty() || scope != scope_of(level_, other) ? node.name : relative(node);
  }

  Json block(std::size_t index) const {
    const DiagramBlock& block = diagram_.blocks[index];
    const Node& first = graph_.node(block.nodes.front());
    const bool reference = is_reference(first);
    const std::string child = child_of(block, first);
    std::set<std::string, NaturalOrder> names;
    std::set<std::string> scopes;
    for (const NodeId id : block.nodes) {
      const Node& node = graph_.node(id);
      names.insert(relative(node));
      scopes.insert(scope_of(level_, node));
    }
    Json json{{"id", block.id}, {"label", block.label}, {"kind", name_of(block.kind)}};
    json.update(json_of(layout_.blocks[index]));
    json["name"] = names.count(block.id) != 0 || !child.empty() || is_chiplet(first)
                       ? block.id
                       : *names.begin();
    json["child"] = child.empty() ? Json(nullptr) : Json(child);
    json["nodes"] = Json::array();
    json["reference"] = reference;
    if (reference) return json;
    if (child.empty()) json["nodes"] = names;
    if (scopes.size() < scopes_.size()) json["only"] = scopes;
    return json;
  }
  bool is_chiplet(const Node& node) const { return node.at.io >= 0 && level_ <= DiagramLevel::sip; }

  Json ends_of(const std::vector<std::size_t>& edges) const {
    std::set<std::pair<std::string, std::string>> ends;
    for (const std::size_t index : edges) {
      const Edge& edge = graph_.edges()[index];
      const Node& src = graph_.node(edge.src);
      const Node& dst = graph_.node(edge.dst);
      ends.insert({relative(src, dst), relative(dst, src)});
    }
    return ends;
  }

  Json link(std::size_t index) const {
    const DiagramLink& link = diagram_.links[index];
    Json json{{"a", link.a},
              {"b", link.b},
              {"kind", name_of(link.kind)},
              {"points", json_of(layout_.links[index])}};
    // Ends outside of the scope differ between its instances: the level above names them.
    const auto outside = [&](std::size_t block) {
      return level_ == DiagramLevel::pe &&
             is_reference(graph_.node(diagram_.blocks[block].nodes.front()));
    };
    const bool named = !outside(link.a) && !outside(link.b);
    json["forward"] = named ? ends_of(link.forward) : Json::array();
    json["backward"] = named ? ends_of(link.backward) : Json::array();
    const bool limited = link.bw_gbs && !link.bw_gbs->is_zero();
    json["bw_gbs"] = limited ? Json(link.bw_gbs->to_double()) : Json(nullptr);
    json["distance_mm"] = link.distance_mm.to_double();
    json["width"] = rounded(width_of(link.bw_gbs));
    return json;
  }

  const Graph& graph_;
  const DiagramLevel level_;
  const Diagram diagram_;
  const DiagramLayout layout_;
  std::set<std::string> scopes_;  // instances of the level
};

}  // namespace

nlohmann::ordered_json machine_layout(const Graph& graph) {
  const MachineSpec& spec = graph.spec();
  Json json{{"sips", Json::array()}};
  for (int sip = 0; sip < spec.system.sips.count; ++sip)
    json["sips"].push_back(node_names::sip(sip));
  json["cubes"] = spec.sip.cubes();
  json["pes"] = spec.cube.pe_layout.pes();
  json["mesh"] = {{"w", spec.sip.mesh_w}, {"h", spec.sip.mesh_h}};
  for (const DiagramLevel level : diagram_levels)
    json["layouts"][std::string(name_of(level))] = LevelLayout(graph, level).json();
  return json;
}

}  // namespace kernbench
