// Observers that a command puts on its run by its options, and the files that they write: --stats,
// --trace, --trace-requests, --timeline; --log.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/export/request_trace.h"
#include "platform/observe/statistics_file.h"
#include "sc_main/log_options.h"
#include "sc_main/timeline_option.h"
#include "sc_main/trace_options.h"

namespace kernbench {

struct ObserverOptions {
  TraceOptions trace;
  std::string trace_requests, stats;  // files; empty: none
  TimelineOption timeline;
  LogOptions log;

  void check() const;                      // UsageError
  std::vector<std::string> files() const;  // that are written; empty names: none
};

class RunObservers {
 public:
  // Scope of a waveform without --trace-scope where accesses are to be seen, not engines of PEs.
  static constexpr const char* whole_machine = "*.*";

  // Throws UsageError for globs, conditions and components that name nothing of the machine, before
  // a file is made. `default_scope` as in TraceScope, `ranks` as in RunLog; `configuration` for the
  // files beside the results.
  RunObservers(const ObserverOptions& options, Platform& platform, const std::string& configuration,
               const std::vector<std::string>& default_scope, std::optional<RankUnit> ranks);

  // Null: not asked for.
  StatisticsFile* statistics() { return statistics_ ? &*statistics_ : nullptr; }
  RequestTrace* requests() { return requests_ ? &*requests_ : nullptr; }
  Timeline* timeline() { return timeline_.get(); }

  // Between two slices of the simulation.
  void rest() { tracing_.rest(); }

  // After the run: all files but that of the statistics, which the command closes.
  void close(Fs end);

 private:
  const ObserverOptions& options_;
  Tracing tracing_;
  RunLog log_;
  std::optional<StatisticsFile> statistics_;
  std::optional<ResultFile> requests_file_;
  std::optional<RequestTrace> requests_;
  std::unique_ptr<Timeline> timeline_;
};

}  // namespace kernbench
