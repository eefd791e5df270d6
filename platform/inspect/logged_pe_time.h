// Where the time of kernels on their PEs went, by the rows of an operation log: the numbers that
// `run` has printed (platform/observe/pe_time.h).
#pragma once

#include <vector>

#include "platform/inspect/op_log_reader.h"
#include "platform/observe/pe_time.h"

namespace kernbench {

// Kernels in the order of their first answers. The log has_pe_time().
std::vector<KernelPeTime> pe_time_of(const OpLogReader& log);

}  // namespace kernbench
