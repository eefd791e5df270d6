// The pipelined order of a PE's steps in a collective: what the kernel asks for ahead of its use,
// so that loads, receives, sends and stores go on beside one another (run_schedule.h).
//
// Receives are taken in the order of unroll(), and no send comes later in relation to them than
// there. A send does not block, and the messages of one direction do not wait for those of another.
// So PEs that carry out unroll() with sends that block reach their end in this order, too.
#pragma once

#include <vector>

#include "sw/collectives/schedule.h"

namespace kernbench {

struct PipelineShape {
  int blocks = 0;
  int chunks = 1;  // of each block
  int window = 1;  // slots of a ring
  int depth = 1;   // receives that are announced ahead
  int span = 1;    // chunks of a load; two loads are begun ahead
  // Blocks whose place at the end is another one than at the start: a PE that does not change one
  // copies it.
  std::vector<bool> moved;
  int sections = 1;  // one behind the other, of `chunks` each: chunks are numbered through them
};

inline int sends_ahead(const PipelineShape& shape) { return 2 * shape.window; }

// With `load`, the beginning of a load of up to `span` chunks from the one that it names, `expect`,
// that of a receive, and the ends of values (MessageStep::last, passed_on). A send goes as soon as
// its block is there, at most sends_ahead() of them ahead of their places in the schedule.
std::vector<MessageStep> pipeline(const Schedule& schedule, const PipelineShape& shape);

}  // namespace kernbench
