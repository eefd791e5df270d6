// The pipelined order of a PE's steps in a collective: the kernel issues operations ahead of their
// use, so that loads, receives, sends and stores overlap (run_schedule.h).
//
// Receives keep the order of unroll(), and no send is later relative to them than in unroll(). A
// send does not block, and the messages of one direction do not wait for those of another.
// Therefore PEs that complete unroll() with blocking sends complete this order, too.
#pragma once

#include <vector>

#include "sw/collectives/schedule.h"

namespace kernbench {

struct PipelineShape {
  int blocks = 0;
  int chunks = 1;  // chunks of each block
  int window = 1;  // slots of a ring
  int depth = 1;   // receives announced ahead
  int span = 1;    // chunks per load; two loads are issued ahead
  // Blocks whose final place differs from the initial one: a PE that does not change such a block
  // copies it.
  std::vector<bool> moved;
  // Sections in sequence, of `chunks` chunks each: chunks are numbered across sections.
  int sections = 1;
};

inline int sends_ahead(const PipelineShape& shape) { return 2 * shape.window; }

// Adds `load`, the start of a load of up to `span` chunks from the named one, `expect`, the start
// of a receive, and the ends of values (MessageStep::last, passed_on). A send is issued as soon as
// its block is available, at most sends_ahead() sends ahead of its place in the schedule.
std::vector<MessageStep> pipeline(const Schedule& schedule, const PipelineShape& shape);

}  // namespace kernbench
