// What the list `overrides` makes of single instances.
#pragma once

#include "models/base/component_registry.h"
#include "platform/config/machine_faults.h"

namespace kernbench {

// Fills in MachineSpec::instances. The machine is complete and sound but for `overrides`; what is
// wrong with these is added to the faults.
void apply_overrides(MachineSpec& machine, const ComponentRegistry& registry,
                     MachineFaults& faults);

}  // namespace kernbench
