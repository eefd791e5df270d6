// Columns of a summary in JSON (docs/json.md): its scalars, each named by the path to it.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace kernbench {

using SummaryColumns = std::vector<std::pair<std::string, nlohmann::ordered_json>>;

// Members that name the rows of lists below a key of the summary, instead of the texts before the
// first number of a row.
using RowNames = std::map<std::string, std::vector<std::string>>;

// "simulated_ns", "links.pcie.bytes", "engines.pe_dma.dma_read.busy_ns": a row of a list is named
// by the texts that it begins with; rows of one name are numbered from the second on ("x.2"), those
// without a name from the first. Numbers and truth values become numbers. Null values and lists of
// more than 64 rows have no columns.
SummaryColumns columns_of(const nlohmann::ordered_json& summary, const RowNames& row_names = {});

}  // namespace kernbench
