// Compatibility and result rules of shapes and dtypes: the checks that `tl` performs at the call
// (spec 6).
#pragma once

#include <vector>

#include "models/base/dtype.h"
#include "models/base/small_vector.h"
#include "models/data/data_op.h"

namespace kernbench {

// numpy: aligned at the last axis, extents equal or 1. UsageError that prints both.
Shape broadcast(const Shape& a, const Shape& b);
// Promoted dtype of two operands: equal dtypes are kept; a float wins over an integer; f16 with
// bf16 becomes f32; i8 with i32 becomes i32.
DType promote(DType a, DType b);
// 0 <= axis < rank, counting negative ones from the end. UsageError that prints the shape.
int normalized_axis(const Shape& shape, int axis);

struct GemmExtents {
  std::int64_t m = 0, k = 0, n = 0;
  std::int64_t batch = 1;
};
// UsageError that prints both shapes unless they are matrices whose inner extents agree.
GemmExtents gemm_extents(const Shape& a, const Shape& b, bool transpose_a = false,
                         bool transpose_b = false);
// Extents of {M,K} x {K,N} as above, or of {B,M,K} x {B,K,N}: B products. The result is {M,N} or
// {B,M,N}.
GemmExtents dot_extents(const Shape& a, const Shape& b);
Shape dot_shape(const Shape& a, const Shape& b);
// Checks that an addend of a product has the product's shape and the dtype of its sums: UsageError
// that prints both.
void check_accumulator(const Shape& product, DType sum, const Shape& accumulator, DType dtype);
DType accumulator_dtype(DType a, DType b);  // f32 or i32; UsageError for a float with an integer

using Shapes = SmallVector<Shape, 3>;
using DTypes = SmallVector<DType, 4>;

// Shape and dtype of the result of a math op. UsageError: wrong number of operands, shapes that do
// not broadcast, missing axis.
Shape result_shape(const MathParams& params, const Shapes& inputs);
// Dtype of the result: the promoted dtype of the operands, except i8 for a mask, i32 for indices
// and for sums of i8, and f32 where integers would produce fractions
// (docs/decisions/operation-semantics.md). UsageError: a float where only integers are allowed,
// joined operands of different dtypes.
DType result_dtype(const MathParams& params, const DTypes& inputs);
// Axes that a reduction works on: ascending, each once.
std::vector<std::size_t> reduced_axes(const MathParams& params, const Shape& input);

// UsageError naming the entry: an operand that is missing or of the wrong shape, a scope that the
// op does not have, dequant by a vector outside k_tile scope. `k_tiles` is 0 for a math op.
void check_epilogue(const std::vector<EpilogueOp>& epilogue, const Shapes& inputs, const Shape& out,
                    std::int64_t k_tiles);

}  // namespace kernbench
