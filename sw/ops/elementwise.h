// Element-wise operations on tensors of a device, by a kernel on PE_MATH.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "models/base/math_op.h"
#include "sw/torch/torch.h"

namespace kernbench::ops {

// A tensor, or a number that broadcasts (int keeps the dtype of integers, double makes f32).
using Operand = std::variant<Tensor, tl::Number>;

// Shape of operands that broadcast as in PyTorch: aligned at the last axis, extents of 1 repeat.
// UsageError that names `call`.
Shape broadcast_shape(const std::string& call, const std::vector<Shape>& shapes);

// Dtype of the result. UsageError that names the operation: no tensor, dtypes that differ, or an
// operation of integers on floats.
DType result_dtype(MathOp op, const std::vector<Operand>& operands);

// out = op(operands), one or two of them tensors. `out` has the broadcast shape and the result's
// dtype. Each PE computes its own block of `out` from blocks that it can address: those of
// operands of the same policy, and of copies. Waits for the kernel. UsageError: not an element-wise
// operation of that many operands, a shape or dtype that differs.
void elementwise(Torch& torch, MathOp op, const std::vector<Operand>& operands, const Tensor& out);

}  // namespace kernbench::ops
