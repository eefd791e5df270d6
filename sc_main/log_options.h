// `--log COMPONENT=LEVEL`: what a run logs, on standard error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/assembly/report_guard.h"
#include "platform/observe/log_selection.h"
#include "sw/collectives/ccl_settings.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kernbench {

struct LogOptions {
  std::vector<std::string> texts;

  CLI::Option* add_to(CLI::App& command);
  std::vector<LogRequest> requests() const;  // UsageError
};

// "kernbench: debug: sip0.cube0.sram at 12 ns: ..." on standard error.
void print_report_line(const ReportLine& line);

// In force while it lives; does nothing without requests.
class RunLog {
 public:
  // `ranks`: what counts as a rank of collectives; none: there are no collectives.
  RunLog(const LogOptions& options, Platform& platform, std::optional<RankUnit> ranks);

 private:
  std::optional<LogSelection> selection_;
  std::optional<ReportGuard> reports_;
};

}  // namespace kernbench
