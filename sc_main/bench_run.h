// Run of a bench without output, for a command that runs many.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "platform/sweep/summary_columns.h"
#include "sc_main/catalogue.h"
#include "sc_main/command.h"
#include "sc_main/run_metadata.h"
#include "sc_main/run_options.h"

namespace kernbench {

struct BenchSummary {
  int status = exit_failed;     // exit status of `run`
  nlohmann::ordered_json json;  // as `run --json` prints it
  RowNames row_names;           // declared by the reports
  NamesAndTexts parameters;     // resolved parameters of the bench
  NamesAndTexts ccl;            // settings of the collectives, by key, defaults included
  // Simulated configuration with every default resolved: bench, parameters, options, collectives
  // and plug-ins as comments, then the machine as a topology.yaml. `hash`: its hash.
  std::string configuration, hash;
};

// Runs the bench as `run` does, with the same messages on standard error, and throws what `run`
// reports as an error. `catalogue`: the one that the options select, if it has been loaded, else
// null. `threads`: of phase 2.
BenchSummary run_bench(const RunOptions& options, const Invocation& invocation,
                       std::shared_ptr<const Catalogue> catalogue, unsigned threads);

}  // namespace kernbench
