// `--op-log F`: the operation log as a file.
#pragma once

#include <iosfwd>

#include "models/data/op_log.h"

namespace kernbench {

// CSV, one line per operation, nodes by their hierarchical names; the same bytes for the same run.
void write_op_log(std::ostream& out, const OpLog& log);

}  // namespace kernbench
