// Benches of the program, as the command line names them.
#pragma once

#include <string>
#include <vector>

#include "sc_main/catalogue.h"
#include "sc_main/completion.h"

namespace kernbench {

// Finds a bench by name or index; the UsageError for an unknown one suggests the nearest.
const Bench& find_bench(const BenchRegistry& benches, const std::string& name_or_index);

// Parses "NAME=VALUE" of --param. UsageError.
std::vector<GivenParameter> given_parameters(const std::vector<std::string>& texts);

// Completion of bench names, and of the parameters of the named bench for --param: "M=", or the
// choices of the parameter whose name has been typed.
Candidates bench_candidates(const Catalogue& catalogue);
Candidates parameter_candidates(const Catalogue& catalogue, const std::string& bench,
                                const std::string& typed);

// `kernbench list`: a table with a line per parameter, or JSON. Returns the exit status.
int list_benches(const Catalogue& catalogue, bool as_json);

}  // namespace kernbench
