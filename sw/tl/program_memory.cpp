// Accesses of kernels to memory: references, loads, stores.
#include "models/data/functional_model.h"
#include "models/data/new_op.h"
#include "sw/tl/memory_access.h"

namespace kernbench::tl {

Handle Program::ref(const Ptr& ptr, const Shape& shape, DType dtype, CallSite site) {
  context_.calling("ref", site);
  check_block("tl.ref", shape);
  ptr.check_elements("tl.ref", dtype);
  ptr.check_access("tl.ref", bytes_of(shape, dtype));
  return Handle(std::make_shared<const Handle::State>(
      Handle::State{this, scratch_, {{}, shape, dtype, {}}, data_, nullptr, ptr, nullptr, 0}));
}

Program::Access Program::begin_load(const char* call, const Ptr& ptr, const Shape& shape,
                                    DType dtype, CallSite site) {
  begin(call + 3, site);  // skips "tl."
  check_block(call, shape);
  ptr.check_elements(call, dtype);
  const std::uint64_t nbytes = bytes_of(shape, dtype);
  const PhysRanges from = resolve(call, ptr, nbytes);
  check_order(call, ptr, from, false);
  // Allocated first: GCC 12 destroys members twice when a later initializer of an aggregate throws.
  std::shared_ptr<ScratchBlock> block = allocate(call, shape, dtype);
  IssuedOp issued = data_ != nullptr ? data_->load(accessor(), from, shape, dtype, place_of(*block))
                                     : IssuedOp{nullptr, FunctionalModel::zeros(shape, dtype)};
  if (records_without_data_)
    issued.op = record_of({MemoryParams::Kind::load, {}, dtype, shape}, from, place_of(*block));
  return {{DmaCommand{false, ptr.address(), nbytes}, std::move(issued.op)},
          {nullptr, {}, from, {}, call, true},
          std::move(issued.value),
          std::move(block)};
}

Program::Access Program::begin_store(const char* call, const Ptr& ptr, const Handle& block,
                                     CallSite site) {
  begin(call + 3, site);
  const Handle::State& state = operand(call, block);
  ptr.check_elements(call, block.dtype());
  const PhysRanges to = resolve(call, ptr, block.nbytes());
  check_order(call, ptr, to, true);
  Access access{{DmaCommand{true, ptr.address(), block.nbytes()}, nullptr},
                {nullptr, {block.state_}, {}, to, call, true},
                {},
                nullptr};
  if (data_ != nullptr)
    access.command.data = data_->store(accessor(), state.value, to, place_of(block));
  if (records_without_data_)
    access.command.data = record_of({MemoryParams::Kind::store, {}, block.dtype(), block.shape()},
                                    place_of(block), to);
  return access;
}

Handle Program::complete(Access&& access) {
  note(access.entry, agent_);
  run(std::move(access.command));
  if (access.block == nullptr) return {};
  access.value.image.replace_captures();  // the time of the issue has passed
  if (access.gathered && data_ != nullptr) access.value = gathered_value(*access.gathered);
  return make_handle(std::move(access.value), std::move(access.block));
}

Handle Program::leave_in_flight(Access&& access) {
  access.entry.command = context_.issue(std::move(access.command));
  Handle::State state{
      this,    scratch_, std::move(access.value), data_, std::move(access.block), std::nullopt,
      nullptr, 0};
  if (state.block == nullptr) state = *access.entry.operands.front();  // the block that is stored
  state.producer = access.entry.command;
  state.gathered = std::move(access.gathered);
  const Handle handle(std::make_shared<const Handle::State>(std::move(state)));
  access.entry.operands.push_back(handle.state_);
  put_in_flight(std::move(access.entry));
  return handle;
}

Handle Program::load(const Ptr& ptr, const Shape& shape, DType dtype, CallSite site) {
  return complete(begin_load("tl.load", ptr, shape, dtype, site));
}

Handle Program::load_async(const Ptr& ptr, const Shape& shape, DType dtype, CallSite site) {
  return leave_in_flight(begin_load("tl.load_async", ptr, shape, dtype, site));
}

void Program::store(const Ptr& ptr, const Handle& block, CallSite site) {
  complete(begin_store("tl.store", ptr, block, site));
}

Handle Program::store_async(const Ptr& ptr, const Handle& block, CallSite site) {
  return leave_in_flight(begin_store("tl.store_async", ptr, block, site));
}

}  // namespace kernbench::tl
