// Element-wise operations on index blocks, whose values are known at issue.
#pragma once

#include <cstdint>

#include "models/base/small_vector.h"
#include "models/data/data_op.h"
#include "sw/tl/index_block.h"

namespace kernbench::tl {

// A tensor operand; null: its values are not known.
struct IndexOperand {
  IndexValues values;
  Shape shape;
  DType dtype = DType::i32;
};

using IndexOperands = SmallVector<IndexOperand, 3>;

// The values of the result in row-major order; null: not known, no integers, or too many.
IndexValues index_result(const MathParams& params, const IndexOperands& operands,
                         const Shape& result, DType out_dtype);

}  // namespace kernbench::tl
