// The machine of the figures that the Python system published, and checks of such figures.
#pragma once

#include <string>
#include <vector>

#include "platform/topology/load_machine.h"
#include "platform/validate/validation_case.h"

namespace kernbench {

// Overrides for every number of the default machine that these figures rest on, over a topology
// that users may edit. `sips`: value of system.sips.
std::vector<Override> our_machine(const std::string& sips = "{count: 1, topology: ring_1d}");

// The same, where pe_dma takes no time of its own, as in the Python system (ADR-0014 D8), and wires
// take none: its figures of transfers in a SIP have no trace of a propagation delay.
std::vector<Override> source_machine();

std::vector<Override> with(std::vector<Override> machine, const std::vector<Override>& changes);

// A quantity that is as published: `half_digit` is half a unit of the last digit of the figure.
ValidationCheck published_check(std::string quantity, std::string unit, double published,
                                double half_digit, double simulated);

// A quantity that differs from the published figure: `formula` derives `expected`, `reason`
// explains the difference.
ValidationCheck differing_check(std::string quantity, std::string unit, double published,
                                std::string formula, double expected, std::string reason,
                                double simulated);

// The same, where `expected` is a bound and `reason` explains the deviation from it.
ValidationCheck bound_check(Relation relation, ValidationCheck check);

}  // namespace kernbench
