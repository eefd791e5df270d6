// Join of the result files of the shards of a sweep.
#pragma once

#include <string>
#include <vector>

#include "sc_main/command.h"
#include "sc_main/sweep_result.h"

namespace kernbench {

// Writes the file of the sweep without shards, and prints its summary. Returns the exit status: 1
// if a point has failed. UsageError: a shard is missing, repeated, foreign or not complete.
int merge_shards(const std::vector<std::string>& shards, const std::string& results,
                 const Invocation& invocation, SweepFormat format);

}  // namespace kernbench
