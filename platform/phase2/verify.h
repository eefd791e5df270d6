// Comparison of a result with its reference in double precision (spec 9, verification).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/dtype.h"
#include "platform/phase2/stop.h"

namespace kernbench {

struct Tolerance {
  double rtol = 0, atol = 0;  // both 0: exact; atol of values of the magnitude 1
};
Tolerance tolerance_of(DType dtype);

struct Comparison {
  bool ok = true;
  std::uint64_t elements = 0, mismatches = 0;
  std::uint64_t first_bad = 0;  // flat index; the rest is about it
  double got = 0, expected = 0;
  double largest_abs_error = 0, largest_rel_error = 0;  // over all elements whose error is finite
};

// The largest finite magnitude among expected values, at most 1; 1 if all are 0, as the magnitude
// of the summands that cancelled is unknown.
double magnitude_of(const std::vector<double>& values);

// An element agrees if |got - expected| <= (atol * magnitude + rtol * |expected|) * factor, if both
// are NaN, if they are the same infinity, or if the reference overflows to that infinity when it is
// rounded to the dtype. `magnitude`: by default that of `reference`. `factor`: the number of
// roundings on the longest chain. UsageError if the sizes differ; StoppedError on a stop request.
Comparison compare(const std::vector<std::byte>& bytes, DType dtype, const Shape& shape,
                   const std::vector<double>& reference, double factor = 1,
                   std::optional<double> magnitude = {}, const StopQuestion& stop = {});

// "3 of 2048 elements differ; first at {1, 7}: got 1.5, expected 1.25; largest error 0.25 absolute,
// ..."
std::string mismatch_text(const Shape& shape, const Comparison& comparison);
// "tensor 'c' {64, 32} f16: 3 of 2048 elements differ; first at {1, 7}: got 1.5, expected 1.25;
// largest error 0.25 absolute, ..."
std::string failure_text(const std::string& tensor, DType dtype, const Shape& shape,
                         const Comparison& comparison);

}  // namespace kernbench
