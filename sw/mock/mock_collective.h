// A collective on a MockRuntime: its algorithm's graph and kernels, on ranks that are SIPs.
//
//   std::vector<CollectiveCall> calls(2);
//   calls[0].inputs = {x0};  // a tensor on PEs of SIP 0
//   calls[1].inputs = {x1};
//   run_collective(mock, algorithm, calls, {{"centre", "1"}});
#pragma once

#include <vector>

#include "sw/collectives/algorithm.h"
#include "sw/mock/mock_runtime.h"

namespace kernbench {

// Call r is that of rank r, one for each SIP. The caller sets inputs, outputs, reduce_op and root;
// the rest follows from the algorithm, `grid` (default: a ring of all SIPs) and `changes`: keys of
// ccl.yaml and of the algorithm. UsageError as on a machine; MockError.
MockReport run_collective(MockRuntime& mock, const CollectiveAlgorithm& algorithm,
                          std::vector<CollectiveCall> calls, const CclChanges& changes = {},
                          graphs::SipGrid grid = {});

// All-reduce of one tensor per SIP, in place.
MockReport run_all_reduce(MockRuntime& mock, const CollectiveAlgorithm& algorithm,
                          const std::vector<tl::TensorInfoPtr>& tensors,
                          ReduceOp op = ReduceOp::sum, const CclChanges& changes = {},
                          graphs::SipGrid grid = {});

}  // namespace kernbench
