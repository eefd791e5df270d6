// Summary of a run: launches, engines, operations, waits, messages that were waited for, and the
// critical path of the longest launch.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "platform/events/op_log_player.h"
#include "platform/inspect/operation_statistics.h"
#include "platform/inspect/pe_log.h"
#include "platform/observe/pe_times.h"
#include "platform/report/table.h"

namespace kernbench {

// What the threads of kernels were blocked on, together.
class KernelWaits final : private tlm::tlm_analysis_if<KernelWait> {
 public:
  explicit KernelWaits(Observation& observation) : waits_(observation.kernel_waits, *this) {}
  Table table() const;

 private:
  struct Sum {
    std::uint64_t count = 0;
    Fs total = 0, longest = 0, start = 0;  // of equal ones the earliest, ties by PE
    std::string pe;
  };
  void write(const KernelWait& wait) override;

  std::map<std::string, Sum> by_reason_;
  AnalysisBinding<KernelWait> waits_;
};

class LogSummary {
 public:
  explicit LogSummary(LogPlayer& log);
  void close() { logs_.close(log_.launches()); }  // after the last event

  // `most`: rows of operations and senders.
  std::string text(std::size_t most);
  nlohmann::ordered_json json(std::size_t most);
  // Launches in the order of issue: PEs, first start and last return of a kernel.
  Table launches() const;
  // Senders whose messages were waited for, the longest first; at most `most`.
  Table senders(std::size_t most);

 private:
  LogPlayer& log_;
  OperationStatistics statistics_;
  KernelWaits waits_;
  PeTimes times_;
  PeLogs logs_;
};

}  // namespace kernbench
