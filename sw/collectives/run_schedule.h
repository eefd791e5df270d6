// run_schedule: executes a schedule on the PE that runs the kernel.
//
// Pipelined (pipeline.h): chunks of blocks are loaded and messages received ahead of their use, and
// loads, receives, reductions, sends and stores overlap. Otherwise sequential: blocks are loaded
// from memory when a step first needs them, a section at a time. Results are stored chunk by chunk.
// PE_MATH combines received values, in the element type of the data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/collectives/message_cut.h"
#include "sw/collectives/reduce_op.h"
#include "sw/collectives/schedule.h"
#include "sw/tl/program.h"

namespace kernbench {

// Block of this PE: its place at the start and at the end; in between it is in TCM. A block that
// only passes through has neither.
struct BlockPosition {
  std::int64_t elements = 0;
  std::optional<tl::Ptr> from, to;
};

struct ScheduleOptions {
  DType dtype = DType::f16;
  ReduceOp op = ReduceOp::sum;
  std::int64_t contributions = 1;  // contributions to a reduction: divisor of an average
  std::string directions;          // prefix of the schedule's directions
  int window = 4;                  // messages that sends may run ahead, limited by the ring slots
  bool chunking = true;            // false: a block is one message of any size
  bool pipelined = true;           // false: sequential, each send and receive blocks
  // Upper bound of the blocks whose values a PE holds at a time; 0: all.
  std::int64_t blocks_at_once = 0;
  std::uint64_t scratch_bytes = 0;
  // Out of place: results for `input` are stored at the same place of `output`. Null: in place.
  tl::TensorInfoPtr input, output;

  // An average divides floats before the addition, and the sum of integers (reduce_op.h).
  bool divides_summands() const { return averages() && is_float(dtype); }
  bool divides_sum() const { return averages() && !is_float(dtype); }

 private:
  bool averages() const { return op == ReduceOp::avg && contributions > 1; }
};

// Cut of `blocks` blocks of at most `largest` elements into messages.
MessageCut message_cut(std::int64_t largest, std::int64_t blocks, std::uint64_t slot_bytes,
                       const ScheduleOptions& options);

// `blocks` are indexed by number. UsageError: a message that is larger than a slot, a direction
// without a queue pair.
void run_schedule(tl::Program& tl, const Schedule& schedule,
                  const std::vector<BlockPosition>& blocks, const ScheduleOptions& options);

}  // namespace kernbench
