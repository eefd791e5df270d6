// TensorValue: contents of a handle: an image of bytes seen as a shaped, typed block, dense or
// strided (trans, broadcast_to).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/base/block_reference.h"
#include "models/base/dtype.h"
#include "models/data/byte_image.h"

namespace kernbench {

struct TensorValue {
  ByteImage image;
  Shape shape;
  DType dtype = DType::f32;
  std::vector<std::int64_t> strides;  // in elements, 0 repeats; empty = dense row-major

  bool dense() const { return strides.empty(); }
  bool known() const { return image.known(); }
  std::uint64_t nbytes() const {
    return static_cast<std::uint64_t>(shape.elements()) * size_of(dtype);
  }  // when dense
};

// Views: no bytes move. UsageError where the request does not fit the shape.
TensorValue transposed(const TensorValue& value);                        // rank 2: swaps the axes
TensorValue reshaped(const TensorValue& value, const Shape& shape);      // dense only
TensorValue broadcast_to(const TensorValue& value, const Shape& shape);  // numpy rule
TensorValue sliced(const TensorValue& value, std::int64_t begin,
                   std::int64_t end);  // rows [begin, end) of axis 0
// Every `step`-th of [begin, end) of an axis; step >= 1.
TensorValue sliced(const TensorValue& value, int axis, std::int64_t begin, std::int64_t end,
                   std::int64_t step);
TensorValue permuted(const TensorValue& value, const std::vector<int>& axes);  // axis i was axes[i]
TensorValue expanded(const TensorValue& value, int axis);    // a new axis of extent 1, there
TensorValue dropped(const TensorValue& value, int axis);     // removes an axis of extent 1
TensorValue bitcast(const TensorValue& value, DType dtype);  // dtype of the same size

std::vector<std::int64_t> row_major_strides(const Shape& shape);
std::vector<std::int64_t> strides_of(const TensorValue& value);  // in elements, also if dense
// Rows and columns: all axes but the last are rows.
std::pair<std::int64_t, std::int64_t> matrix_extents(const Shape& shape);
// Layout of its elements as a matrix whose rows are all axes except the last; irregular if they
// have no single pitch.
TensorLayout matrix_layout(const TensorValue& value);
// The block of the operand that has been bound as `value`.
TensorValue block_of(const TensorValue& value, const BlockReference& block);
// A dense copy of a known value's bytes, in row-major order. PendingDataError if a value in it is
// pending and `lookup` is empty.
std::vector<std::byte> dense_bytes(const TensorValue& value, const ValueLookup& lookup = {});

}  // namespace kernbench
