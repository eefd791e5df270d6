#include "models/data/data_plane.h"

#include <algorithm>

#include "models/base/errors.h"
#include "models/data/elements.h"
#include "models/data/shape_rules.h"

namespace kernbench {
namespace {

std::vector<Shape> shapes_of(const std::vector<TensorValue>& values) {
  std::vector<Shape> shapes;
  for (const TensorValue& value : values) shapes.push_back(value.shape);
  return shapes;
}

std::vector<DType> dtypes_of(const std::vector<TensorValue>& values) {
  std::vector<DType> dtypes;
  for (const TensorValue& value : values) dtypes.push_back(value.dtype);
  return dtypes;
}

// How many of the inputs are the op's own; those of the epilogue follow and take no part in its shape.
std::size_t operand_tensors(const MathParams& params, std::size_t inputs) {
  if (params.operands.empty()) return std::min<std::size_t>(inputs, static_cast<std::size_t>(operand_count(params.op)));
  int count = 0;
  for (const MathOperand& operand : params.operands) count = std::max(count, operand.input + 1);
  return static_cast<std::size_t>(count);
}

DataOpPtr memory_op(std::uint64_t id, MemoryParams::Kind kind, std::vector<ValueId> values, PhysRanges from, PhysRanges to) {
  auto op = std::make_shared<DataOp>();
  op->id = id;
  op->params = MemoryParams{kind, std::move(values)};
  op->places = {std::move(from), std::move(to)};
  return op;
}

}  // namespace

const char* name_of(DataMode mode) { return mode == DataMode::off ? "off" : mode == DataMode::deferred ? "deferred" : "eager"; }

TensorValue DataPlane::view(const PhysRanges& from, const Shape& shape, DType dtype) const {
  TensorValue value{memory_.snapshot(from), shape, dtype, {}};
  if (value.image.nbytes() != value.nbytes()) {
    throw UsageError("a tensor " + shape.str() + " of " + std::string(name_of(dtype)) + " has " + std::to_string(value.nbytes()) +
                     " bytes, not " + std::to_string(value.image.nbytes()));
  }
  return value;
}

IssuedOp DataPlane::load(const PhysRanges& from, const Shape& shape, DType dtype, const PhysRanges& to) {
  TensorValue value = view(from, shape, dtype);
  DataOpPtr op = memory_op(next_op_++, MemoryParams::Kind::load, value.image.value_ids(), from, to);
  return {std::move(op), std::move(value)};
}

DataOpPtr DataPlane::store(const TensorValue& value, const PhysRanges& to, const PhysRanges& from) {
  const TensorValue dense = made_dense(value);
  if (total_bytes(to) != dense.nbytes()) {
    throw UsageError("a store of " + std::to_string(dense.nbytes()) + " bytes to a place of " + std::to_string(total_bytes(to)) + " bytes");
  }
  memory_.write_image(to, dense.image);
  return memory_op(next_op_++, MemoryParams::Kind::store, dense.image.value_ids(), from, to);
}

DataOpPtr DataPlane::copy(const PhysRanges& from, const PhysRanges& to) {
  const ByteImage image = memory_.snapshot(from);
  memory_.write_image(to, image);
  return memory_op(next_op_++, MemoryParams::Kind::copy, image.value_ids(), from, to);
}

DataOpPtr DataPlane::taken(const TensorValue& value, const PhysRanges& from) {
  return memory_op(next_op_++, MemoryParams::Kind::copy, value.image.value_ids(), from, {});
}

IssuedOp DataPlane::gemm(GemmParams params, std::vector<TensorValue> inputs, OpPlaces places) {
  if (inputs.size() < 2) throw UsageError("dot takes two operands");
  const TensorValue &a = inputs[0], &b = inputs[1];
  const GemmExtents extents = gemm_extents(a.shape, b.shape, params.transpose_a, params.transpose_b);
  params.m = extents.m;
  params.k = extents.k;
  params.n = extents.n;
  const DType accumulator = accumulator_dtype(a.dtype, b.dtype);
  if (params.acc_dtype.value_or(accumulator) != accumulator) {
    throw UsageError("acc_dtype " + std::string(name_of(*params.acc_dtype)) + " of " + gemm_name(a.dtype) + ": must be " +
                     std::string(name_of(accumulator)));
  }
  params.acc_dtype = accumulator;
  if (!params.out_dtype) params.out_dtype = is_float(a.dtype) ? promote(a.dtype, b.dtype) : DType::i32;
  if (params.tile_k <= 0) params.tile_k = params.k;
  const Shape out({params.m, params.n});
  check_epilogue(params.epilogue, shapes_of(inputs), out, (params.k + params.tile_k - 1) / params.tile_k);
  const DType out_dtype = *params.out_dtype;
  return define({0, std::move(params), std::move(inputs), {}, std::move(places)}, out, out_dtype);
}

IssuedOp DataPlane::math(MathParams params, std::vector<TensorValue> inputs, OpPlaces places) {
  const std::vector<Shape> shapes = shapes_of(inputs);
  const std::size_t tensors = operand_tensors(params, inputs.size());
  if (params.epilogue.empty() && tensors < inputs.size()) throw UsageError(std::string(name_of(params.op)) + ": too many operands");
  if (tensors > inputs.size()) throw UsageError(std::string(name_of(params.op)) + ": operand without an input");
  const Shape out = result_shape(params, {shapes.begin(), shapes.begin() + static_cast<std::ptrdiff_t>(tensors)});
  std::vector<DType> dtypes = dtypes_of(inputs);
  dtypes.resize(tensors);
  const DType out_dtype = result_dtype(params, dtypes);
  params.out_dtype = out_dtype;
  check_epilogue(params.epilogue, shapes, out, 0);
  if (params.operands.empty()) {
    for (std::size_t i = 0; i < tensors; ++i) params.operands.push_back(MathOperand::tensor(static_cast<int>(i)));
  }
  return define({0, std::move(params), std::move(inputs), {}, std::move(places)}, out, out_dtype);
}

TensorValue DataPlane::made_dense(const TensorValue& value) {
  if (value.dense()) return value;
  if (value.known()) {
    const std::vector<std::byte> bytes = dense_bytes(value);
    return constant(bytes.data(), value.shape, value.dtype);
  }
  return define({0, ConvertParams{}, {value}, {}, {}}, value.shape, value.dtype).value;
}

TensorValue DataPlane::converted(const TensorValue& value, DType dtype) {
  if (dtype == value.dtype) return made_dense(value);
  return define({0, ConvertParams{}, {value}, {}, {}}, value.shape, dtype).value;
}

TensorValue DataPlane::constant(const void* data, const Shape& shape, DType dtype) {
  return {ByteImage::copy_of(data, static_cast<std::uint64_t>(shape.elements()) * size_of(dtype)), shape, dtype, {}};
}

TensorValue DataPlane::full(const Shape& shape, DType dtype, double value) {
  const std::uint64_t size = size_of(dtype), nbytes = static_cast<std::uint64_t>(shape.elements()) * size;
  SharedBytes bytes = make_shared_bytes(nbytes, false);
  for (std::uint64_t at = 0; at < nbytes; at += size) write_element(bytes.get() + at, dtype, value);
  return {ByteImage::of(std::move(bytes), nbytes), shape, dtype, {}};
}

TensorValue DataPlane::zeros(const Shape& shape, DType dtype) {
  return {ByteImage::zeros(static_cast<std::uint64_t>(shape.elements()) * size_of(dtype)), shape, dtype, {}};
}

IssuedOp DataPlane::define(DataOp op, const Shape& shape, DType dtype) {
  op.id = next_op_++;
  op.outputs = {{values() + 1, shape, dtype}};
  const OutputValue& out = op.outputs.front();
  TensorValue value{ByteImage::of(ValueRef{out.id, 0, out.nbytes()}), shape, dtype, {}};
  ops_.push_back(std::make_shared<const DataOp>(std::move(op)));
  if (resolver_ != nullptr) resolver_->recorded(ops_.back());
  return {ops_.back(), std::move(value)};
}

const DataOpPtr& DataPlane::defining_op(ValueId id) const {
  if (id == no_value || id > values()) throw ModelError("value " + std::to_string(id) + " does not exist");
  return ops_[id - 1];
}

const OutputValue& DataPlane::output(ValueId id) const { return defining_op(id)->outputs.front(); }

ValueLookup DataPlane::lookup() const {
  if (resolver_ == nullptr) return {};
  return [this](ValueId id) { return resolver_->resolve(id); };
}

std::vector<std::byte> DataPlane::bytes(const TensorValue& value) const { return dense_bytes(value, lookup()); }

}  // namespace kernbench
