// Conversion of runs of elements between their memory form and the form of the computation: f32, or
// 64-bit integers.
#pragma once

#include <cstdint>
#include <memory>

#include "models/data/tensor_value.h"

namespace kernbench {

// Uninitialised and aligned to a cache line, so that vectorised code sums in the same order in
// every run.
struct AlignedDelete {
  void operator()(float* at) const { ::operator delete[](at, std::align_val_t{64}); }
};
using FloatArray = std::unique_ptr<float[], AlignedDelete>;
FloatArray make_floats(std::uint64_t count);

void load_elements(const std::byte* from, DType dtype, std::uint64_t count,
                   float* to);  // integers round to f32
void load_elements(const std::byte* from, DType dtype, std::uint64_t count,
                   std::int64_t* to);  // integer dtypes
// One rounding to nearest even; integers saturate.
void store_elements(const float* from, std::uint64_t count, DType dtype, std::byte* to);
void store_elements(const std::int64_t* from, std::uint64_t count, DType dtype, std::byte* to);

// All elements in row-major order.
FloatArray floats_of(const TensorValue& value, const ValueLookup& lookup);

}  // namespace kernbench
