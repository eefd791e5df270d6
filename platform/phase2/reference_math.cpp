// References of PE_MATH: element-wise operations and reductions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "models/base/errors.h"
#include "models/data/elements.h"
#include "models/data/shape_rules.h"
#include "platform/phase2/reference_op.h"

namespace kernbench {
namespace {

using Wide = __int128;  // holds every product of two i32 and a sum on top

// An operand as the output's elements see it.
class Seen {
 public:
  Seen(const TensorValue& value, const Shape& out, const ValueLookup& lookup)
      : elements_(elements_of(value, lookup)), shape_(value.shape), out_(out) {}
  explicit Seen(double immediate) : elements_{immediate} {}

  double at(std::size_t index) const {
    std::int64_t rest = static_cast<std::int64_t>(index), at = 0, stride = 1;
    for (std::size_t axis = out_.rank(), own = shape_.rank(); own-- > 0;) {
      const std::int64_t position = rest % out_[--axis];
      rest /= out_[axis];
      if (shape_[own] != 1) at += position * stride;
      stride *= shape_[own];
    }
    return elements_[static_cast<std::size_t>(at)];
  }

 private:
  std::vector<double> elements_;
  Shape shape_, out_;
};

// The dtype in which integers are computed exactly, if they are: no float among the operands, and
// an operation without fractions.
std::optional<DType> integer_arithmetic(const DataOp& op, const MathParams& params) {
  constexpr std::array fractions{
      MathOp::exp,   MathOp::log,     MathOp::sqrt, MathOp::rsqrt, MathOp::cos,   MathOp::sin,
      MathOp::tanh,  MathOp::sigmoid, MathOp::gelu, MathOp::silu,  MathOp::exp2,  MathOp::log2,
      MathOp::erf,   MathOp::asin,    MathOp::acos, MathOp::atan,  MathOp::log1p, MathOp::expm1,
      MathOp::atan2, MathOp::pow,     MathOp::div};
  const bool only = takes_integers_only(params.op);
  if ((!params.epilogue.empty() && !only) ||
      std::find(fractions.begin(), fractions.end(), params.op) != fractions.end())
    return std::nullopt;
  std::optional<DType> dtype;
  for (std::size_t i = 0; i < params.operands.size(); ++i) {
    if (params.op == MathOp::where && i == 0) continue;
    const MathOperand& operand = params.operands[i];
    if (operand.input < 0) {
      const bool whole = std::fabs(operand.immediate) <= 0x1p31 &&
                         std::trunc(operand.immediate) == operand.immediate;
      if (operand.floating && !only && !(gives_mask(params.op) && whole)) return std::nullopt;
    } else {
      const DType next = op.inputs[static_cast<std::size_t>(operand.input)].dtype;
      if (is_float(next)) return std::nullopt;
      dtype = dtype ? promote(*dtype, next) : next;
    }
  }
  return dtype;
}

Wide wide(double value) { return static_cast<Wide>(std::clamp(value, -0x1p40, 0x1p40)); }

// Quotients rounded towards zero, and downwards.
Wide quotient(Wide x, Wide y) {
  const Wide magnitude = (x < 0 ? -x : x) / (y < 0 ? -y : y);
  return (x < 0) == (y < 0) ? magnitude : -magnitude;
}
Wide floor_of(Wide x, Wide positive) {
  return x >= 0 ? x / positive : -((-x + positive - 1) / positive);
}

Wide in_integers(MathOp op, Wide x, Wide y, Wide z, DType dtype) {
  if (const auto result = in_any_numbers(op, x, y, z)) return *result;
  const bool within = y >= 0 && y < static_cast<Wide>(8 * size_of(dtype));  // of the bits
  switch (op) {
    case MathOp::fma:
      return x * y + z;
    case MathOp::abs:
      return x < 0 ? -x : x;
    case MathOp::maximum:
      return std::max(x, y);
    case MathOp::minimum:
      return std::min(x, y);
    case MathOp::clamp:
      return std::min(std::max(x, y), z);
    case MathOp::idiv:
      return y == 0 ? -1 : quotient(x, y);
    case MathOp::mod:
      return y == 0 ? x : x - quotient(x, y) * y;
    case MathOp::bitwise_and:
      return x & y;
    case MathOp::bitwise_or:
      return x | y;
    case MathOp::bitwise_xor:
      return x ^ y;
    case MathOp::bitwise_not:
      return -x - 1;
    case MathOp::shl:
      return within ? x * (Wide{1} << y) : 0;
    case MathOp::shr:
      return within ? floor_of(x, Wide{1} << y) : x < 0 ? -1 : 0;
    default:
      return x;  // floor, ceil, rint, trunc
  }
}

// Two's complement of 8 or 32 bits.
double wrapped(Wide value, DType dtype) {
  const Wide modulus = Wide{1} << (8 * size_of(dtype));
  Wide rest = value % modulus;
  if (rest < 0) rest += modulus;
  return static_cast<double>(rest < modulus / 2 ? rest : rest - modulus);
}

Estimate rounded_once(double value) { return within_f32({value, f32_rounding(value)}); }

// Arithmetic that IEEE 754 rounds correctly.
bool is_exact(MathOp op) {
  switch (op) {
    case MathOp::add:
    case MathOp::sub:
    case MathOp::mul:
    case MathOp::div:
    case MathOp::fma:
    case MathOp::sqrt:
      return true;
    default:
      return false;
  }
}

// The rows of a reduction: element(i) is the i-th along the axis.
struct Line {
  const std::vector<double>& elements;
  std::size_t first, stride, extent;
  double at(std::size_t i) const { return elements[first + i * stride]; }
};

std::size_t index_of_largest(const Line& line) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < line.extent && !std::isnan(line.at(best)); ++i) {
    if (std::isnan(line.at(i)) || line.at(i) > line.at(best)) best = i;
  }
  return best;
}

std::size_t index_of_smallest(const Line& line) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < line.extent && !std::isnan(line.at(best)); ++i) {
    if (std::isnan(line.at(i)) || line.at(i) < line.at(best)) best = i;
  }
  return best;
}

std::size_t true_ones(const Line& line) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < line.extent; ++i) count += line.at(i) == 0 ? 0 : 1;
  return count;
}

double parity_of_bits(const Line& line) {
  std::int64_t bits = 0;
  for (std::size_t i = 0; i < line.extent; ++i) bits ^= static_cast<std::int64_t>(line.at(i));
  return static_cast<double>(bits);
}

// Elements that are reduced to the same result next to each other.
std::vector<double> grouped(const std::vector<double>& elements, const Shape& in,
                            const Shape& out) {
  std::vector<std::vector<double>> groups(static_cast<std::size_t>(out.elements()));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    std::int64_t rest = static_cast<std::int64_t>(i), to = 0, stride = 1;
    for (std::size_t axis = in.rank(); axis-- > 0;) {
      if (out[axis] != 1) to += rest % in[axis] * stride;
      rest /= in[axis];
      stride *= out[axis];
    }
    groups[static_cast<std::size_t>(to)].push_back(elements[i]);
  }
  std::vector<double> all;
  for (const std::vector<double>& group : groups) all.insert(all.end(), group.begin(), group.end());
  return all;
}

Estimate sum_of(const Line& line, bool integers) {
  double sum = 0, magnitudes = 0;
  Wide exact = 0;
  for (std::size_t i = 0; i < line.extent; ++i) {
    sum += line.at(i);
    magnitudes += std::fabs(line.at(i));
    if (integers) exact += static_cast<Wide>(line.at(i));
  }
  if (integers) return {wrapped(exact, DType::i32), 0};
  if (!std::isfinite(sum)) return {sum, 0};
  return {sum, magnitudes > f32_largest ? INFINITY : f32_accumulation * magnitudes};
}

double smallest_of(const Line& line) {
  double smallest = line.at(0);
  for (std::size_t i = 1; i < line.extent; ++i)
    smallest = element_wise(MathOp::minimum, smallest, line.at(i), 0);
  return smallest;
}

}  // namespace

std::vector<Estimate> reference_of_element_wise(const DataOp& op, const ValueLookup& lookup) {
  const auto& params = std::get<MathParams>(op.params);
  const Shape& shape = op.outputs[0].shape;
  const std::optional<DType> integers = integer_arithmetic(op, params);
  std::vector<Seen> operands;
  for (const MathOperand& operand : params.operands) {
    if (operand.input < 0) {
      operands.emplace_back(operand.immediate);
    } else {
      operands.emplace_back(op.inputs.at(static_cast<std::size_t>(operand.input)), shape, lookup);
    }
  }
  const ReferenceEpilogue epilogue(params.epilogue, op.inputs, lookup);
  std::vector<Estimate> results(static_cast<std::size_t>(shape.elements()));
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::array<double, 3> x{};
    for (std::size_t j = 0; j < operands.size(); ++j) x[j] = operands[j].at(i);
    if (integers) {
      const Wide first =
          params.op == MathOp::where ? x[0] != 0 : wide(x[0]);  // a condition may have fractions
      results[i] = {
          wrapped(in_integers(params.op, first, wide(x[1]), wide(x[2]), *integers), *integers), 0};
      if (epilogue.empty()) continue;
      results[i].value = static_cast<double>(static_cast<float>(results[i].value));
    } else {
      for (double& operand : x) operand = static_cast<double>(static_cast<float>(operand));
      results[i] = rounded_once(element_wise(params.op, x[0], x[1], x[2]));
      if (epilogue.empty() && is_exact(params.op)) {
        results[i].error = 0x1p-51 * std::fabs(results[i].value);  // rounding of the double
        results[i].rounded_once = true;
      }
    }
    for (const auto scope : {EpilogueScope::output_tile, EpilogueScope::kernel})
      results[i] = epilogue.apply(scope, results[i], i);
  }
  return results;
}

std::vector<Estimate> reference_of_reduction(const DataOp& op, const ValueLookup& lookup) {
  const auto& params = std::get<MathParams>(op.params);
  const TensorValue& input = op.inputs.at(static_cast<std::size_t>(params.operands.at(0).input));
  const auto axis = static_cast<std::size_t>(normalized_axis(input.shape, params.axis.value()));
  const bool several = !params.more_axes.empty();
  std::vector<double> elements = elements_of(input, lookup);
  if (several) elements = grouped(elements, input.shape, op.outputs[0].shape);
  const bool integers =
      !is_float(input.dtype) && params.op != MathOp::softmax && params.epilogue.empty();
  if (!integers) {
    for (double& element : elements) element = static_cast<double>(static_cast<float>(element));
  }
  std::size_t extent = static_cast<std::size_t>(input.shape[axis]), inner = 1;
  for (std::size_t i = axis + 1; i < input.shape.rank(); ++i)
    inner *= static_cast<std::size_t>(input.shape[i]);
  if (several) {
    extent = elements.size() / static_cast<std::size_t>(op.outputs[0].shape.elements());
    inner = 1;
  }

  std::vector<Estimate> results(static_cast<std::size_t>(op.outputs[0].shape.elements()));
  for (std::size_t row = 0; row < elements.size() / extent; ++row) {
    const Line line{elements, row / inner * extent * inner + row % inner, inner, extent};
    switch (params.op) {
      case MathOp::sum:
        results[row] = sum_of(line, integers);
        break;
      case MathOp::max:
        results[row] = {line.at(index_of_largest(line)), 0};
        break;
      case MathOp::min:
        results[row] = {smallest_of(line), 0};
        break;
      case MathOp::argmax:
        results[row] = {static_cast<double>(index_of_largest(line)), 0};
        break;
      case MathOp::argmin:
        results[row] = {static_cast<double>(index_of_smallest(line)), 0};
        break;
      case MathOp::any:
        results[row] = {true_ones(line) > 0 ? 1.0 : 0.0, 0};
        break;
      case MathOp::all:
        results[row] = {true_ones(line) == line.extent ? 1.0 : 0.0, 0};
        break;
      case MathOp::xor_sum:
        results[row] = {parity_of_bits(line), 0};
        break;
      case MathOp::softmax: {
        const double largest = line.at(index_of_largest(line));
        double sum = 0;
        for (std::size_t i = 0; i < extent; ++i) sum += std::exp(line.at(i) - largest);
        for (std::size_t i = 0; i < extent; ++i) {
          const double share = std::exp(line.at(i) - largest) / sum;
          results[line.first + i * inner] = {share, f32_accumulation * std::fabs(share)};
        }
        break;
      }
      default:
        throw ModelError(fmt::format("'{}' is not a reduction", name_of(params.op)));
    }
  }
  const ReferenceEpilogue epilogue(params.epilogue, op.inputs, lookup);
  for (std::size_t i = 0; i < results.size(); ++i) {
    for (const auto scope : {EpilogueScope::output_tile, EpilogueScope::kernel})
      results[i] = epilogue.apply(scope, results[i], i);
  }
  return results;
}

}  // namespace kernbench
