// Conversion of checked values to a MachineSpec, and the checks that need more than one key.
#pragma once

#include "platform/config/machine_faults.h"

namespace kernbench {

// Everything but the components; faulty or absent values keep their initial value.
MachineSpec read_machine(const ResolvedConfig& config);

// Contradictions between keys. A check is made where all its values are sound.
void check_machine(const MachineSpec& machine, MachineFaults& faults);

// Resolves the components from the user's attributes, facts of the machine and defaults; reports
// what is still missing.
void resolve_components(MachineSpec& machine, MachineFaults& faults);

}  // namespace kernbench
