#include "sc_main/slurm_job.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "models/base/errors.h"
#include "sc_main/command.h"

namespace kernbench {
namespace {

struct CommandResult {
  int status = 0;      // exit status of the shell: 127 for a missing program
  std::string output;  // standard output and error, without white space at the end
};

CommandResult run_command(const std::vector<std::string>& words) {
  CommandResult result;
  std::FILE* const pipe = ::popen((Invocation{words, {}}.line() + " 2>&1").c_str(), "re");
  if (pipe == nullptr)
    throw Error(fmt::format("cannot run {}: {}", words.front(), std::strerror(errno)));
  std::array<char, 4096> buffer;
  for (std::size_t n = 1; n > 0;) {
    n = std::fread(buffer.data(), 1, buffer.size(), pipe);
    result.output.append(buffer.data(), n);
  }
  const int status = ::pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  result.output.erase(result.output.find_last_not_of(" \n") + 1);
  return result;
}

constexpr int not_found = 127;

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, '|');) fields.push_back(field);
  return fields;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

bool SlurmTask::has_ended() const {
  constexpr std::array<const char*, 9> ended{"BOOT_FAIL", "CANCELLED",     "COMPLETED",
                                             "DEADLINE",  "FAILED",        "NODE_FAIL",
                                             "PREEMPTED", "OUT_OF_MEMORY", "TIMEOUT"};
  return std::find(ended.begin(), ended.end(), state) != ended.end();
}

std::string SlurmTask::end() const {
  if (state == "OUT_OF_MEMORY") return "out of memory (--mem of sbatch, -j)";
  if (state == "TIMEOUT") return "ended by its time limit (--time of sbatch)";
  if (state == "CANCELLED") return "cancelled";
  if (state == "NODE_FAIL") return "its node has failed";
  if (WIFSIGNALED(wait_status))
    return fmt::format("killed by signal {} ({})", WTERMSIG(wait_status),
                       ::strsignal(WTERMSIG(wait_status)));
  if (WEXITSTATUS(wait_status) != 0) return fmt::format("exit status {}", WEXITSTATUS(wait_status));
  return state.empty() ? "ended" : state;
}

std::string submit_job(const std::vector<std::string>& sbatch_words) {
  const CommandResult result = run_command(sbatch_words);
  if (result.status == not_found)
    throw UsageError(
        "--slurm: there is no sbatch on this host: run it on a host that submits jobs to Slurm; "
        "without Slurm, run each --shard I/N and then kernbench sweep merge");
  // "123", or "123;cluster", the last line of output with warnings.
  const std::string line = result.output.substr(result.output.rfind('\n') + 1);
  const std::string job = line.substr(0, line.find(';'));
  if (result.status != 0 || !is_number(job))
    throw UsageError(fmt::format("--slurm: sbatch has refused the job: {}",
                                 result.output.empty() ? "without a message" : result.output));
  return job;
}

std::optional<std::vector<SlurmTask>> tasks_of_job(const std::string& job, std::string& fault) {
  const CommandResult result =
      run_command({"squeue", "--noheader", "--array", "--states=all", "--jobs=" + job,
                   "--Format=ArrayTaskID:|,State:|,exit_code:|,Reason:|"});
  if (result.output.find("Invalid job id") != std::string::npos) return std::vector<SlurmTask>();
  if (result.status != 0) {
    fault = result.status == not_found ? "there is no squeue on this host" : result.output;
    return std::nullopt;
  }
  std::vector<SlurmTask> tasks;
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() < 3 || !is_number(fields[0]) || !is_number(fields[2])) continue;
    tasks.push_back({std::stoull(fields[0]), fields[1], fields.size() > 3 ? fields[3] : "",
                     std::stoi(fields[2])});
  }
  return tasks;
}

}  // namespace kernbench
