// Picture of a tensor cut by a DPPolicy: its elements, and the PEs that have them.
#pragma once

#include <string>
#include <vector>

#include "sw/tl/ptr.h"

namespace kernbench {

// SVG. The last two axes are rows and columns; each index of the axes before them has a rectangle
// of its own. `title`: the policy.
std::string placement_svg(const Shape& shape, const std::vector<tl::Block>& blocks,
                          const std::string& title);

}  // namespace kernbench
