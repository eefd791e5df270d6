// Accesses of kernels to blocks with strides, masks and indices.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/errors.h"
#include "models/data/functional_model.h"
#include "models/data/new_op.h"
#include "models/data/shape_rules.h"
#include "sw/tl/block_access.h"
#include "sw/tl/index_block.h"
#include "sw/tl/memory_access.h"
#include "sw/tl/program.h"

namespace kernbench::tl {
namespace {

double fill_of(Padding padding) {
  return padding == Padding::nan ? std::numeric_limits<double>::quiet_NaN() : 0;
}

void check_permutation(const std::vector<int>& order, std::size_t rank) {
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted.size() != rank || sorted[i] != static_cast<int>(i))
      throw UsageError(
          fmt::format("tl.make_block_ptr: order must be a permutation of 0 to {}", rank - 1));
  }
}

void check_table(const char* call, const BlockPtr& table) {
  if (table.block_shape().rank() == 2 && table.block_shape()[0] == 1) return;
  throw UsageError(
      fmt::format("{}: block shape {}: must be {{1, columns}}", call, table.block_shape().str()));
}

std::vector<std::int64_t> row_numbers(const char* call, const Handle& rows, CallSite site) {
  if (rows.shape().rank() != 1)
    throw UsageError(fmt::format("{}: rows {}: must have one axis", call, rows.str()));
  return known_indices(call, "rows", rows, site);
}

void check_other(const Handle& other, const Handle& offsets) {
  if (kernbench::broadcast(other.shape(), offsets.shape()) != offsets.shape())
    throw UsageError(fmt::format("tl.load: other {} does not broadcast to the {} elements",
                                 other.str(), offsets.shape().str()));
}

}  // namespace

std::vector<std::int64_t> known_indices(const char* call, const char* what, const Handle& handle,
                                        CallSite site) {
  if (is_float(handle.dtype()))
    throw UsageError(fmt::format("{}: {} {}: must be integers", call, what, handle.str()));
  return handle.index_values(site);
}

std::vector<std::int64_t> broadcast_mask(const char* call, const Handle& mask, const Shape& shape,
                                         CallSite site) {
  const std::vector<std::int64_t> values = known_indices(call, "mask", mask, site);
  if (mask.shape() == shape) return values;
  const auto index = std::make_shared<const std::vector<std::int64_t>>(values);
  return *viewed(index, mask.shape(),
                 [&shape](const TensorValue& x) { return broadcast_to(x, shape); });
}

// --- blocks ---

BlockPtr Program::make_block_ptr(const Ptr& base, const Extents& shape, const Extents& strides,
                                 const Extents& offsets, const Shape& block_shape,
                                 const std::vector<int>& order, CallSite site) {
  context_.calling("make_block_ptr", site);
  check_permutation(order, shape.size());
  return BlockPtr("tl.make_block_ptr", base, shape, strides, offsets, block_shape);
}

BlockPtr Program::advance(const BlockPtr& block, const Extents& offsets, CallSite site) {
  context_.calling("advance", site);
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
                                                 Padding padding, CallSite site) {
  constexpr const char* call = "tl.make_tensor_descriptor";
  context_.calling("make_tensor_descriptor", site);
  BlockPtr tensor(call, base, shape, strides, Extents(shape.size(), 0), block_shape);
  if (strides.back() != 1)
    throw UsageError(
        fmt::format("{}: stride {} of the last axis: must be 1", call, strides.back()));
  if (padding == Padding::nan && !is_float(tensor.dtype()))
    throw UsageError(
        fmt::format("{}: padding nan of {}: integers have none", call, name_of(tensor.dtype())));
  return TensorDescriptor(*this, std::move(tensor), padding);
}

Program::Access Program::begin_load(const char* call, const BlockPtr& block,
                                    const Boundary& boundary, CallSite site) {
  begin(call + 3, site);  // skips "tl."
  return begin_block_load(call, block.base(), strided_access(call, block, boundary, false),
                          fill_of(boundary.padding));
}

Program::Access Program::begin_store(const char* call, const BlockPtr& to, const Handle& block,
                                     const Boundary& boundary, CallSite site) {
  begin(call + 3, site);
  if (block.shape() != to.block_shape())
    throw UsageError(fmt::format("{} of {} to a block {}: the shapes differ", call, block.str(),
                                 to.block_shape().str()));
  return begin_block_store(call, to.base(), strided_access(call, to, boundary, true), block);
}

Handle Program::load(const BlockPtr& block, const Boundary& boundary, CallSite site) {
  return complete(begin_load("tl.load", block, boundary, site));
}
Handle Program::load_async(const BlockPtr& block, const Boundary& boundary, CallSite site) {
  return leave_in_flight(begin_load("tl.load_async", block, boundary, site));
}
void Program::store(const BlockPtr& to, const Handle& block, const Boundary& boundary,
                    CallSite site) {
  complete(begin_store("tl.store", to, block, boundary, site));
}
Handle Program::store_async(const BlockPtr& to, const Handle& block, const Boundary& boundary,
                            CallSite site) {
  return leave_in_flight(begin_store("tl.store_async", to, block, boundary, site));
}

Handle Program::ref(const BlockPtr& block, CallSite site) {
  context_.calling("ref", site);
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

Program::Access Program::begin_load(const char* call, const Ptr& base, const Handle& offsets,
                                    DType dtype, const std::optional<Masked>& masked,
                                    CallSite site) {
  begin(call + 3, site);
  base.check_elements(call, dtype);
  const std::vector<std::int64_t> index = known_indices(call, "offsets", offsets, site);
  std::optional<std::vector<std::int64_t>> mask;
  if (masked) mask = broadcast_mask(call, masked->mask, offsets.shape(), site);
  const BlockAccess access =
      element_access(call, base, offsets.shape(), dtype, index, mask ? &*mask : nullptr);
  const double other = masked ? masked->other.scalar() : 0;
  return begin_block_load(call, base, access, element_number(call, other, access.dtype));
}

Program::Access Program::begin_store(const char* call, const Ptr& base, const Handle& offsets,
                                     const Handle& block, const std::optional<Handle>& masked,
                                     CallSite site) {
  begin(call + 3, site);
  base.check_elements(call, block.dtype());
  if (block.shape() != offsets.shape())
    throw UsageError(
        fmt::format("{} of {} by offsets {}: the shapes differ", call, block.str(), offsets.str()));
  const std::vector<std::int64_t> index = known_indices(call, "offsets", offsets, site);
  std::optional<std::vector<std::int64_t>> mask;
  if (masked) mask = broadcast_mask(call, *masked, offsets.shape(), site);
  const BlockAccess access =
      element_access(call, base, offsets.shape(), block.dtype(), index, mask ? &*mask : nullptr);
  return begin_block_store(call, base, access, block);
}

Handle Program::load_elements(const Ptr& base, const Handle& offsets, DType dtype,
                              const std::optional<Masked>& masked, CallSite site) {
  if (!masked || !masked->other.is_handle())
    return complete(begin_load("tl.load", base, offsets, dtype, masked, site));
  const Handle& other = masked->other.handle();
  check_other(other, offsets);
  const Masked zeros{masked->mask, {0.0, site}};
  const Handle loaded = complete(begin_load("tl.load", base, offsets, dtype, zeros, site));
  return math(MathOp::where, {{masked->mask, site}, loaded, other}, {}, dtype);
}
Handle Program::load_elements_async(const Ptr& base, const Handle& offsets, DType dtype,
                                    const std::optional<Masked>& masked, CallSite site) {
  context_.calling("load_async", site);
  if (masked && masked->other.is_handle())
    throw UsageError(
        "tl.load_async: a block `other` is chosen by PE_MATH; give a number, and tl.where(mask, "
        "loaded, other) behind the load");
  return leave_in_flight(begin_load("tl.load_async", base, offsets, dtype, masked, site));
}
void Program::store(const Ptr& base, const Handle& offsets, const Handle& block,
                    const std::optional<Handle>& mask, CallSite site) {
  complete(begin_store("tl.store", base, offsets, block, mask, site));
}
Handle Program::store_async(const Ptr& base, const Handle& offsets, const Handle& block,
                            const std::optional<Handle>& mask, CallSite site) {
  return leave_in_flight(begin_store("tl.store_async", base, offsets, block, mask, site));
}

// --- shared helpers ---

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

Program::Access Program::begin_block_load(const char* call, const Ptr& base,
                                          const BlockAccess& access, double fill) {
  const PhysRanges from = resolve(call, base, access.runs);
  check_order(call, base, from, false);
  // Allocated first: GCC 12 destroys members twice when a later initializer of an aggregate throws.
  std::shared_ptr<ScratchBlock> block = allocate(call, access.block, access.dtype);
  Access load{{dma_of(base, access, false), nullptr},
              {nullptr, {}, from, {}, call, true},
              FunctionalModel::zeros(access.block, access.dtype),
              std::move(block)};
  ByteImage bytes;
  if (data_ != nullptr && !from.empty()) {
    const auto elements = static_cast<std::int64_t>(access.nbytes() / size_of(access.dtype));
    IssuedOp issued = data_->load(accessor(), from, Shape{elements}, access.dtype,
                                  place_of(*load.block), &access.block);
    load.command.data = std::move(issued.op);
    bytes = std::move(issued.value.image);
  }
  if (records_without_data_ && !from.empty())
    load.command.data = record_of({MemoryParams::Kind::load, {}, access.dtype, access.block}, from,
                                  place_of(*load.block));
  load.gathered = std::make_shared<const GatheredLoad>(GatheredLoad{access, bytes, fill});
  return load;
}

// The time of the issue has passed. In TCM a block is dense.
TensorValue Program::gathered_value(const GatheredLoad& load) {
  return data_->made_dense(load.access.loaded(load.bytes.without_captures(), load.fill));
}

Program::Access Program::begin_block_store(const char* call, const Ptr& base,
                                           const BlockAccess& access, const Handle& block) {
  const Handle::State& state = operand(call, block);
  base.check_elements(call, block.dtype());
  const PhysRanges to = resolve(call, base, access.runs);
  check_order(call, base, to, true);
  Access store{{dma_of(base, access, true), nullptr},
               {nullptr, {block.state_}, {}, to, call, true},
               {},
               nullptr};
  if (data_ != nullptr && !to.empty()) {
    const TensorValue& value = state.value;
    store.command.data = data_->store(
        accessor(), access.stored(access.order.empty() ? data_->made_dense(value) : value), to,
        place_of(block), &access.block);
  }
  if (records_without_data_ && !to.empty())
    store.command.data =
        record_of({MemoryParams::Kind::store, {}, access.dtype, access.block}, place_of(block), to);
  return store;
}

// --- descriptors ---

Boundary TensorDescriptor::boundary() const {
  Boundary all{{}, padding_};
  for (std::size_t axis = 0; axis < tensor_.shape().size(); ++axis)
    all.axes.push_back(static_cast<int>(axis));
  return all;
}

BlockPtr TensorDescriptor::at(const Extents& offsets, CallSite site) const {
  return program_->advance(tensor_, offsets, site);
}

Handle TensorDescriptor::load(const Extents& offsets, CallSite site) const {
  return program_->load(at(offsets, site), boundary(), site);
}

Handle TensorDescriptor::load_async(const Extents& offsets, CallSite site) const {
  return program_->load_async(at(offsets, site), boundary(), site);
}

void TensorDescriptor::store(const Extents& offsets, const Handle& block, CallSite site) const {
  program_->store(at(offsets, site), block, {boundary().axes, Padding::zero}, site);
}

Handle TensorDescriptor::store_async(const Extents& offsets, const Handle& block,
                                     CallSite site) const {
  return program_->store_async(at(offsets, site), block, {boundary().axes, Padding::zero}, site);
}

Handle TensorDescriptor::ref(const Extents& offsets, CallSite site) const {
  return program_->ref(at(offsets, site), site);
}

Program::Access Program::begin_gather(const char* call, const TensorDescriptor& table,
                                      const Handle& rows, std::int64_t column, CallSite site) {
  begin(call, site);
  check_table(call, table.tensor_);
  return begin_block_load(call, table.tensor_.base(),
                          row_access(call, table.tensor_, row_numbers(call, rows, site), column),
                          fill_of(table.padding_));
}

Program::Access Program::begin_scatter(const char* call, const TensorDescriptor& table,
                                       const Handle& block, const Handle& rows, std::int64_t column,
                                       CallSite site) {
  begin(call, site);
  check_table(call, table.tensor_);
  const BlockAccess access = row_access(call, table.tensor_, row_numbers(call, rows, site), column);
  if (block.shape() != access.block)
    throw UsageError(fmt::format("{} of {} to rows {}: the shapes differ", call, block.str(),
                                 access.block.str()));
  return begin_block_store(call, table.tensor_.base(), access, block);
}

Handle TensorDescriptor::gather(const Handle& rows, std::int64_t column, CallSite site) const {
  return program_->complete(program_->begin_gather("gather", *this, rows, column, site));
}

Handle TensorDescriptor::gather_async(const Handle& rows, std::int64_t column,
                                      CallSite site) const {
  return program_->leave_in_flight(
      program_->begin_gather("gather_async", *this, rows, column, site));
}

void TensorDescriptor::scatter(const Handle& block, const Handle& rows, std::int64_t column,
                               CallSite site) const {
  program_->complete(program_->begin_scatter("scatter", *this, block, rows, column, site));
}

Handle TensorDescriptor::scatter_async(const Handle& block, const Handle& rows, std::int64_t column,
                                       CallSite site) const {
  return program_->leave_in_flight(
      program_->begin_scatter("scatter_async", *this, block, rows, column, site));
}

}  // namespace kernbench::tl
