// From checked values to a MachineSpec, and the checks that need more than one key.
#pragma once

#include "platform/config/machine_faults.h"

namespace kernbench {

// Everything but the components; what is faulty or absent stays at its initial value.
MachineSpec read_machine(const ResolvedConfig& config);

// Contradictions between keys. A check is made where all its values are sound.
void check_machine(const MachineSpec& machine, MachineFaults& faults);

// Resolves the components: what the user gave, facts of the machine, defaults; reports what is
// still missing.
void resolve_components(MachineSpec& machine, MachineFaults& faults);

}  // namespace kernbench
