// Accesses of kernels to memory: references, loads, stores.
#include "models/data/functional_model.h"
#include "sw/tl/program.h"

namespace kernbench::tl {

Handle Program::ref(const Ptr& ptr, const Shape& shape, DType dtype, CallSite site) {
  context_.calling("ref", site);
  ptr.check_dtype("tl.ref", dtype);
  ptr.check_access("tl.ref", bytes_of(shape, dtype));
  return Handle(std::make_shared<const Handle::State>(
      Handle::State{this, scratch_, {{}, shape, dtype, {}}, data_, nullptr, ptr, nullptr, 0}));
}

Handle Program::load(const Ptr& ptr, const Shape& shape, DType dtype, CallSite site) {
  begin("load", site);
  ptr.check_dtype("tl.load", dtype);
  const std::uint64_t nbytes = bytes_of(shape, dtype);
  const PhysRanges from = resolve("tl.load", ptr, nbytes);
  access("tl.load", ptr, from, false);
  std::shared_ptr<ScratchBlock> block = allocate("tl.load", shape, dtype);
  Command command{DmaCommand{false, ptr.address(), nbytes}, nullptr};
  TensorValue value{ByteImage::zeros(nbytes), shape, dtype, {}};
  if (data_ != nullptr) {
    IssuedOp issued = data_->load(accessor(), from, shape, dtype, place_of(*block));
    command.data = std::move(issued.op);
    value = std::move(issued.value);
  }
  run(std::move(command));
  value.image = value.image.without_captures();  // the instant of the issue is over
  return make_handle(std::move(value), std::move(block));
}

void Program::store(const Ptr& ptr, const Handle& block, CallSite site) {
  begin("store", site);
  const Handle::State& state = operand("tl.store", block);
  ptr.check_dtype("tl.store", block.dtype());
  const PhysRanges to = resolve("tl.store", ptr, block.nbytes());
  access("tl.store", ptr, to, true);
  Command command{DmaCommand{true, ptr.address(), block.nbytes()}, nullptr};
  if (data_ != nullptr) command.data = data_->store(accessor(), state.value, to, place_of(block));
  run(std::move(command));
}

}  // namespace kernbench::tl
