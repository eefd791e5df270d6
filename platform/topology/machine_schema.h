// The declared schema of topology.yaml (spec 1.3).
#pragma once

#include "platform/topology/config_schema.h"

namespace kernbench {

ConfigSchema machine_schema();

}  // namespace kernbench
