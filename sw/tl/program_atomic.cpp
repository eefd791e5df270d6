// Atomic operations of kernels: the memory modifies the element and returns its previous value.
#include <fmt/format.h>

#include "models/base/errors.h"
#include "models/data/atomic_update.h"
#include "models/data/functional_model.h"
#include "models/data/new_op.h"
#include "models/data/race_detector.h"
#include "sw/tl/memory_access.h"
#include "sw/tl/program.h"

namespace kernbench::tl {
namespace {

const Handle* block_among(const std::vector<Operand>& operands) {
  for (const Operand& operand : operands) {
    if (operand.is_handle()) return &operand.handle();
  }
  return nullptr;
}

DType dtype_of(const char* name, AtomicOp op, const Ptr& base,
               const std::vector<Operand>& operands) {
  for (const Operand& operand : operands) {
    if (operand.is_handle()) base.check_elements(name, operand.handle().dtype());
  }
  const Handle* block = block_among(operands);
  if (!base.dtype() && block == nullptr)
    throw UsageError(fmt::format("{}: {} has no dtype; use ptr.as(dtype)", name, base.str()));
  const DType dtype = base.dtype() ? *base.dtype() : block->dtype();
  if (takes(op, dtype)) {
    base.check_elements(name, dtype);
    return dtype;
  }
  std::string allowed;
  for (const DType each : {DType::i32, DType::f32, DType::f16, DType::bf16}) {
    if (takes(op, each)) allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", name_of(each));
  }
  throw UsageError(
      fmt::format("{} of {} at {}: allowed are {}", name, name_of(dtype), base.str(), allowed));
}

BlockAccess contiguous_access(const char* name, const Ptr& base, const Shape& shape, DType dtype) {
  BlockAccess access;
  access.block = shape;
  access.dtype = dtype;
  access.strides = row_major_strides(shape);
  const std::uint64_t nbytes = static_cast<std::uint64_t>(shape.elements()) * size_of(dtype);
  base.check_access(name, nbytes);
  access.runs = {{base.address(), nbytes}};
  return access;
}

TensorValue broadcast_operand(const char* name, const TensorValue& value, const Shape& shape) {
  if (value.shape == shape) return value;
  try {
    return broadcast_to(value, shape);
  } catch (const UsageError&) {
    throw UsageError(fmt::format("{} of {}: it does not broadcast to the {} elements", name,
                                 describe(value.dtype, value.shape), shape.str()));
  }
}

}  // namespace

// TCM has no unit for atomics; plain TLM-2.0 targets and memories in RTL refuse the request.
void Program::check_serves_atomics(const char* name, const Ptr& base,
                                   const PhysRanges& places) const {
  const MachineDescription& machine = context_.machine();
  for (const PhysRange& range : places) {
    const NodeId memory = machine.place_of(range.pa).node;
    if (machine.nodes.at(memory).kind != kernbench::name_of(PeEngine::pe_tcm)) continue;
    throw UsageError(fmt::format("{} at {}: it lies in {}; HBM and SRAM serve atomic operations",
                                 name, base.str(), machine.name(memory)));
  }
}

BlockAccess Program::atomic_access(const char* name, const AtomicCall& call, DType dtype,
                                   CallSite site) {
  const Handle* block = block_among(call.operands);
  if (!call.offsets)
    return contiguous_access(name, call.base, block == nullptr ? Shape{1} : block->shape(), dtype);
  const Shape shape = call.offsets->shape();
  const std::vector<std::int64_t> index = known_indices(name, "offsets", *call.offsets, site);
  std::optional<std::vector<std::int64_t>> mask;
  if (call.mask) mask = broadcast_mask(name, *call.mask, shape, site);
  return element_access(name, call.base, shape, dtype, index, mask ? &*mask : nullptr);
}

// Operand elements that take part, in the order of the access. Empty with data off.
ByteImage Program::atomic_operand(const char* name, const Operand& operand,
                                  const BlockAccess& access) {
  const auto elements = static_cast<std::int64_t>(access.nbytes() / size_of(access.dtype));
  if (!operand.is_handle()) {
    const double value = element_number(name, operand.scalar(), access.dtype);
    if (data_ == nullptr || elements == 0) return {};
    return FunctionalModel::full(Shape{elements}, access.dtype, value).image;
  }
  const TensorValue value =
      broadcast_operand(name, this->operand(name, operand.handle()).value, access.block);
  if (data_ == nullptr || elements == 0) return {};
  return access.stored(data_->made_dense(value)).image;
}

Handle AtomicCalls::atomic(const AtomicCall& call, CallSite site) {
  return static_cast<Program&>(*this).atomic(call, site);
}

Handle Program::atomic(const AtomicCall& call, CallSite site) {
  const std::string text = std::string("tl.") + name_of(call.op);
  const char* name = text.c_str();
  begin(name_of(call.op), site);
  const DType dtype = dtype_of(name, call.op, call.base, call.operands);
  const BlockAccess access = atomic_access(name, call, dtype, site);
  std::vector<ByteImage> operands;
  for (const Operand& operand : call.operands)
    operands.push_back(atomic_operand(name, operand, access));
  const PhysRanges places = resolve(name, call.base, access.runs);
  check_serves_atomics(name, call.base, places);
  check_order(name, call.base, places, true);
  const std::shared_ptr<ScratchBlock> block = allocate(name, access.block, dtype);
  DmaCommand dma = dma_of(call.base, access, true);
  std::shared_ptr<AtomicUpdate> update;
  DataOpPtr record;
  if (data_ != nullptr) {
    update = std::make_shared<AtomicUpdate>(*data_, call.op, dtype, places, operands);
    if (races_ != nullptr) update->order_by(agent_, {text, site, context_.now()});
    record = data_->atomic(operands.front(), access.block, dtype, places, place_of(*block));
  } else if (records_without_data_) {
    record =
        record_of({MemoryParams::Kind::atomic, {}, dtype, access.block}, places, place_of(*block));
  }
  dma.atomic = std::make_shared<const AtomicAccess>(AtomicAccess{call.op, update});
  run({std::move(dma), std::move(record)});
  return make_handle(update == nullptr ? FunctionalModel::zeros(access.block, dtype)
                                       : data_->made_dense(access.loaded(update->old_values(), 0)),
                     block);
}

}  // namespace kernbench::tl
