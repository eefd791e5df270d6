// run_schedule: carries out a schedule on the PE that runs the kernel.
//
// Pipelined (pipeline.h): chunks of blocks are loaded and messages received ahead of their use, and
// loads, receives, reductions, sends and stores go on beside one another. Otherwise one after the
// other: blocks come from memory when a step first needs them, a section at a time. Results go to
// memory chunk by chunk. What is received is combined by PE_MATH, in the element type of the data.
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

// One block of this PE: where it is at the start, and where it is to be at the end; in between it
// is in TCM. A block that only passes through has neither.
struct BlockPosition {
  std::int64_t elements = 0;
  std::optional<tl::Ptr> from, to;
};

struct ScheduleOptions {
  DType dtype = DType::f16;
  ReduceOp op = ReduceOp::sum;
  std::int64_t contributions = 1;   // of a reduction: what an average is divided by
  std::string directions;           // before the names of the schedule's directions
  int window = 4;                   // messages that sends run ahead, if the rings hold as many
  bool chunking = true;             // false: a block is one message, whatever its size
  bool pipelined = true;            // false: step by step, each send and receive to its end
  std::int64_t blocks_at_once = 0;  // that a PE has values of at a time, at most; 0: all
  std::uint64_t scratch_bytes = 0;
  // Out of place: results that belong into `input` go to the same place of `output`. Null: in
  // place.
  tl::TensorInfoPtr input, output;

  // An average divides floats before they are added and the sum of integers (reduce_op.h).
  bool divides_summands() const { return averages() && is_float(dtype); }
  bool divides_sum() const { return averages() && !is_float(dtype); }

 private:
  bool averages() const { return op == ReduceOp::avg && contributions > 1; }
};

// How it cuts `blocks` blocks of at most `largest` elements into messages.
MessageCut message_cut(std::int64_t largest, std::int64_t blocks, std::uint64_t slot_bytes,
                       const ScheduleOptions& options);

// `blocks` by number. UsageError: a message that is larger than a slot, a direction without a queue
// pair.
void run_schedule(tl::Program& tl, const Schedule& schedule,
                  const std::vector<BlockPosition>& blocks, const ScheduleOptions& options);

}  // namespace kernbench
