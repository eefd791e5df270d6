// Index blocks: handles of integers whose values are known at issue, in every data mode, such as
// offsets, masks and rows of gathers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/base/small_vector.h"
#include "models/data/data_op.h"
#include "models/data/tensor_value.h"

namespace kernbench::tl {

using IndexValues = std::shared_ptr<const std::vector<std::int64_t>>;  // row-major; null: none
constexpr std::int64_t max_index_elements = 1 << 20;

// Null for floats, and for more elements than an index block holds.
IndexValues index_range(std::int64_t begin, std::int64_t end, DType dtype);
IndexValues index_full(const Shape& shape, double value, DType dtype);

// Conversion to a tensor and back: i32.
TensorValue tensor_of(const std::vector<std::int64_t>& index, const Shape& shape);
// Null for more elements than an index block holds.
IndexValues index_of(const TensorValue& tensor);

// Elements that a view of the block shows. `view`: TensorValue -> TensorValue.
template <class View>
IndexValues viewed(const IndexValues& index, const Shape& shape, View view) {
  return index == nullptr ? nullptr : index_of(view(tensor_of(*index, shape)));
}

// --- element-wise operations on index blocks ---

// Tensor operand; null: its values are not known.
struct IndexOperand {
  IndexValues values;
  Shape shape;
  DType dtype = DType::i32;
};

using IndexOperands = SmallVector<IndexOperand, 3>;

// Values of the result in row-major order; null: unknown values, no integers, or too many elements.
IndexValues index_result(const MathParams& params, const IndexOperands& operands,
                         const Shape& result, DType out_dtype);

}  // namespace kernbench::tl
