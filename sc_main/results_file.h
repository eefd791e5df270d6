// `--results F`: the tables of a bench as a file, CSV or JSON.
#pragma once

#include <string>
#include <vector>

#include "platform/report/result_file.h"
#include "sw/runtime/result_table.h"

namespace kernbench {

// UsageError unless the name ends in .csv or .json. A device or a pipe gets CSV.
void check_results_file(const std::string& path);

// CSV: a row for each row of every table, whose name comes first; a column for each column that one
// of them has, empty in the others. JSON: as `results` of --json. Closes the file.
void write_results(ResultFile& file, const std::vector<ResultTable>& results);

}  // namespace kernbench
