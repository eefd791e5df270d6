// References of PE_MATH: element-wise operations and random numbers.
#include <array>
#include <cmath>
#include <optional>

#include "models/data/shape_rules.h"
#include "platform/phase2/reference_functions.h"
#include "platform/phase2/reference_op.h"

namespace kernbench {
namespace {

// Operand broadcast to the elements of the output.
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

// Dtype of an exact integer computation: no float among the operands, and an operation without
// fractions; else none.
std::optional<DType> integer_arithmetic(const DataOp& op, const MathParams& params) {
  const bool only = takes_integers_only(params.op);
  if ((!params.epilogue.empty() && !only) || gives_fractions(params.op)) return std::nullopt;
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

Estimate rounded_once(double value) { return within_f32({value, f32_rounding(value)}); }

// True for arithmetic that IEEE 754 rounds correctly.
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

// --- Random numbers

// High word of a product, from products of half words.
std::uint32_t high_word(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t a0 = a & 0xffff, a1 = a >> 16, b0 = b & 0xffff, b1 = b >> 16;
  const std::uint32_t low = a0 * b0, left = a1 * b0, right = a0 * b1;
  const std::uint32_t middle = (low >> 16) + (left & 0xffff) + (right & 0xffff);
  return a1 * b1 + (left >> 16) + (right >> 16) + (middle >> 16);
}

void philox_round(std::uint32_t c[4], std::uint32_t k0, std::uint32_t k1) {
  constexpr std::uint32_t a = 0xd2511f53, b = 0xcd9e8d57;
  const std::uint32_t c0 = c[0], c2 = c[2];
  c[0] = high_word(b, c2) ^ c[1] ^ k0;
  c[2] = high_word(a, c0) ^ c[3] ^ k1;
  c[1] = b * c2;
  c[3] = a * c0;
}

// (x < 0 ? -x - 1 : x) * 4.6566127342e-10, in f32.
double uniform(std::uint32_t word) {
  const auto x = static_cast<std::int64_t>(static_cast<std::int32_t>(word));
  const std::int64_t folded = x < 0 ? -x - 1 : x;
  const double product =
      static_cast<double>(static_cast<float>(folded)) * static_cast<double>(4.6566127342e-10f);
  return static_cast<double>(static_cast<float>(product));
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
      if (params.op == MathOp::where) x[0] = x[0] != 0 ? 1 : 0;  // a condition may have fractions
      results[i] = {reference_integer(params.op, *integers, x[0], x[1], x[2]), 0};
      if (epilogue.empty()) continue;
      results[i].value = static_cast<double>(static_cast<float>(results[i].value));
    } else {
      for (double& operand : x) operand = static_cast<double>(static_cast<float>(operand));
      results[i] = rounded_once(reference_function(params.op, x[0], x[1], x[2]));
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

std::vector<Estimate> reference_of_random(const DataOp& op, const ValueLookup& lookup) {
  const auto& params = std::get<MathParams>(op.params);
  std::vector<Estimate> results;
  for (const double offset : elements_of(op.inputs.at(0), lookup)) {
    std::uint32_t counter[4] = {static_cast<std::uint32_t>(static_cast<std::int64_t>(offset))};
    for (int round = 0; round < params.rounds; ++round) {
      const auto n = static_cast<std::uint32_t>(round);
      philox_round(counter, static_cast<std::uint32_t>(params.seed) + n * 0x9e3779b9,
                   static_cast<std::uint32_t>(params.seed >> 32) + n * 0xbb67ae85);
    }
    if (params.op == MathOp::randint) {
      results.push_back({static_cast<double>(static_cast<std::int32_t>(counter[0])), 0});
    } else if (params.op == MathOp::rand) {
      results.push_back({uniform(counter[0]), 0});
    } else {
      constexpr double turn = 6.283185307179586, error = 1e-5;  // for an angle in f32
      const double radius = std::sqrt(-2 * std::log(std::max(1e-7, uniform(counter[0]))));
      results.push_back({radius * std::cos(turn * uniform(counter[1])), error});
    }
  }
  return results;
}

}  // namespace kernbench
