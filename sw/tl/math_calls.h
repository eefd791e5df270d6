// Operations of PE_MATH on blocks in TCM, as calls of tl::Program: element-wise, along axes, moves
// of elements, random numbers. Each is one command and blocks, unless a tl::Overlap is active or
// the comment says otherwise. The time is that of the engine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "models/data/data_op.h"
#include "sw/tl/operand.h"

namespace kernbench::tl {

class Program;

// Result of a selection along an axis, and the position of each value on that axis.
struct ValuesAndIndices {
  Handle values, indices;  // indices: i32
};

class MathCalls {
 public:
  // --- element-wise: a call per row ELEMENT_WISE of models/base/math_op.def, exp(x), add(x, y),
  // fma(x, y, z); shapes and scalars broadcast, and the result has the promoted dtype of the
  // operands, unless the row says otherwise. Comparisons and logical operations return masks: i8, 0
  // or 1; NaN is true, and unlike everything. Bitwise operations are for integers; shifts by the
  // width or more, or by less than 0, shift everything out ---
#define MATH_OP(...)
#define ELEMENT_WISE(name, operands, ...) \
  Handle name(PARAMETERS_##operands) { return element_wise(MathOp::name, {OPERANDS_##operands}); }
#define PARAMETERS_1 const BlockArg& x
#define PARAMETERS_2 const Operand &x, const Operand &y
#define PARAMETERS_3 const Operand &x, const Operand &y, const Operand &z
#include "models/base/math_op.def"
#undef PARAMETERS_1
#undef PARAMETERS_2
#undef PARAMETERS_3
  // Triton's names for the same operations: every operation here rounds to nearest, once.
  Handle fdiv(const Operand& a, const Operand& b) { return div(a, b); }
  Handle div_rn(const Operand& a, const Operand& b) { return div(a, b); }
  Handle sqrt_rn(const BlockArg& x) { return sqrt(x); }
  Handle cdiv(const BlockArg& a, const Operand& b);  // (a + b - 1) idiv b
  static std::int64_t cdiv(std::int64_t a, std::int64_t b, CallSite site = CallSite::here());

  // --- reductions over one axis, several together, or all: each axis is kept with extent 1, unless
  // keep_dims is false ---
  Handle sum(const BlockArg& x, const Axes& axes = {}, bool keep_dims = true) {
    return over_axes(MathOp::sum, x, axes, keep_dims);
  }
  Handle max(const BlockArg& x, const Axes& axes = {}, bool keep_dims = true) {
    return over_axes(MathOp::max, x, axes, keep_dims);
  }
  Handle min(const BlockArg& x, const Axes& axes = {}, bool keep_dims = true) {
    return over_axes(MathOp::min, x, axes, keep_dims);
  }
  Handle any(const BlockArg& x, const Axes& axes = {}, bool keep_dims = true) {
    return over_axes(MathOp::any, x, axes, keep_dims);
  }
  Handle all(const BlockArg& x, const Axes& axes = {}, bool keep_dims = true) {
    return over_axes(MathOp::all, x, axes, keep_dims);
  }
  Handle xor_sum(const BlockArg& x, const Axes& axes = {}, bool keep_dims = true) {
    return over_axes(MathOp::xor_sum, x, axes, keep_dims);
  }  // integers
  Handle softmax(const BlockArg& x, int axis = 0) { return math(MathOp::softmax, {x}, axis); }
  // Index of the first of equal elements, also if the caller allows any.
  Handle argmax(const BlockArg& x, int axis = -1, bool /*tie_break_left*/ = true,
                bool keep_dims = true) {
    return over_axes(MathOp::argmax, x, axis, keep_dims);
  }
  Handle argmin(const BlockArg& x, int axis = -1, bool /*tie_break_left*/ = true,
                bool keep_dims = true) {
    return over_axes(MathOp::argmin, x, axis, keep_dims);
  }
  ValuesAndIndices max_with_indices(const BlockArg& x, int axis = -1,
                                    bool /*tie_break_left*/ = true, bool keep_dims = true) {
    return best(MathOp::argmax, MathOp::max, x, axis, keep_dims);
  }
  ValuesAndIndices min_with_indices(const BlockArg& x, int axis = -1,
                                    bool /*tie_break_left*/ = true, bool keep_dims = true) {
    return best(MathOp::argmin, MathOp::min, x, axis, keep_dims);
  }

  // Reduction by an associative function of two blocks: neighbours are combined, then pairs of
  // results, in ceil(log2 extent) rounds of the function's operations. Several blocks of one shape
  // are combined together, as tuples in Triton.
  using Combine = std::function<Handle(const Handle&, const Handle&)>;
  using CombineAll =
      std::function<std::vector<Handle>(const std::vector<Handle>&, const std::vector<Handle>&)>;
  Handle reduce(const BlockArg& x, int axis, const Combine& combine, bool keep_dims = true);
  std::vector<Handle> reduce(const std::vector<Handle>& blocks, int axis, const CombineAll& combine,
                             bool keep_dims = true, CallSite site = CallSite::here());
  // Combination of every prefix (reverse: suffix, from the end), in the same number of rounds, with
  // one tl.cat per round.
  Handle associative_scan(const BlockArg& x, int axis, const Combine& combine,
                          bool reverse = false);
  std::vector<Handle> associative_scan(const std::vector<Handle>& blocks, int axis,
                                       const CombineAll& combine, bool reverse = false,
                                       CallSite site = CallSite::here());
  // Number of elements of x{n} that are 0, 1, ... num_bins - 1 (where the mask is not 0): a
  // comparison of {n, num_bins} and a sum. Other values are not counted.
  Handle histogram(const BlockArg& x, std::int64_t num_bins,
                   const std::optional<Handle>& mask = {});

  // --- scans and sorts, PE_MATH. NaN is larger than every number; of equal elements the one with
  // the lowest index is first ---
  Handle cumsum(const BlockArg& x, int axis = 0, bool reverse = false) {
    return scan(MathOp::cumsum, x, axis, reverse);
  }
  Handle cumprod(const BlockArg& x, int axis = 0, bool reverse = false) {
    return scan(MathOp::cumprod, x, axis, reverse);
  }
  Handle sort(const BlockArg& x, int dim = -1, bool descending = false);
  ValuesAndIndices sort_with_indices(const BlockArg& x, int dim = -1, bool descending = false);
  Handle topk(const BlockArg& x, std::int64_t k, int dim = -1);  // largest first
  ValuesAndIndices topk_with_indices(const BlockArg& x, std::int64_t k, int dim = -1);

  // --- moves of elements, PE_MATH: new blocks ---
  Handle cat(const std::vector<Handle>& blocks, int dim = 0,
             CallSite site = CallSite::here());  // operands of one dtype
  Handle join(const BlockArg& a,
              const Handle& b);  // joins on a new last axis of extent 2; operands broadcast
  // join() with its last two axes merged: a0, b0, a1, b1, ...
  Handle interleave(const BlockArg& a, const Handle& b);
  Handle flip(const BlockArg& x, int dim = -1);
  // result[.., i, ..] = source[.., index[.., i, ..], ..]; an index outside is an error.
  Handle gather(const BlockArg& source, const Handle& index, int axis);
  // `x` with `part` written from `starts` on (one per axis); a part outside `x` is an error.
  Handle update(const BlockArg& x, const Handle& part, const std::vector<std::int64_t>& starts);

  // --- random numbers, PE_MATH: values of Triton's functions (Philox 4x32), determined by the seed
  // and the integer offsets alone ---
  // Random bits as i32.
  Handle randint(std::uint64_t seed, const BlockArg& offsets, int n_rounds = 10) {
    return random(MathOp::randint, seed, offsets, n_rounds);
  }
  Handle rand(std::uint64_t seed, const BlockArg& offsets, int n_rounds = 10) {
    return random(MathOp::rand, seed, offsets, n_rounds);
  }  // f32 in [0, 1)
  Handle randn(std::uint64_t seed, const BlockArg& offsets, int n_rounds = 10) {
    return random(MathOp::randn, seed, offsets, n_rounds);
  }  // f32, normal

  // Any operation of PE_MATH that needs at most an axis.
  Handle math(MathOp op, const std::vector<Operand>& operands, std::optional<int> axis = {},
              std::optional<DType> out = {});
  // The same values in another dtype, rounded once: a multiplication by 1 on PE_MATH. A block that
  // already has the dtype takes no time.
  Handle cast(const BlockArg& x, DType dtype) {
    return x.handle().dtype() == dtype ? x.handle() : math(MathOp::mul, {x, 1}, {}, dtype);
  }

 protected:
  MathCalls() = default;
  ~MathCalls() = default;

 private:
  Program& program();
  Handle element_wise(MathOp op, const std::vector<Operand>& operands);
  Handle over_axes(MathOp op, const BlockArg& x, const Axes& axes, bool keep_dims);
  ValuesAndIndices best(MathOp place, MathOp value, const BlockArg& x, int axis, bool keep_dims);
  Handle scan(MathOp op, const BlockArg& x, int axis, bool reverse);
  Handle random(MathOp op, std::uint64_t seed, const BlockArg& offsets, int rounds);
};

}  // namespace kernbench::tl
