// Summary of a run: launches, engines, operations, waits, messages that were waited for, and the
// critical path of the longest launch.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "platform/events/op_log_player.h"
#include "platform/inspect/operation_statistics.h"
#include "platform/inspect/pe_log.h"
#include "platform/observe/pe_times.h"
#include "platform/report/table.h"

namespace kernbench {

class LogSummary {
 public:
  explicit LogSummary(LogPlayer& log)
      : log_(log), statistics_(log.observation()), times_(log.observation()),
        logs_(log.observation()) {}
  void close() { logs_.close(log_.launches()); }  // after the last event

  // `most`: rows of operations and senders.
  std::string text(std::size_t most);
  nlohmann::ordered_json json(std::size_t most);
  // Launches in the order of issue: PEs, first start and last return of a kernel.
  Table launches() const;
  // What the threads of kernels were blocked on, together.
  Table waits() const;
  // Senders whose messages were waited for, the longest first; at most `most`.
  Table senders(std::size_t most);

 private:
  LogPlayer& log_;
  OperationStatistics statistics_;
  PeTimes times_;
  PeLogs logs_;
};

}  // namespace kernbench
