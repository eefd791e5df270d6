// Operators of distributed tensors. Each selects the placements of its operands that cost the least
// communication, redistributes them (CommDebugMode lists it), and computes the local part of the
// result on the device of each rank, as PyTorch's sharding propagation does.
//
//   matmul(x, w)   x [Shard(0)], w [Replicate()] -> [Shard(0)], no communication
//                  x [Shard(1)], w [Shard(0)]    -> [Partial(sum)], no communication
//   a + b          both [Partial(sum)]           -> [Partial(sum)], no communication
//   relu(a)        a [Partial(sum)]              -> [Shard(0)] after a reduce_scatter
#pragma once

#include <variant>
#include <vector>

#include "models/base/math_op.h"
#include "sw/dtensor/dtensor.h"
#include "sw/ops/reduce.h"
#include "sw/tl/operators.h"

namespace kernbench::dtensor {

using Number = tl::Number;
// A number broadcasts: int keeps the dtype of integers, double makes f32 of them.
using Operand = std::variant<DTensor, Number>;

// All operators: UsageError for operands on different meshes, of different dtypes, or of shapes
// that do not fit.

// {M, K} x {K, N}. Floats keep their dtype, products of integers are i32.
DTensor matmul(const DTensor& a, const DTensor& b);

// An element-wise operation of one or two tensors and numbers; shapes broadcast as in PyTorch.
DTensor elementwise(MathOp op, const std::vector<Operand>& operands);

DTensor add(const Operand& a, const Operand& b);
DTensor sub(const Operand& a, const Operand& b);
DTensor mul(const Operand& a, const Operand& b);
DTensor div(const Operand& a, const Operand& b);
DTensor maximum(const Operand& a, const Operand& b);
DTensor minimum(const Operand& a, const Operand& b);
inline DTensor operator+(const DTensor& a, const Operand& b) { return add(a, b); }
inline DTensor operator-(const DTensor& a, const Operand& b) { return sub(a, b); }
inline DTensor operator*(const DTensor& a, const Operand& b) { return mul(a, b); }
inline DTensor operator/(const DTensor& a, const Operand& b) { return div(a, b); }
inline DTensor operator+(const Number& a, const DTensor& b) { return add(a, b); }
inline DTensor operator-(const Number& a, const DTensor& b) { return sub(a, b); }
inline DTensor operator*(const Number& a, const DTensor& b) { return mul(a, b); }
inline DTensor operator/(const Number& a, const DTensor& b) { return div(a, b); }
DTensor relu(const DTensor& x);
DTensor gelu(const DTensor& x);  // exact, by erf
DTensor silu(const DTensor& x);
DTensor sigmoid(const DTensor& x);
DTensor tanh(const DTensor& x);
DTensor exp(const DTensor& x);
DTensor log(const DTensor& x);
DTensor sqrt(const DTensor& x);
DTensor rsqrt(const DTensor& x);
DTensor abs(const DTensor& x);

// Reductions over axes, without any over all. An axis that is cut becomes Partial, which needs no
// communication, except: means of parts that differ in size, maxima and minima where a rank has no
// elements, and operands with a Partial of another operation are redistributed first.
DTensor reduce(ops::Reduce op, const DTensor& x, const std::vector<int>& axes, bool keep_dims);
DTensor sum(const DTensor& x, const std::vector<int>& axes = {}, bool keep_dims = false);
DTensor mean(const DTensor& x, const std::vector<int>& axes = {}, bool keep_dims = false);
DTensor amax(const DTensor& x, const std::vector<int>& axes = {}, bool keep_dims = false);
DTensor amin(const DTensor& x, const std::vector<int>& axes = {}, bool keep_dims = false);

}  // namespace kernbench::dtensor
