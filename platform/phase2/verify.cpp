#include "platform/phase2/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "models/base/errors.h"
#include "models/data/elements.h"

namespace kernbench {
namespace {

bool agrees(double got, double expected, const Tolerance& tolerance, DType dtype) {
  if (std::isnan(got) || std::isnan(expected)) return std::isnan(got) && std::isnan(expected);
  if (got == expected) return true;
  if (std::isinf(got) || std::isinf(expected)) return rounded_to(dtype, expected) == got;
  return std::fabs(got - expected) <= tolerance.atol + tolerance.rtol * std::fabs(expected);
}

std::string index_text(const Shape& shape, std::uint64_t flat) {
  std::string text;
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    const auto extent = static_cast<std::uint64_t>(shape[axis]);
    text = std::to_string(flat % extent) + (text.empty() ? "" : ", ") + text;
    flat /= extent;
  }
  return fmt::format("{{{}}}", text);
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

}  // namespace

Tolerance tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return {1e-5, 1e-5};
    case DType::f16:
      return {1e-3, 1e-3};
    case DType::bf16:
      return {1e-2, 1e-2};
    default:
      return {};
  }
}

double magnitude_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  }
  return largest > 0 ? std::min(largest, 1.0) : 1;
}

Comparison compare(const std::vector<std::byte>& bytes, DType dtype, const Shape& shape,
                   const std::vector<double>& reference, double factor,
                   std::optional<double> magnitude, const StopQuestion& stop) {
  Comparison result;
  result.elements = static_cast<std::uint64_t>(shape.elements());
  if (reference.size() != result.elements || bytes.size() != result.elements * size_of(dtype)) {
    throw UsageError(fmt::format("comparison of a tensor {} of {}: {} bytes, {} reference values",
                                 shape.str(), name_of(dtype), bytes.size(), reference.size()));
  }
  Tolerance tolerance = tolerance_of(dtype);
  tolerance.rtol *= factor;
  tolerance.atol *= factor * magnitude.value_or(magnitude_of(reference));
  constexpr std::uint64_t between_questions = 1 << 20;
  for (std::uint64_t i = 0; i < result.elements; ++i) {
    if (i % between_questions == 0 && says_stop(stop))
      throw StoppedError("a comparison was stopped");
    const double got = read_element(bytes.data() + i * size_of(dtype), dtype),
                 expected = reference[i];
    const double error = std::fabs(got - expected);
    if (std::isfinite(error)) {
      result.largest_abs_error = std::max(result.largest_abs_error, error);
      if (expected != 0)
        result.largest_rel_error = std::max(result.largest_rel_error, error / std::fabs(expected));
    }
    if (agrees(got, expected, tolerance, dtype)) continue;
    if (result.mismatches++ == 0) {
      result.first_bad = i;
      result.got = got;
      result.expected = expected;
    }
  }
  result.ok = result.mismatches == 0;
  return result;
}

std::string failure_text(const std::string& tensor, DType dtype, const Shape& shape,
                         const Comparison& comparison) {
  return fmt::format("tensor '{}' {} {}: {}", tensor, shape.str(), name_of(dtype),
                     mismatch_text(shape, comparison));
}

std::string mismatch_text(const Shape& shape, const Comparison& comparison) {
  const std::string first = fmt::format(
      "{} of {} elements differ; first at {}: got {}, expected {}", comparison.mismatches,
      comparison.elements, index_text(shape, comparison.first_bad), number(comparison.got),
      number(comparison.expected));
  if (comparison.largest_abs_error == 0) return first;  // infinities and NaN have no error
  return first + fmt::format("; largest error {} absolute, {} relative",
                             number(comparison.largest_abs_error),
                             number(comparison.largest_rel_error));
}

}  // namespace kernbench
