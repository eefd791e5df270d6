// What nodes and edges are in a view: the block that a node is part of, the instance of the level
// in which it lies, kinds and labels.
#pragma once

#include <string>
#include <string_view>

#include "platform/topology/diagram.h"

namespace kernbench {

// Byte order, but for numbers, which go by value: cube2 before cube10.
struct NaturalOrder {
  bool operator()(std::string_view a, std::string_view b) const;
};

// The id of the block; empty: not in views of this level.
std::string block_of(DiagramLevel level, const Node& node);
BlockKind kind_of(DiagramLevel level, const Node& node);
std::string label_of(DiagramLevel level, const Node& node, const std::string& id);
LinkKind kind_of(const Graph& graph, const Edge& edge);

// The instance of the level in which a node lies; all -1: in every one (the switch).
DiagramScope instance_of(DiagramLevel level, const Node& node);
// What is -1 agrees with everything.
inline bool agree(int a, int b) { return a < 0 || b < 0 || a == b; }
inline bool agree(const DiagramScope& a, const DiagramScope& b) {
  return agree(a.sip, b.sip) && agree(a.cube, b.cube) && agree(a.pe, b.pe);
}

}  // namespace kernbench
