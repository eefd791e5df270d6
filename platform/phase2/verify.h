// Verification (spec 9): a tensor against a reference in double precision, and `--verify-data=ops`:
// every value that phase 2 has computed against the reference of its operation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/base/dtype.h"
#include "models/data/data_op.h"
#include "platform/phase2/stop.h"

namespace kernbench {

// --- Tensors

struct Tolerance {
  double rtol = 0, atol = 0;  // both 0: exact; atol of values of the magnitude 1
};
Tolerance tolerance_of(DType dtype);

struct Comparison {
  bool ok = true;
  std::uint64_t elements = 0, mismatches = 0;
  std::uint64_t first_bad = 0;  // flat index; the other members describe it
  double got = 0, expected = 0;
  double largest_abs_error = 0, largest_rel_error = 0;  // over all elements whose error is finite
};

// Largest finite magnitude among expected values, at most 1; 1 if all are 0, as the magnitude of
// the summands that cancelled is unknown.
double magnitude_of(const std::vector<double>& values);

// An element agrees if |got - expected| <= (atol * magnitude + rtol * |expected|) * factor, if both
// are NaN, if they are the same infinity, or if the reference overflows to that infinity when it is
// rounded to the dtype. `magnitude`: by default that of `reference`. `factor`: number of roundings
// on the longest chain. Throws UsageError if the sizes differ, StoppedError on a stop request.
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

// Runs a computation that does not poll, such as the reference supplied by a bench.
//
// Returns or throws the result of `computation`. It runs on a thread of its own with a copy of
// everything it has captured. On a stop request that thread is abandoned and StoppedError is
// thrown. Without a stop question, or if the host refuses a thread, it runs on the calling thread.
std::vector<double> abandonable(const std::function<std::vector<double>()>& computation,
                                const StopQuestion& stop);

// --- Operations; inputs are used as they are, so that an error is reported where it arises

enum class ComputedKind : std::uint8_t {
  gemm,
  element_wise,
  reduction,
  conversion,
  scan,
  sort,
  move
};
inline constexpr std::size_t computed_kinds = 7;
ComputedKind computed_kind(const DataOp& op);
const char* name_of(ComputedKind kind);  // "gemm", "element-wise", ...

struct OpFailure {
  DataOpPtr op;
  Comparison comparison;
};

struct OpCheck {
  std::array<std::uint64_t, computed_kinds> checked{};  // by kind
  std::vector<OpFailure> failures;                      // by op id

  OpCheck& operator+=(const OpCheck& later);
  std::uint64_t total() const;
  std::string summary() const;  // "12 gemm, 40 element-wise"
};

// Checks the output of one op: dense, of the op's output dtype.
Comparison check_op(const DataOp& op, const std::byte* output, const ValueLookup& values,
                    const StopQuestion& stop = {});
// `values` returns every value that `ops` define or read; it is called on `threads` threads at
// once. Throws StoppedError on a stop request.
OpCheck check_ops(const std::vector<DataOpPtr>& ops, const ValueLookup& values, unsigned threads,
                  const StopQuestion& stop = {});

}  // namespace kernbench
