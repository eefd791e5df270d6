// Names of the shipped plans for the completion of `sweep`.
#pragma once

#include <string>

#include "platform/report/option_values.h"

namespace kernbench {

Candidates plan_candidates(const std::string& typed);

}  // namespace kernbench
