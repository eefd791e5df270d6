// `kernbench list statistics`.
#pragma once

#include "sc_main/command.h"

namespace CLI {
class App;
}

namespace kernbench {

// Below `list`: the statistics of a machine, by kind of component, and what --stats adds to them.
void add_list_statistics(CLI::App& list, Invocation& invocation);

}  // namespace kernbench
