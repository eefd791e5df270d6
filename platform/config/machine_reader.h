// Conversion of checked values to a MachineSpec, and the checks that need more than one key.
#pragma once

#include "platform/config/machine_faults.h"

namespace kernbench {

// Reads everything except the components; faulty or absent values keep their initial value.
MachineSpec read_machine(const ResolvedConfig& config);

// Checks for contradictions between keys. A check runs if all its values are valid.
void check_machine(const MachineSpec& machine, MachineFaults& faults);

// Resolves the components from the user's attributes, facts of the machine and defaults. Reports
// parameters that are still missing.
void resolve_components(MachineSpec& machine, MachineFaults& faults);

}  // namespace kernbench
