#include "models/data/functional_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "models/data/elements.h"
#include "models/data/new_op.h"
#include "models/data/race_detector.h"

namespace kernbench {
namespace {

void check_size(const Shape& shape, DType dtype, std::uint64_t nbytes) {
  const std::uint64_t expected = static_cast<std::uint64_t>(shape.elements()) * size_of(dtype);
  if (nbytes == expected) return;
  throw UsageError(fmt::format("a tensor {} of {} has {} bytes, not {}", shape.str(),
                               name_of(dtype), expected, nbytes));
}

void check_place(const TensorValue& dense, const PhysRanges& to) {
  if (total_bytes(to) == dense.nbytes()) return;
  throw UsageError(
      fmt::format("a store of {} bytes to a place of {} bytes", dense.nbytes(), total_bytes(to)));
}

}  // namespace

const char* name_of(DataMode mode) {
  return mode == DataMode::off ? "off" : mode == DataMode::deferred ? "deferred" : "eager";
}

// --- accesses of PEs ---

void FunctionalModel::detect_races() { races_ = std::make_shared<RaceDetector>(); }

void FunctionalModel::resolve_before(Fs time) {
  if (journal_.is_earlier(time)) resolve();
}

TensorValue FunctionalModel::view(const Accessor& by, const PhysRanges& from, const Shape& shape,
                                  DType dtype) {
  check_size(shape, dtype, total_bytes(from));
  resolve_before(by.now);
  return {journal_.read(by, from), shape, dtype, {}};
}

IssuedOp FunctionalModel::load(const Accessor& by, const PhysRanges& from, const Shape& shape,
                               DType dtype, const PhysRanges& to, const Shape* block) {
  IssuedOp issued{nullptr, view(by, from, shape, dtype)};
  issued.op = memory_op(MemoryParams::Kind::load, issued.value.image,
                        block == nullptr ? shape : *block, dtype, from, to);
  return issued;
}

void FunctionalModel::write(const Accessor& by, const TensorValue& value, const PhysRanges& to) {
  TensorValue made;
  write_dense(by, dense_of(value, made), to);
}

void FunctionalModel::write_dense(const Accessor& by, const TensorValue& dense,
                                  const PhysRanges& to) {
  check_place(dense, to);
  resolve_before(by.now);
  journal_.write(by, to, dense.image);
}

DataOpPtr FunctionalModel::store(const Accessor& by, const TensorValue& value, const PhysRanges& to,
                                 const PhysRanges& from, const Shape* block) {
  TensorValue made;
  const TensorValue& dense = dense_of(value, made);
  write_dense(by, dense, to);
  return memory_op(MemoryParams::Kind::store, dense.image, block == nullptr ? value.shape : *block,
                   value.dtype, from, to);
}

DataOpPtr FunctionalModel::memory_op(MemoryParams::Kind kind, const ByteImage& moved,
                                     const Shape& block, DType dtype, const PhysRanges& from,
                                     const PhysRanges& to) {
  const std::uint64_t id = next_op_++;
  if (!moves_recorded_) return nullptr;
  const std::shared_ptr<DataOp> op = new_move({kind, std::nullopt, dtype, block}, from, to);
  op->id = id;
  if (moved.bound()) {
    std::get<MemoryParams>(op->params).values = moved.value_ids();
  } else {
    unresolved_.push_back({op, moved});
  }
  return op;
}

void FunctionalModel::resolve() {
  journal_.resolve();
  if (unresolved_.empty()) return;
  std::vector<Unresolved> now_resolved;
  now_resolved.swap(unresolved_);
  for (Unresolved& each : now_resolved) {
    if (auto* memory = std::get_if<MemoryParams>(&each.op->params))
      memory->values = each.moved.value_ids();
    for (TensorValue& input : each.op->inputs) input.image.replace_captures();
  }
  for (const Unresolved& each : now_resolved) {
    if (!each.op->outputs.empty()) recorded(each.op);
  }
  now_resolved.clear();
  live_values_.make_room();
}

// Called when the inputs are bound. An op whose value is no longer reachable is not computed.
void FunctionalModel::recorded(const std::shared_ptr<DataOp>& op) {
  if (live_values_.recorded(op) && resolver_ != nullptr) resolver_->recorded(op);
}

bool FunctionalModel::is_unresolved(ValueId id) const {
  return std::any_of(unresolved_.begin(), unresolved_.end(), [id](const Unresolved& each) {
    return !each.op->outputs.empty() && each.op->outputs[0].id == id;
  });
}

// --- calls without an Accessor ---

MemoryStore& FunctionalModel::memory() {
  resolve();
  return memory_;
}

TensorValue FunctionalModel::view(const PhysRanges& from, const Shape& shape, DType dtype) {
  check_size(shape, dtype, total_bytes(from));
  return {memory().snapshot(from), shape, dtype, {}};
}

IssuedOp FunctionalModel::load(const PhysRanges& from, const Shape& shape, DType dtype,
                               const PhysRanges& to) {
  IssuedOp issued{nullptr, view(from, shape, dtype)};
  issued.op = memory_op(MemoryParams::Kind::load, issued.value.image, shape, dtype, from, to);
  return issued;
}

DataOpPtr FunctionalModel::store(const TensorValue& value, const PhysRanges& to,
                                 const PhysRanges& from) {
  TensorValue made;
  const TensorValue& dense = dense_of(value, made);
  check_place(dense, to);
  memory().write_image(to, dense.image);
  return memory_op(MemoryParams::Kind::store, dense.image, value.shape, value.dtype, from, to);
}

std::vector<DeviceMessage> FunctionalModel::messages() const {
  std::vector<DeviceMessage> sorted = messages_;
  std::stable_sort(sorted.begin(), sorted.end(), &comes_before);
  return sorted;
}

// --- values ---

DataOpPtr FunctionalModel::taken(const TensorValue& value, const PhysRanges& from) {
  return memory_op(MemoryParams::Kind::copy, value.image, value.shape, value.dtype, from, {});
}

IssuedOp FunctionalModel::gemm(GemmParams params, std::vector<TensorValue> inputs,
                               OpAddresses places) {
  return define(new_gemm(std::move(params), std::move(inputs), std::move(places)));
}

IssuedOp FunctionalModel::math(MathParams params, std::vector<TensorValue> inputs,
                               OpAddresses places) {
  return define(new_math(std::move(params), std::move(inputs), std::move(places)));
}

TensorValue FunctionalModel::made_dense(const TensorValue& value) {
  if (value.dense()) return value;
  if (value.known()) {
    const std::vector<std::byte> bytes = dense_bytes(value);
    return constant(bytes.data(), value.shape, value.dtype);
  }
  return convert(value, value.dtype);
}

TensorValue FunctionalModel::converted(const TensorValue& value, DType dtype) {
  if (dtype == value.dtype) return made_dense(value);
  return convert(value, dtype);
}

TensorValue FunctionalModel::convert(const TensorValue& value, DType dtype) {
  return define(new_op(ConvertParams(), {value}, {}, value.shape, dtype)).value;
}

TensorValue FunctionalModel::constant(const void* data, const Shape& shape, DType dtype) {
  return {ByteImage::copy_of(data, static_cast<std::uint64_t>(shape.elements()) * size_of(dtype)),
          shape,
          dtype,
          {}};
}

TensorValue FunctionalModel::full(const Shape& shape, DType dtype, double value) {
  const std::uint64_t size = size_of(dtype),
                      nbytes = static_cast<std::uint64_t>(shape.elements()) * size;
  SharedBytes bytes = make_shared_bytes(nbytes, false);
  for (std::uint64_t at = 0; at < nbytes; at += size) write_element(bytes.get() + at, dtype, value);
  return {ByteImage::of(std::move(bytes), nbytes), shape, dtype, {}};
}

TensorValue FunctionalModel::zeros(const Shape& shape, DType dtype) {
  return {ByteImage::zeros(static_cast<std::uint64_t>(shape.elements()) * size_of(dtype)),
          shape,
          dtype,
          {}};
}

IssuedOp FunctionalModel::define(std::shared_ptr<DataOp> op) {
  bool is_resolved = true;
  for (TensorValue& input : op->inputs) {
    if (input.image.bound()) {
      input.image.replace_captures();
    } else {
      is_resolved = false;
    }
  }
  // An op that reads the result of an unresolved one belongs to a later instant, so the earlier
  // instant is over.
  if (is_resolved && !unresolved_.empty()) {
    const std::vector<ValueId> ids = input_ids(*op);
    if (std::any_of(ids.begin(), ids.end(), [this](ValueId id) { return is_unresolved(id); }))
      resolve();
  }
  op->id = next_op_++;
  OutputValue& output = op->outputs[0];
  output.id = values() + 1;
  IssuedOp issued{nullptr, {ByteImage::of(live_values_.add(op)), output.shape, output.dtype, {}}};
  if (is_resolved) {
    recorded(op);
    live_values_.make_room();
  } else {
    unresolved_.push_back({op, {}});
  }
  issued.op = std::move(op);
  return issued;
}

DataOpPtr FunctionalModel::defining_op(ValueId id) const {
  if (id == no_value || id > values()) throw ModelError(fmt::format("value {} does not exist", id));
  DataOpPtr op = live_values_.op(id);
  if (op == nullptr)
    throw ModelError(fmt::format("value {} is unreachable or already computed", id));
  return op;
}

void FunctionalModel::computed(const DataOp& op, std::shared_ptr<const GemmProducts> products) {
  const ValueId id = op.outputs.at(0).id;
  resolve();
  if (!live_values_.reachable(id)) return;
  products_[id] = std::move(products);
  if (resolver_ != nullptr) resolver_->products_computed(id);
}

std::shared_ptr<const GemmProducts> FunctionalModel::take_products(ValueId id) {
  const auto found = products_.find(id);
  if (found == products_.end()) return nullptr;
  std::shared_ptr<const GemmProducts> products = std::move(found->second);
  products_.erase(found);
  return products;
}

ValueLookup FunctionalModel::lookup() {
  if (resolver_ == nullptr) return {};
  return [this](ValueId id) {
    if (is_unresolved(id)) resolve();
    return resolver_->resolve(id);
  };
}

std::vector<std::byte> FunctionalModel::bytes(const TensorValue& value) {
  return dense_bytes(value, lookup());
}

std::vector<std::byte> FunctionalModel::bytes_before(Fs now, std::uint64_t physical,
                                                     std::uint64_t nbytes) {
  const ByteImage image = memory_before(now).snapshot(physical, nbytes);
  if (!known(image)) return {};
  try {
    return bytes({image, Shape{static_cast<std::int64_t>(nbytes)}, DType::i8, {}});
  } catch (const PendingDataError&) {  // an engine has not computed it yet
    return {};
  }
}

}  // namespace kernbench
