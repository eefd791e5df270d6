// What the collectives of a run took, as a table of results (spec 7).
#pragma once

#include <memory>
#include <vector>

#include "sw/distributed/collective_record.h"
#include "sw/runtime/result_table.h"

namespace kernbench {

// One row for each that has ended on all ranks: op, algorithm, reduction, dtype, ranks, bytes,
// time_ns, algorithm_gbs, bus_gbs.
ResultTable collective_table(const std::vector<std::shared_ptr<const CollectiveRecord>>& records);

}  // namespace kernbench
