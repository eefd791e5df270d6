// References of PE_MATH along axes: reductions, scans, sorts and moves of elements. Plain loops
// over the indices of the result.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "models/base/errors.h"
#include "models/data/shape_rules.h"
#include "platform/phase2/reference_functions.h"
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

// Visits every index of the shape, in row-major order.
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

// --- Reductions

// Row of a reduction: element(i) is the i-th along the axis.
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

// Reorders elements so that those reduced to the same result are adjacent.
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
  WideInteger exact = 0;
  for (std::size_t i = 0; i < line.extent; ++i) {
    sum += line.at(i);
    magnitudes += std::fabs(line.at(i));
    if (integers) exact += static_cast<WideInteger>(line.at(i));
  }
  if (integers) return {reference_wrapped(exact, DType::i32), 0};
  if (!std::isfinite(sum)) return {sum, 0};
  return {sum, magnitudes > f32_largest ? INFINITY : f32_accumulation * magnitudes};
}

double smallest_of(const Line& line) {
  double smallest = line.at(0);
  for (std::size_t i = 1; i < line.extent; ++i)
    smallest = reference_function(MathOp::minimum, smallest, line.at(i));
  return smallest;
}

// --- Scans

// Integers wrap: sums modulo 2^32, products like their dtype.
double next_integer(MathOp op, double before, double next, DType dtype) {
  return op == MathOp::cumsum ? reference_integer(MathOp::add, DType::i32, before, next)
                              : reference_integer(MathOp::mul, dtype, before, next);
}

// Prefix of a scan. Each step may lose half a unit of f32; once a product has left the normal
// numbers of f32, its error is unbounded.
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

// --- Sorts

bool comes_before(double a, double b, bool descending) {  // NaN is the largest
  if (std::isnan(a) || std::isnan(b))
    return descending ? std::isnan(a) && !std::isnan(b) : !std::isnan(a) && std::isnan(b);
  return descending ? a > b : a < b;
}

}  // namespace

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

  // An element of the input is the result: nothing is rounded.
  const bool selects = params.epilogue.empty() && op.outputs[0].dtype == input.dtype;

  std::vector<Estimate> results(static_cast<std::size_t>(op.outputs[0].shape.elements()));
  for (std::size_t row = 0; row < elements.size() / extent; ++row) {
    const Line line{elements, row / inner * extent * inner + row % inner, inner, extent};
    switch (params.op) {
      case MathOp::sum:
        results[row] = sum_of(line, integers);
        break;
      case MathOp::max:
        results[row] = {line.at(index_of_largest(line)), 0, selects};
        break;
      case MathOp::min:
        results[row] = {smallest_of(line), 0, selects};
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
      results[flat(at, out)] = {params.indices ? static_cast<double>(place) : value, 0, true};
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
    results.push_back({elements[input][flat(at, op.inputs[input].shape)], 0, true});
  });
  return results;
}

}  // namespace kernbench
