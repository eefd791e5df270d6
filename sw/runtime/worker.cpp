#include "sw/runtime/worker.h"

#include <algorithm>
#include <set>

#include "models/data/data_plane.h"
#include "models/data/elements.h"
#include "sw/runtime/block_runs.h"
#include "sw/tl/dtypes.h"

namespace kernbench {
namespace {

FillPattern pattern_of(DType dtype, double value) {
  FillPattern pattern;
  std::byte element[4] = {};
  write_element(element, dtype, value);
  for (std::uint64_t i = 0; i < size_of(dtype); ++i) pattern.bits |= std::to_integer<std::uint32_t>(element[i]) << (8 * i);
  if (pattern.bits == 0) return pattern;  // zeros are zeros in every dtype
  switch (dtype) {
    case DType::f16:
      pattern.kind = FillPattern::Kind::fp16;
      break;
    case DType::bf16:
      pattern.kind = FillPattern::Kind::u16;
      break;
    case DType::f32:
      pattern.kind = FillPattern::Kind::fp32;
      break;
    case DType::i8:
      pattern.kind = FillPattern::Kind::u8;
      break;
    case DType::i32:
      pattern.kind = FillPattern::Kind::u32;
      break;
  }
  return pattern;
}

std::vector<std::uint8_t> bytes_of(const HostArray& array, const tl::Block& block) {
  const std::uint64_t size = size_of(array.dtype());
  std::vector<std::uint8_t> bytes(block.nbytes);
  for_each_run(array.shape(), block, [&](std::int64_t whole, std::int64_t local, std::int64_t count) {
    std::copy_n(array.bytes().begin() + whole * static_cast<std::int64_t>(size), count * static_cast<std::int64_t>(size),
                bytes.begin() + local * static_cast<std::int64_t>(size));
  });
  return bytes;
}

void check_same(const Tensor& tensor, const Shape& shape, DType dtype) {
  if (tensor.shape() == shape && tensor.dtype() == dtype) return;
  throw UsageError("copy of " + describe(dtype, shape) + " to tensor '" + tensor.name() + "' " +
                   describe(tensor.dtype(), tensor.shape()));
}

// The first block of each place: replicas hold the same.
std::vector<const tl::Block*> distinct_blocks(const tl::TensorInfo& info) {
  std::vector<const tl::Block*> blocks;
  std::set<std::uint64_t> offsets;
  for (const tl::Block& block : info.blocks) {
    if (offsets.insert(block.offset).second) blocks.push_back(&block);
  }
  return blocks;
}

}  // namespace

void Worker::set_device(int sip) {
  const int sips = runtime_.link.port().machine().sips();
  if (sip < 0 || sip >= sips)
    throw UsageError("device sip:" + std::to_string(sip) + ", allowed: sip:0 to sip:" + std::to_string(sips - 1));
  device_ = sip;
}

const std::shared_ptr<const TensorStorage>& Worker::storage_of(const Tensor& tensor) {
  tensor.storage();
  return tensor.storage_;
}

// --- tensors ---

Tensor Worker::make(const Shape& shape, DType dtype, const DPPolicy& policy, std::string name) {
  const MachineView& machine = runtime_.link.port().machine();
  tl::TensorInfo info;
  info.name = name.empty() ? "tensor" + std::to_string(runtime_.tensors_made) : std::move(name);
  ++runtime_.tensors_made;
  info.shape = shape;
  info.dtype = dtype;
  info.nbytes = static_cast<std::uint64_t>(shape.elements()) * size_of(dtype);
  info.blocks = place(info.name, shape, dtype, policy, device_, machine.cubes(), machine.pes());
  DeviceMemory& memory = *runtime_.memory;
  memory.allocate(info, device_);
  std::vector<Mapping> mappings = memory.mappings(info, policy, device_);
  auto shared = std::make_shared<const tl::TensorInfo>(std::move(info));
  auto storage = std::make_shared<const TensorStorage>(runtime_.memory, shared, mappings, device_);
  memory.map(shared->name, mappings);
  return Tensor(shared_from_this(), std::move(storage));
}

void Worker::settle(const Tensor& tensor) {
  if (tensor.worker_.get() != this) tensor.worker_->wait_all();
  wait_all();
}

// One MemoryWrite per shard, all at once; ends with the last. Untimed: straight into the memory store.
void Worker::send(const Tensor& tensor, const std::function<Source(const tl::Block&)>& source_of, const std::string& label) {
  DataPlane* data = runtime_.link.port().data();
  HostRequests requests;
  for (const tl::Block& block : tensor.info()->blocks) {
    if (untimed_) {
      if (data == nullptr) continue;
      const Source source = source_of(block);
      if (const auto* pattern = std::get_if<FillPattern>(&source)) {
        const std::uint64_t size = size_of(tensor.dtype());
        data->memory().fill(block.pa, block.nbytes, &pattern->bits, size);
      } else {
        data->memory().write_bytes(block.pa, std::get<1>(source)->data(), block.nbytes);
      }
      continue;
    }
    MemoryWrite message;
    message.dst = block.where;
    message.pa = block.pa;
    message.nbytes = block.nbytes;
    message.dst_mem_kind = MemoryKind::hbm;
    message.source = source_of(block);
    requests.push_back(runtime_.link.submit(std::move(message), label));
  }
  runtime_.link.wait(requests);
}

void Worker::fill(const Tensor& tensor, double value) {
  settle(tensor);
  const FillPattern pattern = pattern_of(tensor.dtype(), value);
  send(
      tensor, [&](const tl::Block&) { return Source(pattern); }, "fill " + tensor.name());
}

void Worker::write(const Tensor& tensor, const HostArray& source) {
  check_same(tensor, source.shape(), source.dtype());
  settle(tensor);
  const bool with_data = runtime_.link.port().data() != nullptr;
  const auto source_of = [&](const tl::Block& block) {
    if (!with_data) return Source(FillPattern{});  // nobody looks at the bytes
    return Source(std::make_shared<const std::vector<std::uint8_t>>(bytes_of(source, block)));
  };
  send(tensor, source_of, "write " + tensor.name());
}

// One MemoryRead per shard, all at once.
void Worker::fetch(const Tensor& tensor, const std::string& label) {
  if (untimed_) return;
  HostRequests requests;
  for (const tl::Block& block : tensor.info()->blocks) {
    MemoryRead message;
    message.src = block.where;
    message.pa = block.pa;
    message.nbytes = block.nbytes;
    requests.push_back(runtime_.link.submit(std::move(message), label));
  }
  runtime_.link.wait(requests);
}

// The whole tensor in row-major order, as references.
TensorValue Worker::value_of(const Tensor& tensor) {
  const MemoryStore& memory = runtime_.link.port().data()->memory();
  const tl::TensorInfo& info = *tensor.info();
  const std::uint64_t size = size_of(info.dtype);
  std::map<std::int64_t, ByteImage> runs;  // by their first element in the tensor
  for (const tl::Block* block : distinct_blocks(info)) {
    const ByteImage image = memory.snapshot(block->pa, block->nbytes);
    for_each_run(info.shape, *block, [&](std::int64_t whole, std::int64_t local, std::int64_t count) {
      runs[whole] = image.slice(static_cast<std::uint64_t>(local) * size, static_cast<std::uint64_t>(count) * size);
    });
  }
  TensorValue value{{}, info.shape, info.dtype, {}};
  for (const auto& [first, image] : runs) value.image.append(image);
  return value;
}

HostArray Worker::read(const Tensor& tensor) {
  settle(tensor);
  fetch(tensor, "read " + tensor.name());
  DataPlane* data = runtime_.link.port().data();
  if (data == nullptr) {
    throw UsageError("values of tensor '" + tensor.name() + "' are read, and this run has no data; use --data deferred or eager");
  }
  const TensorValue value = value_of(tensor);
  if (!data->known(value.image)) {
    throw PendingDataError("values of tensor '" + tensor.name() +
                           "' are read, but what kernels compute is pending until phase 2 has run; "
                           "check it with torch.verify, or run with --data eager");
  }
  const std::vector<std::byte> bytes = data->bytes(value);
  std::vector<std::uint8_t> copy(bytes.size());
  std::transform(bytes.begin(), bytes.end(), copy.begin(), [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
  return {tensor.shape(), tensor.dtype(), std::move(copy)};
}

// Through the host: the time of a read and a write; values go as references, so that pending ones stay pending.
void Worker::copy(const Tensor& target, const Tensor& source) {
  check_same(target, source.shape(), source.dtype());
  settle(source);
  settle(target);
  fetch(source, "read " + source.name());
  DataPlane* data = runtime_.link.port().data();
  TensorValue value;
  if (data != nullptr) value = value_of(source);
  if (!untimed_)
    send(
        target, [](const tl::Block&) { return Source(FillPattern{}); }, "copy " + source.name() + " to " + target.name());
  if (data == nullptr) return;
  const std::uint64_t size = size_of(target.dtype());
  for (const tl::Block& block : target.info()->blocks) {
    ByteImage image;
    for_each_run(target.shape(), block, [&](std::int64_t whole, std::int64_t, std::int64_t count) {
      image.append(value.image.slice(static_cast<std::uint64_t>(whole) * size, static_cast<std::uint64_t>(count) * size));
    });
    data->memory().write_image(block.pa, image);
  }
}

void Worker::expect(const Tensor& tensor, std::function<std::vector<double>()> reference, double tolerance_factor) {
  settle(tensor);
  DataPlane* data = runtime_.link.port().data();
  if (data == nullptr) return;
  const tl::TensorInfo& info = *tensor.info();
  Expectation expectation{label_ + info.name, info.shape, info.dtype, {}, std::move(reference), tolerance_factor};
  for (const tl::Block& block : info.blocks) {
    TensorValue value{data->memory().snapshot(block.pa, block.nbytes), block.shape, info.dtype, {}};
    expectation.blocks.push_back({block.where, block.start, std::move(value)});
  }
  runtime_.expectations.push_back(std::move(expectation));
}

// --- launches ---

LaunchHandle Worker::launch(const LaunchSpec& spec, tl::KernelCall call, std::vector<std::shared_ptr<const void>> keeps) {
  const auto targets = spec.targets(call.args, runtime_.link.port().machine().pes());
  std::set<int> pes, cubes;
  for (const auto& [sip, list] : targets) {
    for (const PeId& target : list) {
      pes.insert(target.pe);
      cubes.insert(target.cube);
    }
  }
  LaunchHandle handle;
  handle.state_ = std::make_shared<LaunchHandle::State>();
  handle.state_->name = spec.name();
  handle.state_->keeps = std::move(keeps);
  for (const auto& [sip, list] : targets) {
    KernelLaunch message;
    message.kernel.name = spec.name();
    message.body = call.body;
    message.args = call.args;
    message.targets = list;
    message.grid = {{"pe", static_cast<std::int64_t>(pes.size())},
                    {"cube", static_cast<std::int64_t>(cubes.size())},
                    {"sip", static_cast<std::int64_t>(targets.size())}};
    message.failure_policy = spec.failure_policy();
    handle.state_->requests.push_back(runtime_.link.submit(std::move(message), spec.name()));
  }
  pending_.push_back(handle);
  return handle;
}

void Worker::wait(const LaunchHandle& handle) {
  handle.state();
  const auto state = handle.state_;
  const auto found = std::find_if(pending_.begin(), pending_.end(), [&](const LaunchHandle& each) { return each.state_ == state; });
  if (found != pending_.end()) pending_.erase(found);
  for (const auto& request : state->requests) runtime_.link.port().wait(*request);
  state->keeps.clear();
  if (!state->metrics) {
    LaunchMetrics metrics;
    metrics.issued = never_fs;
    for (const auto& request : state->requests) {
      metrics.merged.merge(request->response().metrics);
      metrics.per_pe.insert(request->response().per_pe.begin(), request->response().per_pe.end());
      metrics.issued = std::min(metrics.issued, request->issued);
      metrics.ended = std::max(metrics.ended, request->ended);
    }
    state->metrics = std::move(metrics);
    runtime_.launches.push_back({state->name, *state->metrics});
  }
  runtime_.link.wait(state->requests);  // all have ended: throws the first failure
}

void Worker::wait_all() {
  std::exception_ptr first;
  while (!pending_.empty()) {
    try {
      wait(LaunchHandle(pending_.front()));
    } catch (const LaunchError&) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace kernbench
