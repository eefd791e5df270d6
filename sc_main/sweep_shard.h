// Shards of a sweep on the command line and in names of files.
#pragma once

#include <string>

#include "platform/sweep/sweep_file.h"

namespace kernbench {

// "2/8"; "": the whole sweep. UsageError.
SweepShard shard_of(const std::string& text);

// File of a shard: "NAME.2of8.sqlite" next to NAME.sqlite; of the whole sweep the file itself.
std::string shard_path(const std::string& results, const SweepShard& shard);

}  // namespace kernbench
