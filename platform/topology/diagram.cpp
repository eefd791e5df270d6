#include "platform/topology/diagram.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <tuple>
#include <vector>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/nearest_name.h"
#include "platform/topology/diagram_blocks.h"
#include "platform/topology/graph.h"
#include "platform/topology/machine_message.h"
#include "platform/topology/node_names.h"

namespace kernbench {
namespace {

// Accumulated latency from `anchor` to every node, the distance of diagrams (ADR-0002, ADR-0005):
// propagation of the links and overhead_ns of the nodes entered, on the fastest path over edges
// that `admits` accepts; never_fs: not reached.
std::vector<Fs> latencies_from(const Graph& graph, NodeId anchor,
                               const std::function<bool(const Edge&)>& admits) {
  using Reached = std::pair<Fs, NodeId>;
  std::vector<Fs> latency(graph.nodes().size(), never_fs);
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> open;
  latency[anchor] = 0;
  open.push({0, anchor});
  while (!open.empty()) {
    const auto [so_far, node] = open.top();
    open.pop();
    if (so_far > latency[node]) continue;
    const auto [first, last] = graph.out_edges(node);
    for (std::size_t i = first; i < last; ++i) {
      const Edge& edge = graph.edges()[i];
      if (!admits(edge)) continue;
      const Fs propagation = ns_to_fs(edge.distance_mm * graph.spec().system.ns_per_mm);
      const Fs there = so_far + propagation + overhead_of(graph.node(edge.dst));
      if (there >= latency[edge.dst]) continue;
      latency[edge.dst] = there;
      open.push({there, edge.dst});
    }
  }
  return latency;
}

constexpr std::array<std::string_view, 4> level_names{"system", "sip", "cube", "pe"};

class DiagramMaker {
 public:
  DiagramMaker(const Graph& graph, DiagramLevel level, const DiagramScope& scope)
      : graph_(graph), level_(level), scope_(scope) {}

  Diagram make() {
    if (level_ < DiagramLevel::sip) scope_.sip = -1;
    if (level_ < DiagramLevel::cube) scope_.cube = -1;
    if (level_ < DiagramLevel::pe) scope_.pe = -1;
    for (NodeId node = 0; node < graph_.nodes().size(); ++node) {
      // The view of a PE contains only its own router, as the end of an edge.
      if (level_ == DiagramLevel::pe && graph_.node(node).kind == Role::router) continue;
      if (agree(instance_of(level_, graph_.node(node)), scope_)) add_node(node);
    }
    for (std::size_t edge = 0; edge < graph_.edges().size(); ++edge) add_edge(edge);
    Diagram diagram;
    diagram.level = level_;
    diagram.scope = scope_;
    for (auto& [id, block] : blocks_) {
      index_[id] = diagram.blocks.size();
      diagram.blocks.push_back(std::move(block));
    }
    diagram.links = links();
    add_distances(diagram);
    return diagram;
  }

 private:
  std::string id_of(NodeId node) const { return block_of(level_, graph_.node(node)); }

  void add_node(NodeId node) {
    const std::string id = id_of(node);
    if (id.empty()) return;
    DiagramBlock& block = blocks_[id];
    if (block.nodes.empty()) {
      block.id = id;
      block.label = label_of(level_, graph_.node(node), id);
      block.kind = kind_of(level_, graph_.node(node));
    }
    if (std::find(block.nodes.rbegin(), block.nodes.rend(), node) == block.nodes.rend())
      block.nodes.push_back(node);
  }

  // True if both ends are in one instance, and in the scope.
  bool joins(const Edge& edge) const {
    const Node& src = graph_.node(edge.src);
    const Node& dst = graph_.node(edge.dst);
    const DiagramScope a = instance_of(level_, src), b = instance_of(level_, dst);
    const bool both_routers = src.kind == Role::router && dst.kind == Role::router;
    if (level_ == DiagramLevel::pe && both_routers) return false;
    return agree(a, b) && agree(a, scope_) && agree(b, scope_);
  }

  void add_edge(std::size_t index) {
    const Edge& edge = graph_.edges()[index];
    if (!joins(edge)) return;
    const std::string src = id_of(edge.src), dst = id_of(edge.dst);
    if (src.empty() || dst.empty() || src == dst) return;
    add_node(edge.src);
    add_node(edge.dst);
    const NaturalOrder before;
    const bool forward = before(src, dst);
    const LinkKind kind = kind_of(graph_, edge);
    Collected& link = links_[{forward ? src : dst, forward ? dst : src, kind == LinkKind::ual}];
    (forward ? link.forward : link.backward).push_back(index);
    if (link.first == nullptr || kind < link.kind) {
      link.kind = kind;
      link.first = &edge;
    }
  }

  std::vector<DiagramLink> links() const {
    std::vector<DiagramLink> links;
    for (const auto& [ends, collected] : links_) {
      DiagramLink link;
      link.a = index_.at(std::get<0>(ends));
      link.b = index_.at(std::get<1>(ends));
      link.kind = collected.kind;
      link.forward = collected.forward;
      link.backward = collected.backward;
      link.bw_gbs = collected.first->bw_gbs;
      link.distance_mm = collected.first->distance_mm;
      links.push_back(std::move(link));
    }
    std::sort(links.begin(), links.end(), [](const DiagramLink& x, const DiagramLink& y) {
      return std::tie(x.a, x.b, x.kind) < std::tie(y.a, y.b, y.kind);
    });
    return links;
  }

  std::string anchor_name() const {
    const int sip = std::max(scope_.sip, 0), cube = std::max(scope_.cube, 0);
    switch (level_) {
      case DiagramLevel::cube:
        return node_names::engine(sip, cube, 0, "pe_dma");
      case DiagramLevel::pe:
        return node_names::engine(sip, cube, std::max(scope_.pe, 0), "pe_cpu");
      default:
        return node_names::io(sip, graph_.spec().sip.io_chiplets.front().id, "pcie_ep");
    }
  }

  void add_distances(Diagram& diagram) {
    const NodeId anchor = graph_.at(anchor_name());
    diagram.anchor = index_.at(id_of(anchor));
    const bool is_named = scope_.sip >= 0 || level_ == DiagramLevel::system;
    diagram.anchor_name =
        is_named ? graph_.node(anchor).name : diagram.blocks[diagram.anchor].label;
    const DiagramScope here = instance_of(level_, graph_.node(anchor));
    const auto in_view = [&](NodeId node) {
      return !id_of(node).empty() && agree(instance_of(level_, graph_.node(node)), here);
    };
    const std::vector<Fs> latencies = latencies_from(graph_, anchor, [&](const Edge& edge) {
      // Within a cube no path traverses a UCIe port (spec 2.7).
      const bool passes_ucie = graph_.node(edge.src).kind == Role::ucie_port;
      if (level_ == DiagramLevel::cube && (edge.kind == EdgeKind::command || passes_ucie))
        return false;
      return joins(edge) && in_view(edge.src) && in_view(edge.dst);
    });
    for (DiagramBlock& block : diagram.blocks) {
      Fs nearest = never_fs;
      for (const NodeId node : block.nodes) {
        // UCIe connections are part of their port.
        if (graph_.node(node).kind == Role::ucie_conn && level_ == DiagramLevel::cube) continue;
        nearest = std::min(nearest, latencies[node]);
      }
      if (nearest != never_fs) block.distance = nearest;
    }
  }

  struct Collected {
    LinkKind kind = LinkKind::control;
    const Edge* first = nullptr;  // first edge of this kind
    std::vector<std::size_t> forward, backward;
  };

  const Graph& graph_;
  const DiagramLevel level_;
  DiagramScope scope_;  // same depth as the level
  std::map<std::string, DiagramBlock, NaturalOrder> blocks_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::map<std::tuple<std::string, std::string, bool>, Collected> links_;
};

// --- Titles

// Name without quotes, which Mermaid and DOT reject in a text.
std::string file_of(const Graph& graph) {
  const std::string& path = graph.spec().source_path;
  std::string name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  std::replace(name.begin(), name.end(), '"', '\'');
  std::replace(name.begin(), name.end(), '\\', '/');
  return name;
}

std::string instance_text(const DiagramScope& scope) {
  if (scope.pe >= 0) return node_names::pe(scope.sip, scope.cube, scope.pe);
  if (scope.cube >= 0) return node_names::cube(scope.sip, scope.cube);
  return scope.sip >= 0 ? node_names::sip(scope.sip) : "";
}

std::string text_of(const SipsSpec& sips) {
  const std::string grid =
      sips.topology == SipTopology::ring_1d ? "" : fmt::format(" {} × {}", sips.w, sips.h);
  return fmt::format("{} SIP{}, {}{}", sips.count, sips.count == 1 ? "" : "s",
                     ChoiceNames<SipTopology>::all.at(static_cast<std::size_t>(sips.topology)),
                     grid);
}

void add_titles(const Graph& graph, Diagram& diagram) {
  const MachineSpec& spec = graph.spec();
  const std::string size = fmt::format("{} × {} mm", spec.cube.w_mm.str(), spec.cube.h_mm.str());
  const std::string cubes =
      spec.sip.cubes() == 1
          ? "one cube of " + size
          : fmt::format("{} × {} cubes of {}", spec.sip.mesh_w, spec.sip.mesh_h, size);
  constexpr std::array<const char*, 4> names{"System", "SIP", "Cube", "PE"};
  const std::string which = instance_text(diagram.scope);
  diagram.title = fmt::format("{} view{}{}{}", names.at(static_cast<std::size_t>(diagram.level)),
                              which.empty() ? "" : " of " + which,
                              file_of(graph).empty() ? "" : ": ", file_of(graph));
  switch (diagram.level) {
    case DiagramLevel::system:
      diagram.subtitle = fmt::format("{}; {} each", text_of(spec.system.sips), cubes);
      break;
    case DiagramLevel::sip:
      diagram.subtitle = fmt::format("{}; PEs per cube: {}", cubes, spec.cube.pe_layout.pes());
      break;
    case DiagramLevel::cube:
      diagram.subtitle = fmt::format(
          "{} × {} mm, {} PEs, {} routers, HBM of {} GiB in {} partitions", spec.cube.w_mm.str(),
          spec.cube.h_mm.str(), spec.cube.pe_layout.pes(), graph.mesh().routers(),
          spec.cube.memory_map.hbm_total_gb_per_cube, spec.cube.memory_map.hbm_slices_per_cube);
      break;
    case DiagramLevel::pe:
      diagram.subtitle = "nine engines behind one router; not to scale";
      break;
  }
}

}  // namespace

std::string_view name_of(DiagramLevel level) {
  return level_names[static_cast<std::size_t>(level)];
}

DiagramLevel parse_diagram_level(std::string_view name) {
  for (const DiagramLevel level : diagram_levels) {
    if (name == name_of(level)) return level;
  }
  throw UsageError(fmt::format("there is no view {}: allowed are system, sip, cube and pe",
                               quote(std::string(name))));
}

DiagramScope parse_diagram_scope(const Graph& graph, const std::string& name) {
  std::vector<std::string> known;
  const MachineSpec& spec = graph.spec();
  for (int sip = 0; sip < spec.system.sips.count; ++sip) {
    if (name == known.emplace_back(node_names::sip(sip))) return {sip, -1, -1};
    for (int cube = 0; cube < spec.sip.cubes(); ++cube) {
      if (name == known.emplace_back(node_names::cube(sip, cube))) return {sip, cube, -1};
      for (int pe = 0; pe < spec.cube.pe_layout.pes(); ++pe) {
        if (name == known.emplace_back(node_names::pe(sip, cube, pe))) return {sip, cube, pe};
      }
    }
  }
  throw UsageError(
      fmt::format("there is no SIP, cube or PE {} in this machine{}; allowed are names like sip0, "
                  "sip0.cube0 and sip0.cube0.pe0",
                  quote(name), did_you_mean(name, known)));
}

std::string_view label_of(LinkKind kind) {
  constexpr std::array<std::string_view, 10> labels{
      "router mesh",    "PE port",       "memory port",       "UCIe",           "IO chiplet",
      "PCIe to switch", "UAL to switch", "engines of the PE", "TLM-2.0 module", "control"};
  return labels[static_cast<std::size_t>(kind)];
}

const DiagramBlock* Diagram::find(std::string_view id) const {
  for (const DiagramBlock& block : blocks) {
    if (block.id == id) return &block;
  }
  return nullptr;
}

Diagram make_diagram(const Graph& graph, DiagramLevel level, const DiagramScope& scope) {
  Diagram diagram = DiagramMaker(graph, level, scope).make();
  add_titles(graph, diagram);
  return diagram;
}

}  // namespace kernbench
