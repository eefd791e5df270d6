// Figures of the Python system for collectives.
#include "sc_main/kernel_references.h"

namespace kernbench {

std::vector<ValidationCase> source_collective_cases() { return {}; }

}  // namespace kernbench
