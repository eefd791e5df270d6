// Products of blocks in TCM.
#include "models/data/functional_model.h"
#include "models/data/new_op.h"
#include "models/data/shape_rules.h"
#include "sw/tl/program.h"

namespace kernbench::tl {

// Issues a computation of blocks; waits for it, or leaves it in flight under a tl::Overlap.
Program::Handles Program::compute(const std::string& call, Command&& command,
                                  const SmallVector<NewBlock, 2>& results,
                                  const std::vector<Operand>& operands) {
  const std::shared_ptr<CommandState> state = context_.issue(std::move(command));
  if (overlaps_ == 0) context_.wait(*state);
  Handles handles;
  for (const NewBlock& result : results) {
    if (overlaps_ > 0) result->producer = state;
    handles.push_back(Handle(result));
  }
  if (overlaps_ == 0) return handles;
  InFlight entry{state, {}, {}, {}, call, true};
  for (const Handle& handle : handles) entry.operands.push_back(handle.state_);
  for (const Operand& each : operands) {
    if (each.is_handle()) entry.operands.push_back(each.handle().state_);
  }
  put_in_flight(std::move(entry));
  return handles;
}

// --- products

Handle Program::dot(const Handle& a, const Handle& b, std::optional<DType> out, CallSite site) {
  begin("dot", site);
  operand("tl.dot", a);
  operand("tl.dot", b);
  const Shape shape = dot_shape(a.shape(), b.shape());
  accumulator_dtype(a.dtype(), b.dtype());
  const DType dtype =
      out.value_or(is_float(a.dtype()) ? promote(a.dtype(), b.dtype()) : DType::i32);
  return product({a, b}, dtype, allocate("tl.dot", shape, dtype));
}

Handle Program::accumulate(const Handle& a, const Handle& b, Handle&& acc, CallSite site) {
  begin("dot", site);
  operand("tl.dot", a);
  operand("tl.dot", b);
  operand("tl.dot", acc);
  const Shape shape = dot_shape(a.shape(), b.shape());
  const DType dtype = accumulator_dtype(a.dtype(), b.dtype());
  check_accumulator(shape, dtype, acc.shape(), acc.dtype());
  reap();
  const bool in_place = has_block_alone(acc) && acc.state_ != a.state_ && acc.state_ != b.state_;
  Handle result =
      product({a, b, acc}, dtype, in_place ? acc.state().block : allocate("tl.dot", shape, dtype));
  acc = Handle();
  return result;
}

// Whether the handle covers a whole block that neither another handle nor a command in flight
// holds.
bool Program::has_block_alone(const Handle& handle) {
  const Handle::State& state = handle.state();
  return handle.state_.use_count() == 1 && state.block.use_count() == 1 && state.offset == 0 &&
         state.value.dense() && state.block->nbytes() == handle.nbytes();
}

// Product of a and b, added to a third operand if there is one.
Handle Program::product(const std::vector<Operand>& operands, DType dtype,
                        std::shared_ptr<ScratchBlock> block) {
  const Handle &a = operands[0].handle(), &b = operands[1].handle();
  const GemmExtents extents = dot_extents(a.shape(), b.shape());
  const Shape shape = dot_shape(a.shape(), b.shape());
  DotCommand dot{extents.m, extents.k, extents.n, a.dtype(), {}, extents.batch};
  for (const Operand& each : operands) dot.operands.push_back(operand_of(each.handle()));
  dot.operands.push_back(operand_of(*block, shape, dtype));
  Command command{std::move(dot), nullptr};
  TensorValue value{ByteImage::zeros(bytes_of(shape, dtype)), shape, dtype, {}};
  if (data_ != nullptr || records_without_data_) {
    GemmParams params;
    params.out_dtype = dtype;
    params.accumulates = operands.size() > 2;
    params.engine = gemm_engine();
    std::vector<TensorValue> inputs;
    OpAddresses places{{}, place_of(*block)};
    for (const Operand& each : operands) {
      inputs.push_back(each.handle().state().value);
      places.from.push_back(place_of(each.handle()).front());
    }
    if (data_ != nullptr) {
      IssuedOp issued = data_->gemm(std::move(params), std::move(inputs), std::move(places));
      command.data = std::move(issued.op);
      value = std::move(issued.value);
    } else {
      command.data = record_of(std::move(params), std::move(inputs), std::move(places));
    }
  }
  return compute("tl.dot", std::move(command), {new_block(std::move(value), std::move(block))},
                 operands)
      .front();
}

}  // namespace kernbench::tl
