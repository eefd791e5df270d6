// Results in the report of a run: tables of the bench itself, verdicts on outputs and operations.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platform/output/result_file.h"
#include "sw/runtime/result_table.h"

namespace kernbench {

struct VerdictReport {
  std::string tensor;
  bool ok = false;
  std::string text;  // accuracy, or the failure
};

// Result of --verify-data=ops.
struct OperationsReport {
  std::string kinds;  // "12 gemm, 40 element-wise"
  std::uint64_t checked = 0, failed = 0;
  std::vector<std::string> failures;  // first of the failed operations
};

// Each table follows an empty line.
std::string results_text(const std::vector<ResultTable>& results);
nlohmann::ordered_json results_json(const std::vector<ResultTable>& results);

// `--results F`: writes the tables as CSV or JSON. UsageError unless the name ends in .csv or
// .json; a device or a pipe gets CSV.
void check_results_file(const std::string& path);
// CSV: one row per row of every table, with the table name first; one column per column of any
// table, empty in the others. JSON: as `results` of --json. Closes the file.
void write_results(ResultFile& file, const std::vector<ResultTable>& results);

// One line per output; outputs that differ only in numbers share one line.
std::string verdicts_text(const std::vector<VerdictReport>& verdicts);
nlohmann::ordered_json verdicts_json(const std::vector<VerdictReport>& verdicts);

std::string operations_text(const OperationsReport& operations);
nlohmann::ordered_json operations_json(const std::optional<OperationsReport>& operations);

}  // namespace kernbench
