// Tornado table of a sensitivity sweep (spec 10.6): a row per key, or per choice of a key, the one
// with the largest effect first.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/output/table.h"
#include "platform/sweep/sensitivity.h"

namespace kernbench {

struct VariationResult {
  std::optional<double> value;  // none: the point has failed, or the column is empty
  std::string message;          // why there is none
};

// Column of the results as measured at each point, by the value of the axis `variation`. Points
// that have not run are absent. UsageError: the file has no such column, or it has texts.
std::map<std::string, VariationResult> variation_results(const std::string& path,
                                                         const std::string& column);

// Elasticity: relative change of the result over that of the key, log(high / low) of both. The
// effect of a row is its largest change in relation to the base. Keys without variations have no
// row. Throws Error: the base point has no result, or it is 0.
Table sensitivity_table(const std::vector<VariedKey>& keys, const std::string& column,
                        const std::map<std::string, VariationResult>& results);

}  // namespace kernbench
