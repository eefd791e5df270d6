#include "sw/tl/index_block.h"

#include <cstring>

#include "models/data/elements.h"
#include "models/data/functional_model.h"

namespace kernbench::tl {
namespace {

bool possible(std::int64_t elements, DType dtype) {
  return !is_float(dtype) && elements <= max_index_elements;
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

TensorValue tensor_of(const std::vector<std::int64_t>& index, const Shape& shape) {
  const std::vector<std::int32_t> elements(index.begin(), index.end());  // i32 or i8
  return FunctionalModel::constant(elements.data(), shape, DType::i32);
}

IndexValues index_of(const TensorValue& tensor) {
  if (!possible(tensor.shape.elements(), DType::i32)) return nullptr;
  const std::vector<std::byte> bytes = dense_bytes(tensor);
  std::vector<std::int32_t> elements(static_cast<std::size_t>(tensor.shape.elements()));
  std::memcpy(elements.data(), bytes.data(), bytes.size());
  return std::make_shared<const std::vector<std::int64_t>>(elements.begin(), elements.end());
}

}  // namespace kernbench::tl
