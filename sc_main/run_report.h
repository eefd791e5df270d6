// Report of a run: tables for people, JSON for programs, the same numbers.
#pragma once

#include <cstdint>
#include <map>
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
  std::string bench;  // empty: none, the machine's plain TLM-2.0 initiators have been played
  std::vector<std::pair<std::string, std::string>> parameters;
  std::string topology, device;
  std::uint64_t seed = 0;
  std::string data;       // off, deferred, eager
  std::string computing;  // components that compute values, for which data are eager; empty: none
  RunResult result;
  Fs simulated = 0;
  double elaboration_s = 0;
  struct Phase2 {
    unsigned threads = 0;
    double evaluation_s = 0;    // in eager mode what was left at the end of the simulation
    double verification_s = 0;  // references and comparisons
  };
  std::optional<Phase2> phase2;  // if there was one
  struct DataMemory {            // spec 9
    std::uint64_t limit_bytes = 0;
    LiveValues::Totals totals;
    DataExecutor::Pauses pauses;
    bool is_told = false;  // the limit was given, or has made the simulation pause
  };
  std::optional<DataMemory> data_memory;  // with data
  std::vector<ResultTable> results;       // of the bench itself
  std::string failed_accesses;            // of plain TLM-2.0 initiators; empty: none has failed
  std::uint64_t data_races = 0;
  std::vector<Leak> leaks;          // of a run that came to its end
  std::optional<RaceReport> races;  // with --check-races
  bool ordered() const;             // nothing that --check-races finds has been found
  std::optional<std::vector<VerdictReport>>
      verdicts;  // with --verify-data, if the run came to its end

  std::optional<OperationsReport> operations;
  std::vector<FailedAssertion> failed_assertions;  // of kernels
  // Of a bench that counts wrong elements, where no verdicts are asked for.
  std::vector<std::string> wrong_results;
  // There are verdicts, and all are ok; no operation, no assertion failed; ordered().
  bool verified() const;
};

// Says on standard error what kernels have left behind, and which accesses nothing orders.
void report_order(const RunReport& report);
// Says on standard error which accesses of plain TLM-2.0 initiators have failed; false: none.
bool report_failed_accesses(const RunReport& report);
// Whether a run has gone as far as it was to.
bool ended_as_asked(const RunResult& result);
// To standard output, as tables or JSON; throws if the run has been interrupted for its memory.
void show_report(const RunReport& report, const RunStatistics& statistics, const Reports& reports,
                 bool json);
// Progress of a run that did not come to its end; empty for one that did.
std::string stopped_text(const RunResult& result, Fs simulated);

}  // namespace kernbench
