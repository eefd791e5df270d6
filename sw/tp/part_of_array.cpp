#include "sw/tp/part_of_array.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"

namespace kernbench::tp {

void check_array(const std::string& what, const HostArray& array, const Shape& shape, DType dtype) {
  if (array.shape() == shape && array.dtype() == dtype) return;
  throw UsageError(fmt::format("{}: {} {}, expected {} {} of the whole layer", what,
                               name_of(array.dtype()), array.shape().str(), name_of(dtype),
                               shape.str()));
}

HostArray part_of_array(const HostArray& whole, const std::vector<std::int64_t>& start,
                        const Shape& shape) {
  const std::size_t last = shape.rank() - 1;
  const auto size = static_cast<std::int64_t>(size_of(whole.dtype()));
  const std::int64_t width = shape[last] * size, pitch = whole.shape()[last] * size,
                     rows = shape.rank() == 1 ? 1 : shape[0],
                     first_row = shape.rank() == 1 ? 0 : start[0],
                     whole_rows = shape.rank() == 1 ? 1 : whole.shape()[0];
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(rows * width), 0);
  for (std::int64_t row = 0; row < rows && first_row + row < whole_rows; ++row) {
    const auto from = whole.bytes().begin() + (first_row + row) * pitch + start[last] * size;
    std::copy(from, from + width, bytes.begin() + row * width);
  }
  return HostArray(shape, whole.dtype(), std::move(bytes));
}

}  // namespace kernbench::tp
