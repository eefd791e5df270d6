// Parameters that every block in RTL has; a member of its Parameters.
#pragma once

#include <cstdint>

#include "models/base/parameter_set.h"

namespace kernbench {

struct BlockParameters {
  explicit BlockParameters(ParameterSet& set);
  Param<Fs> clock_period;
  Param<std::uint64_t> reset_cycles, watchdog_cycles;
  Param<bool> check_unknown, trace_inside, coverage;
};

}  // namespace kernbench
