#include "sw/tl/index_block.h"

#include "sw/tl/index_math.h"

namespace kernbench::tl {
namespace {

void append(const std::vector<std::int64_t>& values, const TensorValue& view,
            const std::vector<std::int64_t>& strides, std::size_t axis, std::int64_t at,
            std::vector<std::int64_t>& to) {
  if (axis == view.shape.rank()) return to.push_back(values[static_cast<std::size_t>(at)]);
  for (std::int64_t i = 0; i < view.shape[axis]; ++i)
    append(values, view, strides, axis + 1, at + i * strides[axis], to);
}

}  // namespace

IndexValues gathered(const IndexValues& index, const TensorValue& view, std::int64_t first) {
  if (view.shape.elements() > largest_index_block) return nullptr;
  auto values = std::make_shared<std::vector<std::int64_t>>();
  values->reserve(static_cast<std::size_t>(view.shape.elements()));
  append(*index, view, strides_of(view), 0, first, *values);
  return values;
}

}  // namespace kernbench::tl
