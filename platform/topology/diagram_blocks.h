// Mapping of nodes and edges to a view: block of a node, instance of the level that contains it,
// kinds and labels.
#pragma once

#include <string>
#include <string_view>

#include "platform/topology/diagram.h"

namespace kernbench {

// Byte order, except that numbers compare by value: cube2 before cube10.
struct NaturalOrder {
  bool operator()(std::string_view a, std::string_view b) const;
};

// Id of the block; empty: not in views of this level.
std::string block_of(DiagramLevel level, const Node& node);
BlockKind kind_of(DiagramLevel level, const Node& node);
std::string label_of(DiagramLevel level, const Node& node, const std::string& id);
LinkKind kind_of(const Graph& graph, const Edge& edge);

// Instance of the level that contains a node; all -1: in every one (the switch).
DiagramScope instance_of(DiagramLevel level, const Node& node);
// -1 matches everything.
inline bool agree(int a, int b) { return a < 0 || b < 0 || a == b; }
inline bool agree(const DiagramScope& a, const DiagramScope& b) {
  return agree(a.sip, b.sip) && agree(a.cube, b.cube) && agree(a.pe, b.pe);
}

}  // namespace kernbench
