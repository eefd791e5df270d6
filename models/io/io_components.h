// The components of an IO chiplet as implementations, "builtin.io_cpu" and so on.
#pragma once

#include "models/base/component_registry.h"

namespace kernbench {

void register_io_components(ComponentRegistry& registry);

Implementation io_cpu_implementation();  // in the source of IO_CPU

}  // namespace kernbench
