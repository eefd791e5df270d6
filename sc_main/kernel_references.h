// References of `kernbench validate` that need kernels, and so software and hardware together: MAC
// arrays and collectives.
#pragma once

#include <vector>

#include "platform/validate/validation_case.h"

namespace kernbench {

std::vector<ValidationCase> systolic_cases();    // group systolic
std::vector<ValidationCase> collective_cases();  // group collectives

// Those of platform/validate and these, in the order in which they are reported.
std::vector<ValidationCase> all_references();

}  // namespace kernbench
