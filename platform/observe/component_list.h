// The components of the elaborated machine, found by walking SystemC's tree of objects.
#pragma once

#include <vector>

#include "models/base/component.h"

namespace kernbench {

// Sorted by hierarchical name, outer scopes first (see scope_order).
std::vector<Component*> elaborated_components();

}  // namespace kernbench
