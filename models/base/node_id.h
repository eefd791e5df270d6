#pragma once

#include <cstdint>

namespace kernbench {

// Index of a node of the topology in byte order of the names, so that comparing ids compares names
// (tie rule, spec 2.3).
using NodeId = std::uint32_t;
inline constexpr NodeId no_node = ~NodeId{0};

}  // namespace kernbench
