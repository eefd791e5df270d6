// run_schedule: carries out a schedule on the PE that runs the kernel.
//
// Blocks come from memory when a step first needs them, a section at a time; results go to memory
// chunk by chunk. What is received is combined by PE_MATH, in the element type of the data.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

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
  int window = 4;                   // slots of a ring
  bool chunking = true;             // false: a block is one message, whatever its size
  std::uint64_t section_bytes = 0;  // of the scratch, for all blocks
  // Out of place: results that belong into `input` go to the same place of `output`. Null: in
  // place.
  tl::TensorInfoPtr input, output;
};

// `blocks` by number. UsageError: a message that is larger than a slot, a direction without a queue
// pair.
void run_schedule(tl::Program& tl, const Schedule& schedule,
                  const std::vector<BlockPosition>& blocks, const ScheduleOptions& options);

}  // namespace kernbench
