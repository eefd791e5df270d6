#include "sw/tl/index_block.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>

#include "models/data/elements.h"
#include "models/data/functional_model.h"
#include "models/data/integer_math.h"
#include "models/data/shape_rules.h"

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

// --- element-wise operations ---

namespace {

// Operand as seen by the elements of the result, in row-major order.
class Seen {
 public:
  explicit Seen(std::int64_t scalar) : scalar_(scalar) {}
  Seen(const IndexOperand& operand, const Shape& out)
      : values_(operand.values.get()), strides_(out.rank(), 0) {
    const std::vector<std::int64_t> own = row_major_strides(operand.shape);
    const std::size_t added = out.rank() - operand.shape.rank();
    for (std::size_t axis = 0; axis < own.size(); ++axis)
      strides_[axis + added] = operand.shape[axis] == 1 ? 0 : own[axis];
  }

  // Moves to the line along the last axis whose first element is at `index`.
  void enter(const std::vector<std::int64_t>& index) {
    place_ = 0;
    for (std::size_t axis = 0; axis < strides_.size(); ++axis)
      place_ += index[axis] * strides_[axis];
  }
  std::int64_t next() {
    if (values_ == nullptr) return scalar_;
    const std::int64_t value = (*values_)[static_cast<std::size_t>(place_)];
    place_ += strides_.back();
    return value;
  }

 private:
  std::int64_t scalar_ = 0;
  const std::vector<std::int64_t>* values_ = nullptr;
  std::vector<std::int64_t> strides_;
  std::int64_t place_ = 0;
};

// Moves to the next line along the last axis.
void advance(std::vector<std::int64_t>& index, const Shape& shape) {
  for (std::size_t axis = shape.rank() - 1; axis-- > 0;) {
    if (++index[axis] < shape[axis]) return;
    index[axis] = 0;
  }
}

std::int64_t stored(std::int64_t value, DType dtype) {  // saturates, as phase 2 does
  const std::int64_t largest = dtype == DType::i8 ? std::numeric_limits<std::int8_t>::max()
                                                  : std::numeric_limits<std::int32_t>::max();
  return std::clamp(value, -largest - 1, largest);
}

}  // namespace

IndexValues index_result(const MathParams& params, const IndexOperands& operands,
                         const Shape& result, DType out_dtype) {
  if (!has_integer_form(params.op) || is_float(out_dtype) || result.elements() > max_index_elements)
    return nullptr;
  const Shape out = result.rank() == 0 ? Shape{1} : result;
  std::optional<DType> dtype;  // dtype of the computation
  std::vector<Seen> seen;
  for (std::size_t i = 0; i < params.operands.size(); ++i) {
    const MathOperand& operand = params.operands[i];
    const bool condition = params.op == MathOp::where && i == 0;
    if (operand.input < 0) {
      if (!condition && makes_f32(params.op, operand)) return nullptr;
      seen.emplace_back(condition ? std::int64_t{operand.immediate != 0}
                                  : static_cast<std::int64_t>(operand.immediate));
      continue;
    }
    const IndexOperand& tensor = operands[static_cast<std::size_t>(operand.input)];
    if (tensor.values == nullptr) return nullptr;
    if (!condition) dtype = dtype ? promote(*dtype, tensor.dtype) : tensor.dtype;
    seen.emplace_back(tensor, out);
  }
  if (!dtype) dtype = DType::i32;  // a condition, and two scalars
  std::vector<std::int64_t> results;
  results.reserve(static_cast<std::size_t>(out.elements()));
  std::vector<std::int64_t> index(out.rank(), 0);
  const std::int64_t line = out[out.rank() - 1];
  while (static_cast<std::int64_t>(results.size()) < out.elements()) {
    for (Seen& each : seen) each.enter(index);
    for (std::int64_t i = 0; i < line; ++i) {
      std::array<std::int64_t, 3> x{};
      for (std::size_t k = 0; k < seen.size(); ++k) x[k] = seen[k].next();
      results.push_back(
          stored(wrapped(integer_result(params.op, x[0], x[1], x[2]), *dtype), out_dtype));
    }
    advance(index, out);
  }
  return std::make_shared<const std::vector<std::int64_t>>(std::move(results));
}

}  // namespace kernbench::tl
