// References of PE_MATH: scans, sorts, moves of elements and random numbers. Plain loops over the
// indices of the result.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "models/base/errors.h"
#include "models/data/shape_rules.h"
#include "platform/phase2/reference_op.h"

namespace kernbench {
namespace {

using Index = std::vector<std::int64_t>;

const MathParams& params_of(const DataOp& op) { return std::get<MathParams>(op.params); }

std::size_t axis_of(const DataOp& op) {
  return static_cast<std::size_t>(normalized_axis(op.inputs.at(0).shape, *params_of(op).axis));
}

std::size_t flat(const Index& index, const Shape& shape) {
  std::int64_t at = 0;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) at = at * shape[axis] + index[axis];
  return static_cast<std::size_t>(at);
}

// Every index of the shape, in row-major order.
template <class Visit>
void for_each_index(const Shape& shape, Visit visit) {
  Index index(shape.rank(), 0);
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    visit(index);
    for (std::size_t axis = shape.rank(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
}

// --- scans ---

double wrapped_to(double value, std::int64_t modulus) {
  const auto rest = static_cast<std::int64_t>(std::fmod(value, static_cast<double>(modulus)));
  const std::int64_t up = rest < 0 ? rest + modulus : rest;
  return static_cast<double>(up < modulus / 2 ? up : up - modulus);
}

// Prefixes in integers: of i8 and i32 every product and sum is below 2^62.
double next_integer(MathOp op, double before, double next, DType dtype) {
  const std::int64_t modulus = std::int64_t{1}
                               << (op == MathOp::cumprod && dtype == DType::i8 ? 8 : 32);
  if (op == MathOp::cumsum) return wrapped_to(before + next, modulus);
  const auto product = static_cast<std::int64_t>(before) * static_cast<std::int64_t>(next);
  const std::int64_t rest = product % modulus;
  return wrapped_to(static_cast<double>(rest), modulus);
}

// A prefix so far. Each step may lose half a unit of f32; where a product has left its normal
// numbers, nothing more can be said.
struct Prefix {
  double value = 0, magnitudes = 0, steps = 0;
  bool lost = false;

  void add(double next) {
    value += next;
    magnitudes += std::fabs(next);
    ++steps;
    lost = lost || (std::isfinite(magnitudes) && magnitudes > f32_largest);
  }
  void multiply(double next) {
    value *= next;
    ++steps;
    const double magnitude = std::fabs(value);
    lost = lost || (std::isfinite(magnitude) && magnitude > 0.99 * f32_largest) ||
           (magnitude > 0 && magnitude < 0x1p-125);
    magnitudes = magnitude;
  }
  Estimate estimate() const {
    if (lost) return {value, INFINITY};
    const double error = std::isfinite(value) ? (steps + 2) * 0x1p-23 * magnitudes : 0;
    return {value, error};
  }
};

// --- sorts ---

bool comes_before(double a, double b, bool descending) {  // NaN is the largest
  if (std::isnan(a) || std::isnan(b))
    return descending ? std::isnan(a) && !std::isnan(b) : !std::isnan(a) && std::isnan(b);
  return descending ? a > b : a < b;
}

// --- random numbers ---

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

std::vector<Estimate> reference_of_scan(const DataOp& op, const ValueLookup& lookup) {
  const MathParams& params = params_of(op);
  const TensorValue& input = op.inputs.at(0);
  const std::size_t axis = axis_of(op);
  const std::vector<double> elements = elements_of(input, lookup);
  const bool sums = params.op == MathOp::cumsum, floats = is_float(input.dtype);
  std::vector<Estimate> results(elements.size());
  for_each_index(input.shape, [&](const Index& index) {
    if (index[axis] != 0) return;  // one visit for each line
    Prefix prefix;
    double integer = sums ? 0 : 1;
    prefix.value = integer;
    for (std::int64_t step = 0; step < input.shape[axis]; ++step) {
      Index at = index;
      at[axis] = params.reverse ? input.shape[axis] - 1 - step : step;
      const double next = elements[flat(at, input.shape)];
      if (!floats) {
        integer = next_integer(params.op, integer, next, input.dtype);
        results[flat(at, input.shape)] = {integer, 0};
        continue;
      }
      sums ? prefix.add(next) : prefix.multiply(next);
      results[flat(at, input.shape)] = prefix.estimate();
    }
  });
  return results;
}

std::vector<Estimate> reference_of_sort(const DataOp& op, const ValueLookup& lookup) {
  const MathParams& params = params_of(op);
  const Shape &in = op.inputs.at(0).shape, &out = op.outputs[0].shape;
  const std::size_t axis = axis_of(op);
  const std::vector<double> elements = elements_of(op.inputs[0], lookup);
  std::vector<Estimate> results(static_cast<std::size_t>(out.elements()));
  for_each_index(in, [&](const Index& index) {
    if (index[axis] != 0) return;  // one visit for each line
    std::vector<std::pair<double, std::int64_t>> line;
    for (Index at = index; at[axis] < in[axis]; ++at[axis])
      line.emplace_back(elements[flat(at, in)], at[axis]);
    std::stable_sort(line.begin(), line.end(), [&](const auto& a, const auto& b) {
      return comes_before(a.first, b.first, params.reverse);
    });
    for (Index at = index; at[axis] < out[axis]; ++at[axis]) {
      const auto& [value, place] = line[static_cast<std::size_t>(at[axis])];
      results[flat(at, out)] = {params.indices ? static_cast<double>(place) : value, 0};
    }
  });
  return results;
}

std::vector<Estimate> reference_of_move(const DataOp& op, const ValueLookup& lookup) {
  const MathParams& params = params_of(op);
  const Shape& out = op.outputs[0].shape;
  std::vector<std::vector<double>> elements;
  for (const TensorValue& input : op.inputs) elements.push_back(elements_of(input, lookup));
  const std::size_t axis = params.op == MathOp::update ? 0 : axis_of(op);
  std::vector<Estimate> results;
  for_each_index(out, [&](Index at) {
    std::size_t input = 0;
    switch (params.op) {
      case MathOp::cat:
        for (; at[axis] >= op.inputs[input].shape[axis]; ++input)
          at[axis] -= op.inputs[input].shape[axis];
        break;
      case MathOp::flip:
        at[axis] = out[axis] - 1 - at[axis];
        break;
      case MathOp::gather:
        at[axis] = static_cast<std::int64_t>(elements[1][flat(at, out)]);
        if (at[axis] < 0 || at[axis] >= op.inputs[0].shape[axis])
          throw UsageError("gather: an index outside the source");
        break;
      default: {  // update
        Index inside = at;
        bool in_part = true;
        for (std::size_t i = 0; i < at.size(); ++i) {
          inside[i] -= params.starts[i];
          in_part = in_part && inside[i] >= 0 && inside[i] < op.inputs[1].shape[i];
        }
        if (in_part) {
          input = 1;
          at = inside;
        }
      }
    }
    results.push_back({elements[input][flat(at, op.inputs[input].shape)], 0});
  });
  return results;
}

std::vector<Estimate> reference_of_random(const DataOp& op, const ValueLookup& lookup) {
  const MathParams& params = params_of(op);
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
      constexpr double turn = 6.283185307179586, error = 1e-5;  // of an angle in f32
      const double radius = std::sqrt(-2 * std::log(std::max(1e-7, uniform(counter[0]))));
      results.push_back({radius * std::cos(turn * uniform(counter[1])), error});
    }
  }
  return results;
}

}  // namespace kernbench
