// Report of a run: tables for display, JSON for programs, with the same numbers.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/assembly/external_accesses.h"
#include "platform/assembly/run.h"
#include "platform/observe/leak_report.h"
#include "platform/observe/run_statistics.h"
#include "platform/phase2/data_executor.h"
#include "platform/report/report.h"
#include "sc_main/result_report.h"

namespace kernbench {

struct RunReport {
  std::string bench;  // empty: none, the machine's plain TLM-2.0 initiators ran
  std::vector<std::pair<std::string, std::string>> parameters;
  std::string topology, device;
  std::uint64_t seed = 0;
  std::string data;       // off, deferred, eager
  std::string computing;  // components that compute values and require eager data; empty: none
  RunResult result;
  Fs simulated = 0;
  double elaboration_s = 0;
  struct Phase2 {
    unsigned threads = 0;
    double evaluation_s = 0;    // in eager mode the remainder at the end of the simulation
    double verification_s = 0;  // references and comparisons
  };
  std::optional<Phase2> phase2;  // if there was a phase 2
  struct DataMemory {            // spec 9
    std::uint64_t limit_bytes = 0;
    LiveValues::Totals totals;
    DataExecutor::Pauses pauses;
    bool is_reported = false;  // the limit was set explicitly, or has paused the simulation
  };
  std::optional<DataMemory> data_memory;  // with data
  std::vector<ResultTable> results;       // tables of the bench
  std::string failed_accesses;  // failed accesses of plain TLM-2.0 initiators; empty: none
  std::uint64_t data_races = 0;
  std::vector<Leak> leaks;                             // only for a run that completed
  std::optional<RaceReport> races;                     // with --check-races
  bool ordered() const;                                // --check-races has no findings
  std::optional<std::vector<VerdictReport>> verdicts;  // with --verify-data, if the run completed

  std::optional<OperationsReport> operations;
  std::vector<FailedAssertion> failed_assertions;  // failed tl.device_assert calls of kernels
  // Set for a bench that counts wrong elements, if no verdicts are requested.
  std::vector<std::string> wrong_results;
  // True if there are verdicts, all verdicts are ok, no operation and no assertion has failed, and
  // ordered().
  bool verified() const;
};

// Prints to standard error the leaks of kernels, and accesses without an order.
void report_order(const RunReport& report);
// Prints to standard error the failed accesses of plain TLM-2.0 initiators; false: none.
bool report_failed_accesses(const RunReport& report);
// Whether a run has reached its requested end.
bool ended_as_asked(const RunResult& result);
// Summary that `run --json` prints.
nlohmann::ordered_json report_json(const RunReport& report, const RunStatistics& statistics,
                                   const Reports& reports);
// Prints to standard output, as tables or JSON; throws if the memory limit has interrupted the run.
void show_report(const RunReport& report, const RunStatistics& statistics, const Reports& reports,
                 bool json);
// Progress of a run that did not complete; empty for one that did.
std::string stopped_text(const RunResult& result, Fs simulated);

}  // namespace kernbench
