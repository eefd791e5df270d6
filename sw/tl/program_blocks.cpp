// Accesses of kernels to blocks with strides, masks and indices.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/errors.h"
#include "models/data/functional_model.h"
#include "sw/tl/block_access.h"
#include "sw/tl/index_block.h"
#include "sw/tl/program.h"

namespace kernbench::tl {
namespace {

constexpr const char* load_call = "tl.load";
constexpr const char* store_call = "tl.store";

double fill_of(Padding padding) {
  return padding == Padding::nan ? std::numeric_limits<double>::quiet_NaN() : 0;
}

void check_order(const std::vector<int>& order, std::size_t rank) {
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted.size() != rank || sorted[i] != static_cast<int>(i))
      throw UsageError(
          fmt::format("tl.make_block_ptr: order must be a permutation of 0 to {}", rank - 1));
  }
}

// The values of an operand that says where an access goes.
std::vector<std::int64_t> known_indices(const char* call, const char* what, const Handle& handle) {
  if (is_float(handle.dtype()))
    throw UsageError(fmt::format("{}: {} {}: must be integers", call, what, handle.str()));
  return *handle.index_values();
}

std::vector<std::int64_t> broadcast_mask(const char* call, const Handle& mask, const Shape& shape) {
  const std::vector<std::int64_t> values = known_indices(call, "mask", mask);
  if (mask.shape() == shape) return values;
  const auto index = std::make_shared<const std::vector<std::int64_t>>(values);
  return *viewed(index, mask.shape(),
                 [&shape](const TensorValue& x) { return broadcast_to(x, shape); });
}

void check_table(const char* call, const BlockPtr& table) {
  if (table.block_shape().rank() == 2 && table.block_shape()[0] == 1) return;
  throw UsageError(
      fmt::format("{}: block shape {}: must be {{1, columns}}", call, table.block_shape().str()));
}

std::vector<std::int64_t> row_numbers(const char* call, const Handle& rows) {
  if (rows.shape().rank() != 1)
    throw UsageError(fmt::format("{}: rows {}: must have one axis", call, rows.str()));
  return known_indices(call, "rows", rows);
}

}  // namespace

// --- blocks ---

BlockPtr Program::make_block_ptr(const Ptr& base, const Extents& shape, const Extents& strides,
                                 const Extents& offsets, const Shape& block_shape,
                                 const std::vector<int>& order) {
  context_.calling("make_block_ptr");
  check_order(order, shape.size());
  return BlockPtr("tl.make_block_ptr", base, shape, strides, offsets, block_shape);
}

BlockPtr Program::advance(const BlockPtr& block, const Extents& offsets) {
  context_.calling("advance");
  if (offsets.size() != block.offsets().size())
    throw UsageError(fmt::format("tl.advance by {} offsets: the block {} has {} axes",
                                 offsets.size(), block.block_shape().str(),
                                 block.offsets().size()));
  BlockPtr moved = block;
  for (std::size_t axis = 0; axis < offsets.size(); ++axis) moved.offsets_[axis] += offsets[axis];
  return moved;
}

TensorDescriptor Program::make_tensor_descriptor(const Ptr& base, const Extents& shape,
                                                 const Extents& strides, const Shape& block_shape,
                                                 Padding padding) {
  constexpr const char* call = "tl.make_tensor_descriptor";
  context_.calling("make_tensor_descriptor");
  BlockPtr tensor(call, base, shape, strides, Extents(shape.size(), 0), block_shape);
  if (strides.back() != 1)
    throw UsageError(
        fmt::format("{}: stride {} of the last axis: must be 1", call, strides.back()));
  if (padding == Padding::nan && !is_float(tensor.dtype()))
    throw UsageError(
        fmt::format("{}: padding nan of {}: integers have none", call, name_of(tensor.dtype())));
  return TensorDescriptor(*this, std::move(tensor), padding);
}

Handle Program::load(const BlockPtr& block, const Boundary& boundary) {
  begin("load");
  return load_block(load_call, block.base(), strided_access(load_call, block, boundary, false),
                    fill_of(boundary.padding));
}

void Program::store(const BlockPtr& to, const Handle& block, const Boundary& boundary) {
  begin("store");
  if (block.shape() != to.block_shape())
    throw UsageError(fmt::format("tl.store of {} to a block {}: the shapes differ", block.str(),
                                 to.block_shape().str()));
  store_block(store_call, to.base(), strided_access(store_call, to, boundary, true), block);
}

Handle Program::ref(const BlockPtr& block) {
  context_.calling("ref");
  return reference("tl.ref", block);
}

Handle Program::reference(const char* call, const BlockPtr& block) {
  auto access = std::make_shared<const BlockAccess>(strided_access(call, block, {}, false));
  Ptr first = block.base();
  for (std::size_t axis = 0; axis < block.offsets().size(); ++axis)
    first += block.offsets()[axis] * block.strides()[axis] *
             static_cast<std::int64_t>(size_of(block.dtype()));
  TensorValue layout = strided_view({}, block.block_shape(), block.dtype(), block.strides());
  if (layout.dense()) access = nullptr;
  return Handle(std::make_shared<const Handle::State>(Handle::State{
      this, scratch_, std::move(layout), data_, nullptr, first, nullptr, 0, nullptr, access}));
}

// --- elements ---

Handle Program::load_elements(const Ptr& base, const Handle& offsets, DType dtype,
                              const std::optional<Masked>& masked) {
  begin("load");
  base.check_dtype(load_call, dtype);
  const std::vector<std::int64_t> index = known_indices(load_call, "offsets", offsets);
  std::optional<std::vector<std::int64_t>> mask;
  if (masked) mask = broadcast_mask(load_call, masked->mask, offsets.shape());
  const BlockAccess access =
      element_access(load_call, base, offsets.shape(), dtype, index, mask ? &*mask : nullptr);
  return load_block(load_call, base, access, masked ? masked->other : 0);
}

void Program::store(const Ptr& base, const Handle& offsets, const Handle& block,
                    const std::optional<Handle>& masked) {
  begin("store");
  base.check_dtype(store_call, block.dtype());
  if (block.shape() != offsets.shape())
    throw UsageError(
        fmt::format("tl.store of {} by offsets {}: the shapes differ", block.str(), offsets.str()));
  const std::vector<std::int64_t> index = known_indices(store_call, "offsets", offsets);
  std::optional<std::vector<std::int64_t>> mask;
  if (masked) mask = broadcast_mask(store_call, *masked, offsets.shape());
  store_block(store_call, base,
              element_access(store_call, base, offsets.shape(), block.dtype(), index,
                             mask ? &*mask : nullptr),
              block);
}

// --- the pieces that they share ---

PhysRanges Program::resolve(const char* call, const Ptr& base, const AddressRuns& runs) const {
  PhysRanges ranges;
  for (const AddressRun& run : runs) {
    try {
      for (const PhysRange& range : context_.translate(run.address, run.nbytes))
        ranges.push_back(range);
    } catch (const AccessFault& fault) {
      const Ptr at = base + static_cast<std::int64_t>(run.address - base.address());
      throw AccessFault(fmt::format("{} at {}: {}", call, at.str(), fault.what()));
    }
  }
  return ranges;
}

DmaCommand Program::dma_of(const Ptr& base, const BlockAccess& access, bool write) {
  const std::uint64_t first = access.runs.empty() ? base.address() : access.runs.front().address;
  DmaCommand dma{write, first, access.nbytes(), nullptr};
  if (access.runs.size() > 1) dma.runs = std::make_shared<const AddressRuns>(access.runs);
  return dma;
}

Handle Program::load_block(const char* call, const Ptr& base, const BlockAccess& access,
                           double fill) {
  const PhysRanges from = resolve(call, base, access.runs);
  std::shared_ptr<ScratchBlock> block = allocate(call, access.block, access.dtype);
  const bool has_values = data_ != nullptr && !from.empty();
  Command command{dma_of(base, access, false), nullptr};
  ByteImage bytes;
  if (has_values) {
    const auto elements = static_cast<std::int64_t>(access.nbytes() / size_of(access.dtype));
    IssuedOp issued =
        data_->load(accessor(), from, Shape{elements}, access.dtype, place_of(*block));
    command.data = std::move(issued.op);
    bytes = std::move(issued.value.image);
  }
  run(std::move(command));
  if (data_ == nullptr)
    return make_handle(FunctionalModel::zeros(access.block, access.dtype), std::move(block));
  // The instant of the issue is over. In TCM a block is dense.
  const TensorValue value = access.loaded(bytes.without_captures(), fill);
  return make_handle(data_->made_dense(value), std::move(block));
}

void Program::store_block(const char* call, const Ptr& base, const BlockAccess& access,
                          const Handle& block) {
  const Handle::State& state = operand(call, block);
  base.check_dtype(call, block.dtype());
  const PhysRanges to = resolve(call, base, access.runs);
  Command command{dma_of(base, access, true), nullptr};
  if (data_ != nullptr && !to.empty()) {
    const TensorValue& value = state.value;
    command.data = data_->store(
        accessor(), access.stored(access.order.empty() ? data_->made_dense(value) : value), to,
        place_of(block));
  }
  run(std::move(command));
}

// --- descriptors ---

Boundary TensorDescriptor::boundary() const {
  Boundary all{{}, padding_};
  for (std::size_t axis = 0; axis < tensor_.shape().size(); ++axis)
    all.axes.push_back(static_cast<int>(axis));
  return all;
}

BlockPtr TensorDescriptor::at(const Extents& offsets) const {
  return program_->advance(tensor_, offsets);
}

Handle TensorDescriptor::load(const Extents& offsets) const {
  return program_->load(at(offsets), boundary());
}

void TensorDescriptor::store(const Extents& offsets, const Handle& block) const {
  program_->store(at(offsets), block, {boundary().axes, Padding::zero});
}

Handle TensorDescriptor::ref(const Extents& offsets) const { return program_->ref(at(offsets)); }

Handle TensorDescriptor::gather(const Handle& rows, std::int64_t column) const {
  constexpr const char* call = "gather";
  check_table(call, tensor_);
  program_->begin(call);
  return program_->load_block(call, tensor_.base(),
                              row_access(call, tensor_, row_numbers(call, rows), column),
                              fill_of(padding_));
}

void TensorDescriptor::scatter(const Handle& block, const Handle& rows, std::int64_t column) const {
  constexpr const char* call = "scatter";
  check_table(call, tensor_);
  program_->begin(call);
  const BlockAccess access = row_access(call, tensor_, row_numbers(call, rows), column);
  if (block.shape() != access.block)
    throw UsageError(fmt::format("scatter of {} to rows {}: the shapes differ", block.str(),
                                 access.block.str()));
  program_->store_block(call, tensor_.base(), access, block);
}

}  // namespace kernbench::tl
