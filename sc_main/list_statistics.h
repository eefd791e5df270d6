// `kernbench list statistics`.
#pragma once

#include <CLI/CLI.hpp>

#include "sc_main/command.h"

namespace kernbench {

// Below `list`: the statistics of a machine, by kind of component, and what --stats adds to them.
void add_list_statistics(CLI::App& list, Invocation& invocation);

}  // namespace kernbench
