#include "models/data/shape_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "models/base/errors.h"
#include "models/data/integer_math.h"

namespace kernbench {
namespace {

std::string op_name(const MathParams& params) { return std::string(name_of(params.op)); }

// Adds the name of the operation to errors of `rule`, which knows shapes only.
template <class Rule>
auto in_op(const MathParams& params, Rule rule) {
  try {
    return rule();
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", op_name(params), error.what()));
  }
}

Shape with_extent(const Shape& shape, std::size_t axis, std::int64_t extent) {
  std::vector<std::int64_t> extents = shape.extents();
  extents[axis] = extent;
  return Shape(extents);
}

std::size_t axis_of(const MathParams& params, const Shape& input) {
  if (!params.axis)
    throw UsageError(fmt::format("{} of {}: needs an axis", op_name(params), input.str()));
  return static_cast<std::size_t>(
      in_op(params, [&] { return normalized_axis(input, *params.axis); }));
}

Shape sorted_shape(const MathParams& params, const Shape& input) {
  const std::size_t axis = axis_of(params, input);
  if (params.op == MathOp::sort) return input;
  if (params.kept < 1 || params.kept > input[axis]) {
    throw UsageError(fmt::format("topk of {}: k is {}, and axis {} has {} elements", input.str(),
                                 params.kept, axis, input[axis]));
  }
  return with_extent(input, axis, params.kept);
}

bool equal_but_for(std::size_t axis, const Shape& a, const Shape& b) {
  return a.rank() == b.rank() && with_extent(a, axis, 1) == with_extent(b, axis, 1);
}

Shape joined_shape(const MathParams& params, const Shapes& inputs) {
  const std::size_t axis = axis_of(params, inputs[0]);
  std::int64_t extent = 0;
  for (const Shape& input : inputs) {
    if (!equal_but_for(axis, inputs[0], input)) {
      throw UsageError(fmt::format("cat of {} and {}: they may differ in axis {} only",
                                   inputs[0].str(), input.str(), axis));
    }
    extent += input[axis];
  }
  return with_extent(inputs[0], axis, extent);
}

Shape gathered_shape(const MathParams& params, const Shape& source, const Shape& index) {
  const std::size_t axis = axis_of(params, source);
  if (!equal_but_for(axis, source, index)) {
    throw UsageError(fmt::format("gather of {} by {}: they may differ in axis {} only",
                                 source.str(), index.str(), axis));
  }
  return index;
}

Shape updated_shape(const MathParams& params, const Shape& whole, const Shape& part) {
  bool fits = whole.rank() == part.rank() && whole.rank() == params.starts.size();
  for (std::size_t axis = 0; fits && axis < whole.rank(); ++axis) {
    fits = params.starts[axis] >= 0 && params.starts[axis] <= whole[axis] - part[axis];
  }
  if (fits) return whole;
  std::string starts;
  for (const std::int64_t start : params.starts)
    starts += (starts.empty() ? "" : ", ") + std::to_string(start);
  throw UsageError(
      fmt::format("update of {} by {} at ({}): the part must lie inside, with a start "
                  "for each axis",
                  whole.str(), part.str(), starts));
}

Shape moved_shape(const MathParams& params, const Shapes& inputs) {
  switch (params.op) {
    case MathOp::cat:
      return joined_shape(params, inputs);
    case MathOp::gather:
      return gathered_shape(params, inputs[0], inputs[1]);
    case MathOp::update:
      return updated_shape(params, inputs[0], inputs[1]);
    default:
      axis_of(params, inputs[0]);  // flip
      return inputs[0];
  }
}

void check_integers(const MathParams& params, const DTypes& inputs) {
  for (const DType dtype : inputs) {
    if (is_float(dtype))
      throw UsageError(
          fmt::format("{} of {}: takes integers only", op_name(params), name_of(dtype)));
  }
  for (const MathOperand& operand : params.operands) {
    if (operand.input < 0 && operand.floating)
      throw UsageError(fmt::format("{} by the floating-point number {}: takes integers only",
                                   op_name(params), operand.immediate));
  }
}

// The condition of a `where` is not a value.
std::size_t first_value(const MathParams& params) { return params.op == MathOp::where ? 1 : 0; }

// Whether the arithmetic is integer: no floating-point number among its operands.
bool of_integers(const MathParams& params, const DTypes& inputs) {
  for (std::size_t i = first_value(params); i < params.operands.size(); ++i) {
    const MathOperand& operand = params.operands[i];
    const bool of_float =
        operand.input >= 0 && is_float(inputs[static_cast<std::size_t>(operand.input)]);
    if (of_float || makes_f32(params.op, operand)) return false;
  }
  return has_integer_form(params.op);
}

void check_immediates(const MathParams& params, const DTypes& inputs) {
  if (!of_integers(params, inputs)) return;
  for (std::size_t i = first_value(params); i < params.operands.size(); ++i) {
    const MathOperand& operand = params.operands[i];
    if (operand.input < 0 && !has_32_bits(operand.immediate)) {
      const bool may_be_f32 = !takes_integers_only(params.op) && !gives_mask(params.op);
      throw UsageError(fmt::format(
          "{} of integers by {:.17g}: an integer has 32 bits, -2147483648 to 4294967295{}",
          op_name(params), operand.immediate,
          may_be_f32 ? "; a floating-point number makes the result f32" : ""));
    }
  }
}

void check_same(const MathParams& params, const DTypes& inputs) {
  for (const DType dtype : inputs) {
    if (dtype != inputs[0])
      throw UsageError(fmt::format("{} of {} and {}: cast one of them", op_name(params),
                                   name_of(inputs[0]), name_of(dtype)));
  }
}

void check_dtypes(const MathParams& params, const DTypes& inputs) {
  if (takes_integers_only(params.op)) check_integers(params, inputs);
  check_immediates(params, inputs);
  if (params.op == MathOp::cat || params.op == MathOp::update) check_same(params, inputs);
  if (params.op == MathOp::gather && is_float(inputs.at(1)))
    throw UsageError(
        fmt::format("gather by {}: an index block holds integers", name_of(inputs[1])));
}

// Dtype of a result that does not follow from the dtypes of the operands.
std::optional<DType> own_dtype(const MathParams& params) {
  if (gives_mask(params.op)) return DType::i8;
  if (params.op == MathOp::argmax || params.op == MathOp::argmin || params.indices ||
      params.op == MathOp::randint)
    return DType::i32;
  if (is_random(params.op)) return DType::f32;
  return std::nullopt;
}

}  // namespace

std::vector<std::size_t> reduced_axes(const MathParams& params, const Shape& input) {
  std::vector<std::size_t> axes{axis_of(params, input)};
  for (const int axis : params.more_axes)
    axes.push_back(static_cast<std::size_t>(
        in_op(params, [&, axis] { return normalized_axis(input, axis); })));
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end())
    throw UsageError(fmt::format("{} of {}: an axis is given twice", op_name(params), input.str()));
  return axes;
}

Shape broadcast(const Shape& a, const Shape& b) {
  if (a.rank() == 0 || a == b) return b;
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
  const auto what = [&] {
    return fmt::format("dot of {}{} x {}{}", a.str(), transpose_a ? " (transposed)" : "", b.str(),
                       transpose_b ? " (transposed)" : "");
  };
  if (a.rank() != 2 || b.rank() != 2)
    throw UsageError(fmt::format("{}: both operands need two axes", what()));
  const std::int64_t k = a[transpose_a ? 0 : 1], k_of_b = b[transpose_b ? 1 : 0];
  if (k != k_of_b)
    throw UsageError(fmt::format("{}: inner extents {} and {} differ", what(), k, k_of_b));
  return {a[transpose_a ? 1 : 0], k, b[transpose_b ? 0 : 1]};
}

GemmExtents dot_extents(const Shape& a, const Shape& b) {
  if (a.rank() != 3 || b.rank() != 3) return gemm_extents(a, b);
  const auto what = [&] { return fmt::format("dot of {} x {}", a.str(), b.str()); };
  if (a[0] != b[0])
    throw UsageError(fmt::format("{}: batches of {} and {} products", what(), a[0], b[0]));
  if (a[2] != b[1])
    throw UsageError(fmt::format("{}: inner extents {} and {} differ", what(), a[2], b[1]));
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

Shape result_shape(const MathParams& params, const Shapes& inputs) {
  const std::size_t operands = params.operands.empty() ? inputs.size() : params.operands.size();
  const int expected = operand_count(params.op);  // 0: any number
  if (expected > 0 && static_cast<int>(operands) != expected) {
    throw UsageError(
        fmt::format("{} takes {} operands, not {}", op_name(params), expected, operands));
  }
  for (const MathOperand& operand : params.operands) {
    if (operand.input < 0 && kind_of(params.op) != MathKind::element_wise)
      throw UsageError(fmt::format("{}: takes no scalar operand", op_name(params)));
    if (operand.input >= static_cast<int>(inputs.size()))
      throw UsageError(fmt::format("{}: operand without an input", op_name(params)));
  }
  if (inputs.empty())
    throw UsageError(fmt::format("{}: at least one operand must be a tensor", op_name(params)));
  switch (kind_of(params.op)) {
    case MathKind::reduction: {
      if (params.op == MathOp::softmax) {
        axis_of(params, inputs[0]);
        return inputs[0];
      }
      Shape shape = inputs[0];
      for (const std::size_t axis : reduced_axes(params, inputs[0]))
        shape = with_extent(shape, axis, 1);
      return shape;
    }
    case MathKind::scan:
      axis_of(params, inputs[0]);
      return inputs[0];
    case MathKind::sort:
      return sorted_shape(params, inputs[0]);
    case MathKind::move:
      return moved_shape(params, inputs);
    case MathKind::element_wise:
      break;
  }
  if (params.axis) throw UsageError(fmt::format("{} has no axis", op_name(params)));
  Shape shape;
  for (const Shape& input : inputs) shape = in_op(params, [&] { return broadcast(shape, input); });
  return shape;
}

DType result_dtype(const MathParams& params, const DTypes& inputs) {
  check_dtypes(params, inputs);
  if (params.out_dtype) return *params.out_dtype;
  if (const std::optional<DType> own = own_dtype(params)) return *own;
  if (kind_of(params.op) == MathKind::move) return inputs.at(0);
  std::optional<DType> dtype;
  bool floating = false;  // a scalar is
  for (std::size_t i = 0; i < std::max(inputs.size(), params.operands.size()); ++i) {
    const int input = params.operands.empty()      ? static_cast<int>(i)
                      : i < params.operands.size() ? params.operands[i].input
                                                   : -1;
    const bool is_condition = params.op == MathOp::where && i == 0;
    if (is_condition) continue;
    if (input < 0) {
      floating =
          floating || (i < params.operands.size() && makes_f32(params.op, params.operands[i]));
      continue;
    }
    const DType next = inputs[static_cast<std::size_t>(input)];
    dtype = dtype ? promote(*dtype, next) : next;
  }
  if (!dtype) return floating ? DType::f32 : DType::i32;  // where(tensor, scalar, scalar)
  const bool needs_f32 = gives_fractions(params.op) || floating;
  if (!is_float(*dtype) && needs_f32) return DType::f32;
  const bool sums = params.op == MathOp::sum || params.op == MathOp::cumsum;
  return sums && *dtype == DType::i8 ? DType::i32 : *dtype;
}

void check_epilogue(const std::vector<EpilogueOp>& epilogue, const Shapes& inputs, const Shape& out,
                    std::int64_t k_tiles) {
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
