// Element-wise operations on index blocks, whose values are known at issue.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/data/data_op.h"

namespace kernbench::tl {

inline constexpr std::int64_t largest_index_block = 1 << 20;  // elements

// A tensor operand; null: its values are not known.
struct IndexOperand {
  std::shared_ptr<const std::vector<std::int64_t>> values;
  Shape shape;
  DType dtype = DType::i32;
};

// The values of the result, `out`, in row-major order; null: not known, or no integers, or too
// many.
std::shared_ptr<const std::vector<std::int64_t>> index_result(
    const MathParams& params, const std::vector<IndexOperand>& operands, const Shape& out,
    DType out_dtype);

}  // namespace kernbench::tl
