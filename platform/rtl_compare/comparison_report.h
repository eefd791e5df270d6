// Output of `rtl-compare`: a row per tile, message or access, the distribution of the ratios, what
// differs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "platform/rtl_compare/time_comparison.h"

namespace kernbench {

std::string comparison_text(const TimeComparison& comparison);
// Units in the key names.
nlohmann::ordered_json comparison_json(const TimeComparison& comparison);

}  // namespace kernbench
