// Limits: gain of a run with twice as much of each resource, and the resource that limits it (spec
// 11.3). Estimated in `run` and `traffic`; `inspect` reads them from the operation log.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/base/units.h"
#include "platform/observe/server_usage.h"

namespace kernbench {

// Row of the table `limits` of an operation log.
struct ResourceLimit {
  std::string resource, key;  // resources.h
  std::string kind;           // "rate", "slot"
  std::string busiest;        // server
  Fs busy = 0;                // busy time of that server, mean of its places
  std::optional<Fs> stalled;  // stall time at all servers; none: unknown
  Fs twice = 0;               // length of the window with twice as much
  Fs at_least = 0;            // length with an unlimited resource
};

// Busy share above which a server of kind `rate` limits the run.
inline constexpr double saturated = 0.9;

struct Limits {
  Fs window = 0;
  // false: the run was stopped or has failed, or no kernel has ended; only busy times are known
  bool is_estimated = true;
  std::vector<ResourceLimit> rows;  // by gain, then by busy time
};

// Estimates the limits of a window. Its length with twice as much of a resource follows from the
// dependences of operations (doubled_times.h), and is at least the busy time of any other server of
// kind `rate`. Contention is attributed to the servers of the fabric in proportion to their stall
// times. `use`: use of the servers of `table` in the window. `saved`: time saved by twice as much
// of each resource, by dependences. `contention`: the resource that represents stalls in it.
Limits limits_of(const ServerTable& table, const Resources& resources, const UsageWindow& use,
                 const std::vector<Fs>& saved, ResourceId contention);

}  // namespace kernbench
