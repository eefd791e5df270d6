// OpLogRecorder: what `run --op-log F` writes, gathered while the machine runs: executed operations
// with their parameters; in SQLite also the progress of kernels, commands and messages, launches,
// servers and limits (op_log_schema.h).
#pragma once

#include <optional>
#include <vector>

#include "platform/events/op_log_file.h"
#include "platform/events/progress_log.h"
#include "platform/observe/bottleneck.h"
#include "platform/observe/op_parameters.h"
#include "platform/observe/statistics_regions.h"

namespace kernbench {

class OpLogRecorder {
 public:
  // Observes `platform`, which outlives it; `data` as in OpLogFile. Throws Error if SQLite cannot
  // use the file.
  OpLogRecorder(ResultFile file, FunctionalModel& data, Platform& platform, std::uint64_t limit);

  // Once, after the run. Throws Error if not everything is in the file.
  void close(std::vector<LaunchRow> launches, const Bottleneck& bottleneck,
             const StatisticsRegions& regions, const OpTable::Meta& meta);

 private:
  OpLogFile file_;
  OpParameters parameters_;
  std::optional<ProgressLog> progress_;  // of SQLite
};

}  // namespace kernbench
