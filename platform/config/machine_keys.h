// Keys of topology.yaml (spec 1.3), one row each: path, destination, kind, range, unit, default,
// meaning.
#pragma once

#include "platform/config/config_schema.h"
#include "platform/config/key_visitor.h"

namespace kernbench {

// Visits every key in file order.
void visit_keys(KeyVisitor& keys, MachineSpec& machine);

ConfigSchema machine_schema();

// Keys of the parameters that any component may request as facts of the machine.
std::vector<MachineFact> facts_of(const MachineSpec& machine);

}  // namespace kernbench
