// Reductions of tensors of a device over axes, by a kernel on PE_MATH.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/torch/torch.h"

namespace kernbench::ops {

enum class Reduce : std::uint8_t { sum, mean, max, min };
const char* name_of(Reduce op);

// Axes in ascending order, without duplicates, from 0; none: all. Negative axes count from the
// last. UsageError that names `call`: no such axis, a duplicate.
std::vector<int> normal_axes(const std::string& call, const std::vector<int>& axes,
                             std::size_t rank);

// Shape of the reduction over `axes` (as by normal_axes): without them, or with extents of 1.
Shape reduced_shape(const Shape& shape, const std::vector<int>& axes, bool keep_dims);

// Floats keep their dtype; sums of integers are i32, their maxima and minima keep it. UsageError:
// the mean of integers.
DType reduced_dtype(Reduce op, DType dtype);

// out = op of `in` over `axes` (as by normal_axes), with the shape and dtype above. Sums of floats
// are added in f32 and rounded once. Each PE computes its own block of `out` from blocks that it
// can address. The sum of no elements is 0, their mean NaN. Waits for the kernel. UsageError: a
// shape or dtype that differs, the maximum or minimum of no elements.
void reduce(Torch& torch, Reduce op, const Tensor& in, const std::vector<int>& axes, bool keep_dims,
            const Tensor& out);

}  // namespace kernbench::ops
