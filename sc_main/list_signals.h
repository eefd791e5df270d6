// `kernbench list signals`.
#pragma once

#include <string>

#include "sc_main/list_format.h"
#include "sc_main/machine_options.h"

namespace kernbench {

// Prints the trace signals of a machine: by kind of component, or those that `glob` selects.
int list_signals(const MachineOptions& machine, const std::string& glob, ListFormat format);

}  // namespace kernbench
