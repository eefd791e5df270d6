// Shipped plans of `sweep`, for the list and at a Tab.
#pragma once

#include <string>

#include "platform/report/option_values.h"

namespace kernbench {

Candidates plan_candidates(const std::string& typed);

}  // namespace kernbench
