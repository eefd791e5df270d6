// Whether a built-in implementation can do what its node has to: a memory answers, a router passes on.
#pragma once

#include "models/base/component.h"
#include "platform/topology/graph.h"

namespace kernbench {

// Throws UsageError that names the node and the implementation. Implementations from elsewhere are trusted.
void check_place(const Node& node, const Component& component);

}  // namespace kernbench
