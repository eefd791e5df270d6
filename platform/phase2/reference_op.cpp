#include "platform/phase2/reference_op.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "models/base/errors.h"
#include "models/data/elements.h"
#include "platform/phase2/reference_functions.h"

namespace kernbench {

std::vector<double> elements_of(const TensorValue& value, const ValueLookup& lookup) {
  const SharedBytes bytes = value.image.flatten(lookup);
  const std::vector<std::int64_t> strides =
      value.dense() ? row_major_strides(value.shape) : value.strides;
  std::vector<double> elements(static_cast<std::size_t>(value.shape.elements()));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    std::int64_t rest = static_cast<std::int64_t>(i), at = 0;
    for (std::size_t axis = value.shape.rank(); axis-- > 0;) {
      at += rest % value.shape[axis] * strides[axis];
      rest /= value.shape[axis];
    }
    elements[i] = read_element(bytes.get() + at * static_cast<std::int64_t>(size_of(value.dtype)),
                               value.dtype);
  }
  return elements;
}

double f32_rounding(double value) { return std::isfinite(value) ? 0x1p-22 * std::fabs(value) : 0; }

Estimate within_f32(Estimate estimate) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double magnitude = std::fabs(estimate.value);
  if (!std::isfinite(magnitude) || magnitude + estimate.error <= f32_largest) return estimate;
  if (magnitude - estimate.error > f32_largest) return {std::copysign(infinity, estimate.value), 0};
  return {estimate.value, infinity};
}

// --- Epilogues

ReferenceEpilogue::ReferenceEpilogue(const std::vector<EpilogueOp>& ops,
                                     const std::vector<TensorValue>& inputs,
                                     const ValueLookup& lookup)
    : ops_(ops) {
  for (const EpilogueOp& op : ops) {
    operands_.emplace_back();
    if (op.input >= 0)
      operands_.back() = elements_of(inputs.at(static_cast<std::size_t>(op.input)), lookup);
  }
}

bool ReferenceEpilogue::has(EpilogueScope scope) const {
  for (const EpilogueOp& op : ops_) {
    if (op.scope == scope) return true;
  }
  return false;
}

Estimate ReferenceEpilogue::apply(EpilogueScope scope, Estimate result, std::size_t index,
                                  std::size_t k_tile) const {
  using Kind = EpilogueOp::Kind;
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    const EpilogueOp& op = ops_[i];
    if (op.scope != scope || std::isinf(result.error)) continue;
    const std::vector<double>& operand = operands_[i];
    const double element =
        operand.empty() ? 0 : operand[index % operand.size()];  // one per column, or per result
    double gain = 1;                                            // amplification of the error
    switch (op.kind) {
      case Kind::bias:
      case Kind::add:
        result.value += element;
        break;
      case Kind::mul:
        result.value *= element;
        gain = std::fabs(element);
        break;
      case Kind::scale:
      case Kind::dequant: {
        const double factor =
            operand.empty() ? op.factor : operand[operand.size() == 1 ? 0 : k_tile];
        result.value *= factor;
        gain = std::fabs(factor);
        break;
      }
      case Kind::relu:
        result.value = reference_function(MathOp::relu, result.value);
        break;
      case Kind::clamp:
        result.value = reference_function(MathOp::clamp, result.value, op.low, op.high);
        break;
      case Kind::gelu:
        result.value = reference_function(MathOp::gelu, result.value);
        gain = 1.2;  // the steepest slope is 1.13
        break;
      case Kind::silu:
        result.value = reference_function(MathOp::silu, result.value);
        gain = 1.2;  // 1.10
        break;
      case Kind::exp:
        result.value = std::exp(result.value);
        gain = result.error == 0 ? 1 : result.value * std::expm1(result.error) / result.error;
        break;
    }
    result.error = (result.error == 0 ? 0 : result.error * gain) + f32_rounding(result.value);
    result = within_f32(result);
  }
  return result;
}

// --- The three kinds

namespace {

std::vector<Estimate> reference_of_convert(const DataOp& op, const ValueLookup& lookup) {
  std::vector<Estimate> result;
  for (const double value : elements_of(op.inputs.at(0), lookup))
    result.push_back({reference_rounding(op.outputs[0].dtype, value), 0});
  return result;
}

std::vector<Estimate> reference_of_math(const DataOp& op, MathOp math, const ValueLookup& lookup) {
  switch (kind_of(math)) {
    case MathKind::reduction:
      return reference_of_reduction(op, lookup);
    case MathKind::scan:
      return reference_of_scan(op, lookup);
    case MathKind::sort:
      return reference_of_sort(op, lookup);
    case MathKind::move:
      return reference_of_move(op, lookup);
    case MathKind::element_wise:
      break;
  }
  return is_random(math) ? reference_of_random(op, lookup) : reference_of_element_wise(op, lookup);
}

}  // namespace

std::vector<Estimate> reference_of(const DataOp& op, const ValueLookup& lookup,
                                   const StopQuestion& stop) {
  if (std::holds_alternative<GemmParams>(op.params)) return reference_of_gemm(op, lookup, stop);
  if (std::holds_alternative<ConvertParams>(op.params)) return reference_of_convert(op, lookup);
  if (const auto* math = std::get_if<MathParams>(&op.params))
    return reference_of_math(op, math->op, lookup);
  throw ModelError("a memory op computes nothing");
}

}  // namespace kernbench
