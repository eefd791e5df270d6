#include "models/data/new_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "models/base/errors.h"
#include "models/data/shape_rules.h"

namespace kernbench {
namespace {

Shapes shapes_of(const std::vector<TensorValue>& values) {
  Shapes shapes;
  for (const TensorValue& value : values) shapes.push_back(value.shape);
  return shapes;
}

DTypes dtypes_of(const std::vector<TensorValue>& values) {
  DTypes dtypes;
  for (const TensorValue& value : values) dtypes.push_back(value.dtype);
  return dtypes;
}

// Number of inputs of the op itself; inputs of the epilogue follow and do not affect its shape.
std::size_t operand_tensors(const MathParams& params, std::size_t inputs) {
  if (params.operands.empty()) {
    const int count = operand_count(params.op);
    return count == 0 ? inputs : std::min(inputs, static_cast<std::size_t>(count));
  }
  int count = 0;
  for (const MathOperand& operand : params.operands) count = std::max(count, operand.input + 1);
  return static_cast<std::size_t>(count);
}

// The transposed view of a dense matrix is that matrix, transposed.
void undo_transpose(TensorValue& matrix, bool& transpose) {
  if (matrix.dense() || matrix.shape.rank() != 2) return;
  TensorValue turned = transposed(matrix);
  if (!turned.dense()) return;
  matrix = std::move(turned);
  transpose = !transpose;
}

}  // namespace

std::shared_ptr<DataOp> new_move(MemoryParams params, const PhysRanges& from,
                                 const PhysRanges& to) {
  auto op = std::make_shared<DataOp>();
  op->params = std::move(params);
  op->places = {from, to};
  return op;
}

std::shared_ptr<DataOp> new_gemm(GemmParams params, std::vector<TensorValue> inputs,
                                 OpAddresses places) {
  if (inputs.size() < 2) throw UsageError("dot takes two operands");
  const TensorValue &a = inputs[0], &b = inputs[1];
  const bool batched = a.shape.rank() == 3;
  const GemmExtents extents =
      batched ? dot_extents(a.shape, b.shape)
              : gemm_extents(a.shape, b.shape, params.transpose_a, params.transpose_b);
  params.m = extents.m;
  params.k = extents.k;
  params.n = extents.n;
  params.batch = extents.batch;
  const DType accumulator = accumulator_dtype(a.dtype, b.dtype);
  if (params.acc_dtype.value_or(accumulator) != accumulator) {
    throw UsageError(fmt::format("acc_dtype {} of {}: must be {}", name_of(*params.acc_dtype),
                                 gemm_name(a.dtype), name_of(accumulator)));
  }
  params.acc_dtype = accumulator;
  undo_transpose(inputs[0], params.transpose_a);
  undo_transpose(inputs[1], params.transpose_b);
  if (!params.out_dtype)
    params.out_dtype = is_float(a.dtype) ? promote(a.dtype, b.dtype) : DType::i32;
  if (params.tile_k <= 0) params.tile_k = params.k;
  const Shape out =
      batched ? Shape({params.batch, params.m, params.n}) : Shape({params.m, params.n});
  if ((params.accumulates || batched) && !params.epilogue.empty())
    throw UsageError("dot with an epilogue: takes neither an accumulator nor a batch");
  if (params.accumulates) {
    if (inputs.size() != 3) throw UsageError("dot with an accumulator takes three operands");
    check_accumulator(out, accumulator, inputs[2].shape, inputs[2].dtype);
    params.out_dtype = accumulator;
  }
  check_epilogue(params.epilogue, shapes_of(inputs), out,
                 (params.k + params.tile_k - 1) / params.tile_k);
  const DType out_dtype = *params.out_dtype;
  return new_op(std::move(params), std::move(inputs), std::move(places), out, out_dtype);
}

std::shared_ptr<DataOp> new_math(MathParams params, std::vector<TensorValue> inputs,
                                 OpAddresses places) {
  const Shapes shapes = shapes_of(inputs);
  const std::size_t tensors = operand_tensors(params, inputs.size());
  if (params.epilogue.empty() && tensors < inputs.size())
    throw UsageError(fmt::format("{}: too many operands", name_of(params.op)));
  if (tensors > inputs.size())
    throw UsageError(fmt::format("{}: operand without an input", name_of(params.op)));
  const Shape out =
      tensors == shapes.size()
          ? result_shape(params, shapes)
          : result_shape(params,
                         {shapes.begin(), shapes.begin() + static_cast<std::ptrdiff_t>(tensors)});
  DTypes dtypes = dtypes_of(inputs);
  dtypes.resize(tensors);
  const DType out_dtype = result_dtype(params, dtypes);
  params.out_dtype = out_dtype;
  check_epilogue(params.epilogue, shapes, out, 0);
  if (params.operands.empty()) {
    for (std::size_t i = 0; i < tensors; ++i)
      params.operands.push_back(MathOperand::tensor(static_cast<int>(i)));
  }
  return new_op(std::move(params), std::move(inputs), std::move(places), out, out_dtype);
}

DataOpPtr record_of(MemoryParams params, const PhysRanges& from, const PhysRanges& to) {
  params.values.emplace();
  return new_move(std::move(params), from, to);
}

DataOpPtr record_of(GemmParams params, std::vector<TensorValue> inputs, OpAddresses places) {
  return new_gemm(std::move(params), std::move(inputs), std::move(places));
}

DataOpPtr record_of(MathParams params, std::vector<TensorValue> inputs, OpAddresses places) {
  return new_math(std::move(params), std::move(inputs), std::move(places));
}

}  // namespace kernbench
