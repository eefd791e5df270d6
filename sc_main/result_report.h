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
  std::string text;  // how far it agrees, or where it fails
};

// With --verify-data=ops.
struct OperationsReport {
  std::string kinds;  // "12 gemm, 40 element-wise"
  std::uint64_t checked = 0, failed = 0;
  std::vector<std::string> failures;  // the first of them
};

// Each behind an empty line.
std::string results_text(const std::vector<ResultTable>& results);
nlohmann::ordered_json results_json(const std::vector<ResultTable>& results);

// `--results F`: the tables as a file, CSV or JSON. UsageError unless the name ends in .csv or
// .json; a device or a pipe gets CSV.
void check_results_file(const std::string& path);
// CSV: a row for each row of every table, whose name comes first; a column for each column that one
// of them has, empty in the others. JSON: as `results` of --json. Closes the file.
void write_results(ResultFile& file, const std::vector<ResultTable>& results);

// A line for each output; outputs that differ in numbers only have one line together.
std::string verdicts_text(const std::vector<VerdictReport>& verdicts);
nlohmann::ordered_json verdicts_json(const std::vector<VerdictReport>& verdicts);

std::string operations_text(const OperationsReport& operations);
nlohmann::ordered_json operations_json(const std::optional<OperationsReport>& operations);

}  // namespace kernbench
