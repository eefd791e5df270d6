// Bandwidths of a collective as nccl-tests define them (doc/PERFORMANCE.md there): the algorithm
// bandwidth is size / time; the bus bandwidth is that times a factor by which it can be compared
// with the bandwidth of the links, whatever the number of ranks.
#pragma once

#include <cstdint>

#include "models/base/units.h"
#include "sw/collectives/collective_call.h"

namespace kernbench {

// Of n ranks: all_reduce 2 (n - 1) / n; all_gather, reduce_scatter, all_to_all, gather, scatter (n
// - 1) / n; the others 1.
Rational bus_factor(CollectiveOp op, int ranks);

// GB/s = bytes/ns; 0 for no time.
double algorithm_bandwidth_gbs(std::uint64_t nbytes, Fs time);
double bus_bandwidth_gbs(CollectiveOp op, int ranks, std::uint64_t nbytes, Fs time);

}  // namespace kernbench
