#include "models/data/tensor_value.h"

#include <fmt/format.h>

#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "models/base/errors.h"
#include "models/data/shape_rules.h"

namespace kernbench {
namespace {

// Returns empty strides if the elements are in row-major order; the stride of an extent of 1 does
// not matter.
TensorValue normalized(TensorValue value) {
  const std::vector<std::int64_t> dense = row_major_strides(value.shape);
  for (std::size_t axis = 0; axis < value.shape.rank(); ++axis) {
    if (value.shape[axis] != 1 && value.strides[axis] != dense[axis]) return value;
  }
  value.strides.clear();
  value.image = value.image.slice(0, value.nbytes());
  return value;
}

// Copies the elements below `axis`, in order; returns the position after the last one.
std::byte* gather(const TensorValue& value, const std::vector<std::int64_t>& strides,
                  std::size_t axis, const std::byte* from, std::byte* to) {
  const std::uint64_t size = size_of(value.dtype);
  if (axis == value.shape.rank()) {
    std::memcpy(to, from, size);
    return to + size;
  }
  const std::int64_t extent = value.shape[axis];
  if (axis + 1 == value.shape.rank() && (strides[axis] == 1 || extent == 1)) {
    std::memcpy(to, from, size * static_cast<std::uint64_t>(extent));
    return to + size * static_cast<std::uint64_t>(extent);
  }
  for (std::int64_t i = 0; i < extent; ++i) {
    to = gather(value, strides, axis + 1,
                from + i * strides[axis] * static_cast<std::int64_t>(size), to);
  }
  return to;
}

}  // namespace

std::vector<std::int64_t> row_major_strides(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.rank());
  std::int64_t stride = 1;
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

std::vector<std::int64_t> strides_of(const TensorValue& value) {
  return value.dense() ? row_major_strides(value.shape) : value.strides;
}

std::pair<std::int64_t, std::int64_t> matrix_extents(const Shape& shape) {
  const std::int64_t columns = shape.rank() == 0 ? 1 : shape[shape.rank() - 1];
  return {shape.elements() / columns, columns};
}

TensorLayout matrix_layout(const TensorValue& value) {
  const std::size_t rank = value.shape.rank();
  if (rank == 0 || value.dense()) {
    const auto [rows, columns] = matrix_extents(value.shape);
    return TensorLayout::dense(rows, columns, value.dtype);
  }
  const auto size = static_cast<std::int64_t>(size_of(value.dtype));
  const std::vector<std::int64_t>& strides = value.strides;
  std::int64_t rows = 1,
               pitch = 0;  // rows and pitch of the axes so far, from the last but one outwards
  for (std::size_t axis = rank - 1; axis-- > 0;) {
    if (value.shape[axis] == 1) continue;
    if (rows == 1) {
      pitch = strides[axis];
    } else if (strides[axis] != rows * pitch) {
      return {};
    }
    rows *= value.shape[axis];
  }
  const std::int64_t columns = value.shape[rank - 1];
  if (rows == 1) pitch = columns * strides[rank - 1];
  return {rows, columns, pitch * size, strides[rank - 1] * size};
}

TensorValue block_of(const TensorValue& value, const BlockReference& block) {
  TensorLayout at = block.layout;
  if (!block.pinned) {  // bound packed, whatever its pitch in memory
    const TensorLayout packed = matrix_layout(value);
    at.row_stride = packed.row_stride;
    at.column_stride = packed.column_stride;
    if (!packed.regular()) at.rows = 0;
  }
  if (!at.regular())
    throw UsageError(fmt::format("a block of {} {}, whose rows do not lie at one pitch",
                                 name_of(value.dtype), value.shape.str()));
  const auto size = static_cast<std::int64_t>(size_of(value.dtype));
  const std::uint64_t bytes =
      static_cast<std::uint64_t>(at.offset(at.rows - 1, at.columns - 1) + size);
  const auto offset = static_cast<std::uint64_t>(at.offset(block.row, block.column));
  return normalized({value.image.slice(offset, bytes),
                     Shape({at.rows, at.columns}),
                     value.dtype,
                     {at.row_stride / size, at.column_stride / size}});
}

TensorValue transposed(const TensorValue& value) {
  const auto rank = static_cast<int>(value.shape.rank());
  if (rank < 2) throw UsageError(fmt::format("trans of {}: needs two axes", value.shape.str()));
  std::vector<int> axes(value.shape.rank());
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[axes.size() - 2], axes[axes.size() - 1]);
  return permuted(value, axes);
}

TensorValue permuted(const TensorValue& value, const std::vector<int>& axes) {
  std::vector<bool> seen(value.shape.rank());
  std::vector<std::int64_t> extents, strides;
  const std::vector<std::int64_t> from = strides_of(value);
  for (const int given : axes) {
    const auto axis = static_cast<std::size_t>(normalized_axis(value.shape, given));
    if (seen[axis])
      throw UsageError(
          fmt::format("permute of {}: axis {} is given twice", value.shape.str(), given));
    seen[axis] = true;
    extents.push_back(value.shape[axis]);
    strides.push_back(from[axis]);
  }
  if (axes.size() != value.shape.rank())
    throw UsageError(
        fmt::format("permute of {}: {} axes are given", value.shape.str(), axes.size()));
  return normalized({value.image, Shape(extents), value.dtype, strides});
}

TensorValue expanded(const TensorValue& value, int axis) {
  const int rank = static_cast<int>(value.shape.rank());
  if (axis < -rank - 1 || axis > rank)
    throw UsageError(fmt::format("expand_dims of {}: axis {}", value.shape.str(), axis));
  const int at = axis < 0 ? axis + rank + 1 : axis;
  std::vector<std::int64_t> extents = value.shape.extents(), strides = strides_of(value);
  extents.insert(extents.begin() + at, 1);
  strides.insert(strides.begin() + at, 1);
  return normalized({value.image, Shape(extents), value.dtype, strides});
}

TensorValue dropped(const TensorValue& value, int axis) {
  const int at = normalized_axis(value.shape, axis);
  std::vector<std::int64_t> extents = value.shape.extents(), strides = strides_of(value);
  if (extents[static_cast<std::size_t>(at)] != 1)
    throw UsageError(fmt::format("axis {} of {} is not of extent 1", axis, value.shape.str()));
  extents.erase(extents.begin() + at);
  strides.erase(strides.begin() + at);
  return normalized({value.image, Shape(extents), value.dtype, strides});
}

TensorValue bitcast(const TensorValue& value, DType dtype) {
  if (size_of(dtype) != size_of(value.dtype))
    throw UsageError(fmt::format("bitcast of {} to {}: their sizes differ", name_of(value.dtype),
                                 name_of(dtype)));
  return {value.image, value.shape, dtype, value.strides};
}

TensorValue reshaped(const TensorValue& value, const Shape& shape) {
  if (value.shape.elements() != shape.elements()) {
    throw UsageError(fmt::format("reshape of {} to {}: the number of elements differs",
                                 value.shape.str(), shape.str()));
  }
  if (!value.dense())
    throw UsageError(
        fmt::format("reshape of {}: a transposed or broadcast handle is not contiguous; "
                    "tl.cat({{x}}) makes a block that is",
                    value.shape.str()));
  return {value.image, shape, value.dtype, {}};
}

TensorValue broadcast_to(const TensorValue& value, const Shape& shape) {
  if (value.shape.rank() > shape.rank() || broadcast(value.shape, shape) != shape) {
    throw UsageError(fmt::format("broadcast_to of {} to {}: the shapes do not fit",
                                 value.shape.str(), shape.str()));
  }
  const std::vector<std::int64_t> from = strides_of(value);
  const std::size_t added = shape.rank() - value.shape.rank();
  std::vector<std::int64_t> strides(shape.rank(), 0);
  for (std::size_t axis = added; axis < shape.rank(); ++axis) {
    if (value.shape[axis - added] == shape[axis]) strides[axis] = from[axis - added];
  }
  return normalized({value.image, shape, value.dtype, strides});
}

TensorValue sliced(const TensorValue& value, std::int64_t begin, std::int64_t end) {
  return sliced(value, 0, begin, end, 1);
}

TensorValue sliced(const TensorValue& value, int axis, std::int64_t begin, std::int64_t end,
                   std::int64_t step) {
  if (value.shape.rank() == 0)
    throw UsageError(
        fmt::format("slice [{}, {}) of {} is empty or outside", begin, end, value.shape.str()));
  const auto at = static_cast<std::size_t>(normalized_axis(value.shape, axis));
  if (begin < 0 || end <= begin || end > value.shape[at] || step < 1) {
    const std::string of =
        axis == 0 && step == 1 ? "" : fmt::format(" by {} on axis {}", step, axis);
    throw UsageError(fmt::format("slice [{}, {}){} of {} is empty or outside", begin, end, of,
                                 value.shape.str()));
  }
  std::vector<std::int64_t> extents = value.shape.extents(), strides = strides_of(value);
  const std::uint64_t skipped =
      static_cast<std::uint64_t>(begin * strides[at]) * size_of(value.dtype);
  extents[at] = (end - begin + step - 1) / step;
  strides[at] *= step;
  return normalized({value.image.slice(skipped, value.image.nbytes() - skipped), Shape(extents),
                     value.dtype, strides});
}

std::vector<std::byte> dense_bytes(const TensorValue& value, const ValueLookup& lookup) {
  std::vector<std::byte> bytes(value.nbytes());
  if (value.dense()) {
    value.image.slice(0, value.nbytes()).copy_to(bytes.data(), lookup);
  } else {
    const SharedBytes from = value.image.flatten(lookup);
    gather(value, value.strides, 0, from.get(), bytes.data());
  }
  return bytes;
}

}  // namespace kernbench
