// Creation of DataOps: checks operands, fills in defaults of the parameters, derives shape and
// dtype of the result. The ops have no id, and their outputs none.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "models/data/data_op.h"

namespace kernbench {

template <class Params>
std::shared_ptr<DataOp> new_op(Params&& params, std::vector<TensorValue>&& inputs,
                               OpAddresses&& places, const Shape& shape, DType dtype) {
  auto op = std::make_shared<DataOp>();
  op->params = std::forward<Params>(params);
  op->inputs = std::move(inputs);
  op->outputs.push_back({no_value, shape, dtype});
  op->places = std::move(places);
  return op;
}

std::shared_ptr<DataOp> new_move(MemoryParams params, const PhysRanges& from, const PhysRanges& to);
// Throw UsageError for operands that do not fit together.
std::shared_ptr<DataOp> new_gemm(GemmParams params, std::vector<TensorValue> inputs,
                                 OpAddresses places);
std::shared_ptr<DataOp> new_math(MathParams params, std::vector<TensorValue> inputs,
                                 OpAddresses places);

// Record of an op in a run without data: no value is defined or moved.
DataOpPtr record_of(MemoryParams params, const PhysRanges& from, const PhysRanges& to);
DataOpPtr record_of(GemmParams params, std::vector<TensorValue> inputs, OpAddresses places);
DataOpPtr record_of(MathParams params, std::vector<TensorValue> inputs, OpAddresses places);

}  // namespace kernbench
