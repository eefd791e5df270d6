// The components of a cube as implementations, "builtin.m_cpu" and so on.
#pragma once

#include "models/base/component_registry.h"

namespace kernbench {

void register_cube_components(ComponentRegistry& registry);

Implementation m_cpu_implementation();  // in the source of M_CPU

}  // namespace kernbench
