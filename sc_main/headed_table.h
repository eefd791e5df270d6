// A result table with headings of several lines, in the form of nccl-tests: lines that are no rows
// begin with '#'.
#pragma once

#include <string>
#include <vector>

#include "sw/runtime/result_table.h"

namespace kernbench {

// `rows` are the cells as text. Lines are indented by two blanks.
std::string headed_text(const ResultTable& table,
                        const std::vector<std::vector<std::string>>& rows);
// Its summaries, a line each; empty without any.
std::string summaries_text(const ResultTable& table, const std::vector<std::string>& values);

}  // namespace kernbench
