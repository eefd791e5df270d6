// Selection of the log output of a run: `--log COMPONENT=LEVEL` (spec 10). Sets the levels of the
// logs of a machine, decides which reports of modules are shown, and observes flits and tile stages
// for the level `trace`.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/log.h"
#include "models/protocol/host_messages.h"
#include "models/protocol/observation.h"
#include "platform/assembly/platform.h"
#include "platform/assembly/report_guard.h"

namespace kernbench {

struct LogRequest {
  // Sends, receives and calls of collectives, of all PEs and the host.
  static constexpr const char* collectives = "ccl";

  std::string component;  // a pattern (scope_pattern.h), or `collectives`
  LogLevel level = LogLevel::info;

  bool is_of_collectives() const { return component == collectives; }
};
// "sip0.cube0.pe0=debug", or a component alone: info. Throws UsageError for a level that does not
// exist.
LogRequest parse_log_request(const std::string& text);

// Listener that writes "kernbench: debug: sip0.cube0.sram at 12 ns: ..." to standard error.
void print_report_line(const ReportLine& line);

// Later requests override earlier ones. Destruction ends all logging.
class LogSelection final : private tlm::tlm_analysis_if<NodeTraversal>,
                           private tlm::tlm_analysis_if<TraceEvent> {
 public:
  using NameOfRank = std::function<std::string(PeId)>;

  // Throws UsageError for a pattern that matches nothing, with the nearest name. `name_of_rank`:
  // name of the rank that works on a PE; none: collectives cannot be logged.
  LogSelection(std::vector<LogRequest> requests, Platform& platform,
               const NameOfRank& name_of_rank);
  ~LogSelection() override;
  LogSelection(const LogSelection&) = delete;
  LogSelection& operator=(const LogSelection&) = delete;

  // True for a report of a module at the level of its component, or at info if no request matches.
  bool shows(const ReportLine& line) const;

 private:
  // None: no request matches.
  std::optional<LogLevel> level_of_component(const std::string& name) const;
  void check(const std::vector<sc_core::sc_object*>& objects) const;
  void set_collectives(const NameOfRank& name_of_rank);
  void write(const NodeTraversal& traversal) override;
  void write(const TraceEvent& event) override;

  std::vector<LogRequest> requests_;
  Platform& platform_;
  std::vector<Log*> logs_;
  int verbosity_before_;
  std::vector<bool> traced_;  // by node
  std::optional<AnalysisBinding<NodeTraversal>> traversals_;
  std::optional<AnalysisBinding<TraceEvent>> events_;
};

}  // namespace kernbench
