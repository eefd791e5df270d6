// Index blocks: handles of integers whose values are known at issue, in every data mode. Offsets,
// masks and rows of gathers are such.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/data/tensor_value.h"

namespace kernbench::tl {

using IndexValues = std::shared_ptr<const std::vector<std::int64_t>>;  // row-major; null: none
// The elements of a view. `view` makes it of a dense value of the shape `from`; `first`: the
// element of the whole at which it begins.
template <class View>
IndexValues viewed(const IndexValues& index, const Shape& from, View view, std::int64_t first = 0);
IndexValues gathered(const IndexValues& index, const TensorValue& view, std::int64_t first);

template <class View>
IndexValues viewed(const IndexValues& index, const Shape& from, View view, std::int64_t first) {
  if (index == nullptr) return nullptr;
  const auto bytes = static_cast<std::uint64_t>(from.elements()) * size_of(DType::i32);
  return gathered(index, view(TensorValue{ByteImage::zeros(bytes), from, DType::i32, {}}), first);
}

}  // namespace kernbench::tl
