// The machine of the figures that the Python system published, and checks of such figures.
#pragma once

#include <string>
#include <vector>

#include "platform/topology/load_machine.h"
#include "platform/validate/validation_case.h"

namespace kernbench {

// Overrides for every number of the default machine that these figures rest on, over a topology
// that users may edit.
std::vector<Override> our_machine();

// The same, where pe_dma takes no time of its own, as in the Python system (ADR-0014 D8).
std::vector<Override> source_machine();

// A quantity that is as published: `half_digit` is half a unit of the last digit of the figure.
ValidationCheck published_check(std::string quantity, std::string unit, double published,
                                double half_digit, double simulated);

// A quantity that differs from what was published: `formula` derives `expected`, `reason` explains
// the difference.
ValidationCheck differing_check(std::string quantity, std::string unit, double published,
                                std::string formula, double expected, std::string reason,
                                double simulated);

}  // namespace kernbench
