// `kernbench sweep PLAN --slurm`: shards of a sweep as tasks of a job array, followed to their end
// and merged.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sc_main/command.h"
#include "sc_main/sweep_result.h"

namespace CLI {
class App;
}

namespace kernbench {

struct SlurmOptions {
  std::string arguments;  // further arguments of sbatch
  std::uint64_t shards = 8;

  void add_to(CLI::App& command);
};

// Sweep that is distributed.
struct SlurmSweep {
  std::string plan_hash, results;
  std::uint64_t points = 0;
  // Command of a task, without its shard and result file; -j is added if it is absent.
  std::vector<std::string> task = {};
  bool has_jobs = false;
  // Writes the points that are done already into the file of a shard; may be empty.
  std::function<void(const SweepShard& shard, const std::string& path)> start_shard = {};
};

// Submits the shards with points that are not done, or follows the job that an earlier call has
// submitted; merges all shards once they are complete, and removes their files. An interrupt leaves
// the job alone. Returns the exit status; none: shards are not complete, so there is no result
// file. UsageError: Slurm is missing or refuses, a job of a different plan writes the same files.
std::optional<int> run_on_slurm(const SlurmSweep& sweep, const SlurmOptions& options,
                                const Invocation& invocation, SweepFormat format);

}  // namespace kernbench
