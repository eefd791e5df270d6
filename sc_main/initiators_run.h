// `kernbench run` without a bench: runs the machine's plain TLM-2.0 initiators until all are idle.
#pragma once

#include "sc_main/command.h"
#include "sc_main/run_options.h"

namespace kernbench {

// Returns the exit status: 1 if an access has failed. UsageError for a machine without initiators.
int play_initiators(const RunOptions& options, const Invocation& invocation);

}  // namespace kernbench
