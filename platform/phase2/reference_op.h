// Reference result of one operation: plain loops in double precision on its actual inputs, sharing
// nothing with the jobs that compute it (spec 9, verification of operations).
//
// PEs compute in f32, or in integers where that is exact. Each element has a bound on its f32 error
// before it is rounded to the output's dtype: sums are held to the tolerance of f32 relative to the
// sum of the magnitudes of their terms, and an epilogue propagates such an error.
#pragma once

#include <optional>
#include <vector>

#include "models/data/data_op.h"
#include "platform/phase2/stop.h"

namespace kernbench {

struct Estimate {
  double value = 0;
  double error = 0;           // infinite: partial sums may have overflowed f32
  bool rounded_once = false;  // the output is the value, up to the error, rounded to its dtype
};

// Estimates in row-major order of the output, for gemm, math and convert. Throws StoppedError on a
// stop request during a long one, a gemm.
std::vector<Estimate> reference_of(const DataOp& op, const ValueLookup& lookup,
                                   const StopQuestion& stop = {});

// --- Parts

inline constexpr double f32_accumulation =
    1e-5;  // error of a sum, relative to the sum of the magnitudes
inline constexpr double f32_largest = 0x1.fffffep+127;

std::vector<double> elements_of(const TensorValue& value, const ValueLookup& lookup);  // row-major
// Error bound of one function in f32: a few units in the last place.
double f32_rounding(double value);
// Estimate as held in f32: infinite beyond its range; unknown if the error decides on which side of
// the limit it is.
Estimate within_f32(Estimate estimate);

std::vector<Estimate> reference_of_element_wise(const DataOp& op, const ValueLookup& lookup);
std::vector<Estimate> reference_of_reduction(const DataOp& op, const ValueLookup& lookup);
std::vector<Estimate> reference_of_scan(const DataOp& op, const ValueLookup& lookup);
std::vector<Estimate> reference_of_sort(const DataOp& op, const ValueLookup& lookup);
std::vector<Estimate> reference_of_move(const DataOp& op, const ValueLookup& lookup);
std::vector<Estimate> reference_of_random(const DataOp& op, const ValueLookup& lookup);
std::vector<Estimate> reference_of_gemm(const DataOp& op, const ValueLookup& lookup,
                                        const StopQuestion& stop);

// Operands of an epilogue, read once.
class ReferenceEpilogue {
 public:
  ReferenceEpilogue(const std::vector<EpilogueOp>& ops, const std::vector<TensorValue>& inputs,
                    const ValueLookup& lookup);

  bool empty() const { return ops_.empty(); }
  bool has(EpilogueScope scope) const;
  Estimate apply(EpilogueScope scope, Estimate result, std::size_t index,
                 std::size_t k_tile = 0) const;  // index in the output

 private:
  const std::vector<EpilogueOp>& ops_;
  std::vector<std::vector<double>> operands_;  // one per op; empty without one
};

}  // namespace kernbench
