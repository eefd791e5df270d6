// The benches of the program, as the command line names them.
#pragma once

#include <string>
#include <vector>

#include "sc_main/catalogue.h"
#include "sc_main/completion.h"

namespace kernbench {

// By name or index; a UsageError for an unknown one suggests the nearest.
const Bench& find_bench(const BenchRegistry& benches, const std::string& name_or_index);

// "NAME=VALUE" as given with --param. UsageError.
std::vector<GivenParameter> given_parameters(const std::vector<std::string>& texts);

// Names of benches, and of the parameters of the bench that is named, as --param has them: "M=", or
// the choices of the one whose name has been typed.
Candidates bench_candidates(const Catalogue& catalogue);
Candidates parameter_candidates(const Catalogue& catalogue, const std::string& bench,
                                const std::string& typed);

// `kernbench list`: a table with a line per parameter, or JSON. Returns the exit status.
int list_benches(const Catalogue& catalogue, bool as_json);

}  // namespace kernbench
