#include "platform/web/machine_views.h"

#include <algorithm>

#include "platform/topology/diagram_blocks.h"

namespace kernbench {
namespace {

bool is_complete(DiagramLevel level, const DiagramScope& scope) {
  return (level < DiagramLevel::sip || scope.sip >= 0) &&
         (level < DiagramLevel::cube || scope.cube >= 0) &&
         (level < DiagramLevel::pe || scope.pe >= 0);
}

DiagramScope joined(const DiagramScope& a, const DiagramScope& b) {
  return {std::max(a.sip, b.sip), std::max(a.cube, b.cube), std::max(a.pe, b.pe)};
}

void add(std::vector<NodeId>& nodes, NodeId node) {
  if (std::find(nodes.rbegin(), nodes.rend(), node) == nodes.rend()) nodes.push_back(node);
}

}  // namespace

MachineViews::View MachineViews::view_of(DiagramLevel level) const {
  const Diagram diagram = make_diagram(graph_, level);
  View view;
  const auto parts_of = [&](const DiagramScope& at) -> Parts& {
    Parts& parts = view[{at.sip, at.cube, at.pe}];
    parts.blocks.resize(diagram.blocks.size());
    parts.links.resize(diagram.links.size());
    return parts;
  };
  for (std::size_t i = 0; i < diagram.blocks.size(); ++i) {
    for (const NodeId node : diagram.blocks[i].nodes) {
      const DiagramScope at = instance_of(level, graph_.node(node));
      // Others, such as the router of a PE, are ends of its edges.
      if (is_complete(level, at)) parts_of(at).blocks[i].push_back(node);
    }
  }
  for (std::size_t i = 0; i < diagram.links.size(); ++i) {
    const DiagramLink& link = diagram.links[i];
    const auto add_edge = [&](std::size_t index, bool is_forward) {
      const Edge& edge = graph_.edges()[index];
      const DiagramScope at = joined(instance_of(level, graph_.node(edge.src)),
                                     instance_of(level, graph_.node(edge.dst)));
      if (!is_complete(level, at)) return;
      Parts& parts = parts_of(at);
      (is_forward ? parts.links[i].forward : parts.links[i].backward).push_back(index);
      add(parts.blocks[is_forward ? link.a : link.b], edge.src);
      add(parts.blocks[is_forward ? link.b : link.a], edge.dst);
    };
    for (const std::size_t index : link.forward) add_edge(index, true);
    for (const std::size_t index : link.backward) add_edge(index, false);
  }
  return view;
}

const MachineViews::Parts& MachineViews::parts(DiagramLevel level, const DiagramScope& scope) {
  static const Parts none;
  const std::lock_guard<std::mutex> lock(mutex_);
  View& view = views_[static_cast<std::size_t>(level)];
  if (view.empty()) view = view_of(level);
  const auto found = view.find({scope.sip, scope.cube, scope.pe});
  return found == view.end() ? none : found->second;
}

}  // namespace kernbench
