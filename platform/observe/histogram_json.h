// Histogram of times as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "models/base/histogram.h"

namespace kernbench {

// Of values in femtoseconds: {"count", "total_ns", "min_ns", "mean_ns", "p50_ns", "p90_ns",
// "p99_ns", "max_ns", "buckets": [[first ns, count], ...]}; percentiles within 6 %.
nlohmann::ordered_json histogram_json(const Histogram& histogram);

}  // namespace kernbench
