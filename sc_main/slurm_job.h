// Job array of Slurm, through its commands sbatch and squeue.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kernbench {

struct SlurmTask {
  std::uint64_t index = 0;    // index in the array
  std::string state, reason;  // "RUNNING", "FAILED"; reason of a pending task
  int wait_status = 0;        // status of the process as wait() returns it

  bool is_pending() const { return state == "PENDING"; }
  bool has_ended() const;
  // "out of memory", "killed by signal 9 (Killed)", "exit status 3".
  std::string end() const;
};

// Number of the job. UsageError with the message of sbatch: it is not installed, or refuses.
std::string submit_job(const std::vector<std::string>& sbatch_words);

// Tasks of a job array that Slurm still knows: those that have ended are forgotten after some
// minutes. None: Slurm does not answer, for the reason in `fault`.
std::optional<std::vector<SlurmTask>> tasks_of_job(const std::string& job, std::string& fault);

}  // namespace kernbench
