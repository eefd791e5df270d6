// Check of a plan of `sweep` before anything runs (spec 10.6).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platform/sweep/sweep_plan.h"
#include "sc_main/catalogue.h"

namespace kernbench {

// Faults of the plan that concern every point: options, benches, parameters and keys that do not
// exist, constants that are not accepted, axes of whose first values none is; "": none. `first`:
// values of the axes at the first point. `catalogue`: of all points; null: that of the first one.
std::string plan_faults(const SweepPlan& plan, const std::vector<std::string>& first,
                        std::shared_ptr<const Catalogue> catalogue);

}  // namespace kernbench
