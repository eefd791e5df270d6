// Computations of kernels on blocks in TCM: products and PE_MATH operations.
#include <algorithm>
#include <string>

#include "models/data/functional_model.h"
#include "models/data/shape_rules.h"
#include "sw/tl/program.h"

namespace kernbench::tl {

Handle Program::dot(const Handle& a, const Handle& b, std::optional<DType> out, CallSite site) {
  begin("dot", site);
  const Handle::State &left = operand("tl.dot", a), &right = operand("tl.dot", b);
  const GemmExtents extents = gemm_extents(a.shape(), b.shape());
  accumulator_dtype(a.dtype(), b.dtype());
  const DType out_dtype =
      out.value_or(is_float(a.dtype()) ? promote(a.dtype(), b.dtype()) : DType::i32);
  const Shape shape{extents.m, extents.n};
  std::shared_ptr<ScratchBlock> block = allocate("tl.dot", shape, out_dtype);
  Command command{DotCommand{extents.m,
                             extents.k,
                             extents.n,
                             a.dtype(),
                             {operand_of(a), operand_of(b), operand_of(*block, shape, out_dtype)}},
                  nullptr};
  TensorValue value{ByteImage::zeros(bytes_of(shape, out_dtype)), shape, out_dtype, {}};
  if (data_ != nullptr) {
    GemmParams params;
    params.out_dtype = out_dtype;
    params.engine = gemm_engine();
    PhysRanges from = place_of(a);
    from.push_back(place_of(b).front());
    IssuedOp issued = data_->gemm(std::move(params), {left.value, right.value},
                                  {std::move(from), place_of(*block)});
    command.data = std::move(issued.op);
    value = std::move(issued.value);
  }
  Handle handle = make_handle(std::move(value), std::move(block));
  run(std::move(command));
  return handle;
}

Handle Program::math(MathOp op, const std::vector<Operand>& operands, std::optional<int> axis,
                     std::optional<DType> out) {
  begin(name_of(op).data());  // of literals
  const std::string call = "tl." + std::string(name_of(op));
  MathParams params;
  params.op = op;
  params.axis = axis;
  params.out_dtype = out;
  std::vector<TensorValue> inputs;
  std::vector<Shape> shapes;
  std::vector<DType> dtypes;
  std::vector<CompositeOperand> tensors;
  OpAddresses places;
  std::int64_t elements = 1;
  for (const Operand& each : operands) {
    if (!each.is_handle()) {
      params.operands.push_back(MathOperand::scalar(each.scalar()));
      continue;
    }
    const Handle& handle = each.handle();
    const Handle::State& state = operand(call.c_str(), handle);
    params.operands.push_back(MathOperand::tensor(static_cast<int>(shapes.size())));
    shapes.push_back(handle.shape());
    dtypes.push_back(handle.dtype());
    tensors.push_back(operand_of(handle));
    elements = std::max(elements, handle.shape().elements());
    if (data_ == nullptr) continue;
    inputs.push_back(state.value);
    places.from.push_back(place_of(handle).front());
  }
  const Shape shape = result_shape(params, shapes);
  const DType dtype = result_dtype(params, dtypes);
  elements = std::max(elements, shape.elements());  // of the widest operand, once broadcast
  std::shared_ptr<ScratchBlock> block = allocate(call.c_str(), shape, dtype);
  tensors.push_back(operand_of(*block, shape, dtype));
  Command command{MathCommand{op, elements, std::move(tensors)}, nullptr};
  TensorValue value{ByteImage::zeros(bytes_of(shape, dtype)), shape, dtype, {}};
  if (data_ != nullptr) {
    places.to = place_of(*block);
    IssuedOp issued = data_->math(std::move(params), std::move(inputs), std::move(places));
    command.data = std::move(issued.op);
    value = std::move(issued.value);
  }
  Handle handle = make_handle(std::move(value), std::move(block));
  run(std::move(command));
  return handle;
}

}  // namespace kernbench::tl
