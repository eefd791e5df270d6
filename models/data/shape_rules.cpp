#include "models/data/shape_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"

namespace kernbench {
namespace {

// Operations whose results no integer dtype holds.
bool gives_fractions(MathOp op) {
  switch (op) {
    case MathOp::exp:
    case MathOp::log:
    case MathOp::sqrt:
    case MathOp::rsqrt:
    case MathOp::sigmoid:
    case MathOp::cos:
    case MathOp::sin:
    case MathOp::tanh:
    case MathOp::gelu:
    case MathOp::silu:
    case MathOp::div:
    case MathOp::softmax:
      return true;
    default:
      return false;
  }
}

std::string op_name(const MathParams& params) { return std::string(name_of(params.op)); }

// Errors of `rule`, which knows shapes only, with the name of the operation.
template <class Rule>
auto in_op(const MathParams& params, Rule rule) {
  try {
    return rule();
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", op_name(params), error.what()));
  }
}

}  // namespace

Shape broadcast(const Shape& a, const Shape& b) {
  const std::size_t rank = std::max(a.rank(), b.rank());
  std::vector<std::int64_t> extents(rank, 1);
  for (std::size_t i = 1; i <= rank; ++i) {  // from the last axis
    const std::int64_t x = i <= a.rank() ? a[a.rank() - i] : 1,
                       y = i <= b.rank() ? b[b.rank() - i] : 1;
    if (x != y && x != 1 && y != 1)
      throw UsageError(fmt::format("shapes {} and {} do not broadcast", a.str(), b.str()));
    extents[rank - i] = std::max(x, y);
  }
  return Shape(extents);
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (is_float(a) != is_float(b)) return is_float(a) ? a : b;
  return is_float(a) ? DType::f32 : DType::i32;
}

int normalized_axis(const Shape& shape, int axis) {
  const int rank = static_cast<int>(shape.rank());
  if (axis < -rank || axis >= rank)
    throw UsageError(fmt::format("axis {} does not exist in {}", axis, shape.str()));
  return axis < 0 ? axis + rank : axis;
}

GemmExtents gemm_extents(const Shape& a, const Shape& b, bool transpose_a, bool transpose_b) {
  const std::string what =
      fmt::format("dot of {}{} x {}{}", a.str(), transpose_a ? " (transposed)" : "", b.str(),
                  transpose_b ? " (transposed)" : "");
  if (a.rank() != 2 || b.rank() != 2)
    throw UsageError(fmt::format("{}: both operands need two axes", what));
  const std::int64_t k = a[transpose_a ? 0 : 1], k_of_b = b[transpose_b ? 1 : 0];
  if (k != k_of_b)
    throw UsageError(fmt::format("{}: inner extents {} and {} differ", what, k, k_of_b));
  return {a[transpose_a ? 1 : 0], k, b[transpose_b ? 0 : 1]};
}

GemmExtents dot_extents(const Shape& a, const Shape& b) {
  if (a.rank() != 3 || b.rank() != 3) return gemm_extents(a, b);
  const std::string what = fmt::format("dot of {} x {}", a.str(), b.str());
  if (a[0] != b[0])
    throw UsageError(fmt::format("{}: batches of {} and {} products", what, a[0], b[0]));
  if (a[2] != b[1])
    throw UsageError(fmt::format("{}: inner extents {} and {} differ", what, a[2], b[1]));
  return {a[1], a[2], b[2], a[0]};
}

Shape dot_shape(const Shape& a, const Shape& b) {
  const GemmExtents extents = dot_extents(a, b);
  if (a.rank() == 3) return Shape({extents.batch, extents.m, extents.n});
  return Shape({extents.m, extents.n});
}

void check_accumulator(const Shape& product, DType sum, const Shape& accumulator, DType dtype) {
  if (accumulator == product && dtype == sum) return;
  throw UsageError(fmt::format("dot with the accumulator {}{}: must be {}{}", name_of(dtype),
                               accumulator.str(), name_of(sum), product.str()));
}

DType accumulator_dtype(DType a, DType b) {
  if (is_float(a) != is_float(b)) {
    throw UsageError(
        fmt::format("dot of {} x {}: a float with an integer", name_of(a), name_of(b)));
  }
  return is_float(a) ? DType::f32 : DType::i32;
}

Shape result_shape(const MathParams& params, const std::vector<Shape>& inputs) {
  const std::size_t operands = params.operands.empty() ? inputs.size() : params.operands.size();
  if (static_cast<int>(operands) != operand_count(params.op)) {
    throw UsageError(fmt::format("{} takes {} operands, not {}", op_name(params),
                                 operand_count(params.op), operands));
  }
  for (const MathOperand& operand : params.operands) {
    if (operand.input >= static_cast<int>(inputs.size()))
      throw UsageError(fmt::format("{}: operand without an input", op_name(params)));
  }
  if (inputs.empty())
    throw UsageError(fmt::format("{}: at least one operand must be a tensor", op_name(params)));
  if (is_reduction(params.op)) {
    if (!params.axis)
      throw UsageError(fmt::format("{} of {}: needs an axis", op_name(params), inputs[0].str()));
    const int axis = in_op(params, [&] { return normalized_axis(inputs[0], *params.axis); });
    std::vector<std::int64_t> extents = inputs[0].extents();
    if (params.op != MathOp::softmax) extents[static_cast<std::size_t>(axis)] = 1;
    return Shape(extents);
  }
  if (params.axis) throw UsageError(fmt::format("{} has no axis", op_name(params)));
  Shape shape;
  for (const Shape& input : inputs) shape = in_op(params, [&] { return broadcast(shape, input); });
  return shape;
}

DType result_dtype(const MathParams& params, const std::vector<DType>& inputs) {
  if (params.out_dtype) return *params.out_dtype;
  if (params.op == MathOp::argmax) return DType::i32;
  std::optional<DType> dtype;
  for (std::size_t i = 0; i < std::max(inputs.size(), params.operands.size()); ++i) {
    const int input = params.operands.empty()      ? static_cast<int>(i)
                      : i < params.operands.size() ? params.operands[i].input
                                                   : -1;
    const bool is_condition = params.op == MathOp::where && i == 0;
    if (input < 0 || is_condition) continue;
    const DType next = inputs[static_cast<std::size_t>(input)];
    dtype = dtype ? promote(*dtype, next) : next;
  }
  if (!dtype) return DType::f32;  // scalars only
  if (!is_float(*dtype) && gives_fractions(params.op)) return DType::f32;
  return params.op == MathOp::sum && *dtype == DType::i8 ? DType::i32 : *dtype;
}

void check_epilogue(const std::vector<EpilogueOp>& epilogue, const std::vector<Shape>& inputs,
                    const Shape& out, std::int64_t k_tiles) {
  using Kind = EpilogueOp::Kind;
  for (std::size_t i = 0; i < epilogue.size(); ++i) {
    const EpilogueOp& op = epilogue[i];
    const std::string entry =
        fmt::format("epilogue entry {} ({}, {}): ", i, name_of(op.kind), name_of(op.scope));
    if (op.scope == EpilogueScope::k_tile && k_tiles == 0)
      throw UsageError(fmt::format("{}only a gemm has k tiles", entry));
    const bool needs_tensor = op.kind == Kind::bias || op.kind == Kind::add || op.kind == Kind::mul;
    const bool may_have_tensor = needs_tensor || op.kind == Kind::dequant;
    if (needs_tensor && op.input < 0)
      throw UsageError(fmt::format("{}the operand is missing", entry));
    if (!may_have_tensor && op.input >= 0)
      throw UsageError(fmt::format("{}takes no tensor", entry));
    if (op.kind == Kind::clamp && !(op.low <= op.high))
      throw UsageError(fmt::format("{}min is above max", entry));
    if (op.input < 0) continue;
    if (op.input >= static_cast<int>(inputs.size()))
      throw UsageError(fmt::format("{}the operand is missing", entry));

    const Shape& shape = inputs[static_cast<std::size_t>(op.input)];
    const std::int64_t columns = out.rank() == 0 ? 1 : out[out.rank() - 1];
    const bool per_column =
        shape.rank() >= 1 && shape.elements() == columns && shape[shape.rank() - 1] == columns;
    if (op.kind == Kind::dequant) {
      if (shape.elements() == 1) continue;
      if (op.scope != EpilogueScope::k_tile)
        throw UsageError(fmt::format("{}a scale per k tile needs scope k_tile", entry));
      if (shape.elements() != k_tiles) {
        throw UsageError(fmt::format("{}scale {} does not have one element for each of {} k tiles",
                                     entry, shape.str(), k_tiles));
      }
    } else if (!per_column && (op.kind == Kind::bias || shape != out)) {
      throw UsageError(fmt::format("{}operand {} does not fit the columns {}of {}", entry,
                                   shape.str(), op.kind == Kind::bias ? "" : "or the shape ",
                                   out.str()));
    }
  }
}

}  // namespace kernbench
