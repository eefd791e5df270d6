#include "sw/tl/index_block.h"

#include "models/data/elements.h"

namespace kernbench::tl {
namespace {

bool possible(std::int64_t elements, DType dtype) {
  return !is_float(dtype) && elements <= max_index_elements;
}

void append(const std::vector<std::int64_t>& values, const TensorValue& view,
            const std::vector<std::int64_t>& strides, std::size_t axis, std::int64_t at,
            std::vector<std::int64_t>& to) {
  if (axis == view.shape.rank()) return to.push_back(values[static_cast<std::size_t>(at)]);
  for (std::int64_t i = 0; i < view.shape[axis]; ++i)
    append(values, view, strides, axis + 1, at + i * strides[axis], to);
}

}  // namespace

IndexValues index_range(std::int64_t begin, std::int64_t end, DType dtype) {
  if (!possible(end - begin, dtype)) return nullptr;
  auto values = std::make_shared<std::vector<std::int64_t>>();
  for (std::int64_t i = begin; i < end; ++i)
    values->push_back(static_cast<std::int64_t>(rounded_to(dtype, static_cast<double>(i))));
  return values;
}

IndexValues index_full(const Shape& shape, double value, DType dtype) {
  if (!possible(shape.elements(), dtype)) return nullptr;
  return std::make_shared<const std::vector<std::int64_t>>(
      static_cast<std::size_t>(shape.elements()),
      static_cast<std::int64_t>(rounded_to(dtype, value)));
}

IndexValues gathered(const IndexValues& index, const TensorValue& view, std::int64_t first) {
  if (view.shape.elements() > max_index_elements) return nullptr;
  auto values = std::make_shared<std::vector<std::int64_t>>();
  values->reserve(static_cast<std::size_t>(view.shape.elements()));
  append(*index, view, strides_of(view), 0, first, *values);
  return values;
}

}  // namespace kernbench::tl
