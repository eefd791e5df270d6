// Estimation of the limits (limits.h) of a window of a run.
//
// The length of the window with twice as much of a resource follows from the dependences of
// operations (doubled_times.h); it is at least the busy time of any other server of kind `rate`.
// Contention is attributed to the servers of the fabric in proportion to their stall times.
#pragma once

#include <vector>

#include "platform/observe/limits.h"
#include "platform/observe/server_usage.h"

namespace kernbench {

// `use`: of the servers of `table` in the window. `saved`: time saved by twice as much of each
// resource, by dependences; `contention`: the resource that stands for stalls among them.
Limits limits_of(const ServerTable& table, const Resources& resources, const UsageWindow& use,
                 const std::vector<Fs>& saved, ResourceId contention);

}  // namespace kernbench
