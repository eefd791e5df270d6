#include "sw/runtime/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "models/data/functional_model.h"
#include "models/data/race_detector.h"
#include "sw/runtime/tensor_slice.h"

namespace kernbench {
namespace {

void check_accuracy(const Tensor& tensor, const char* what, double value) {
  if (value >= 0 && std::isfinite(value)) return;
  throw UsageError(fmt::format("torch.verify: tensor '{}': the {} is {}; allowed is from 0",
                               tensor.name(), what, value));
}

}  // namespace

void Worker::set_device(int index) {
  const MachineDescription& machine = runtime_.link.port().machine();
  const int per_sip = rank_is_pe_ ? machine.cubes() * machine.pes : 1;
  if (index < 0 || index >= machine.sips * per_sip) {
    const std::string unit = rank_is_pe_ ? "pe:" : "sip:";
    throw UsageError(fmt::format("device {}{}, allowed: {}0 to {}{}", unit, index, unit, unit,
                                 machine.sips * per_sip - 1));
  }
  device_index_ = index;
  device_ = index / per_sip;
  if (rank_is_pe_) only_pe_ = PeId{device_, index % per_sip / machine.pes, index % machine.pes};
}

void Worker::calling(const char* name) {
  if (Runtime::thread() != nullptr && runtime_.worker_of_thread() == nullptr)
    throw UsageError(fmt::format(
        "torch.{}: called by {}, which is not a thread of the host program; kernels have tl calls",
        name, Runtime::thread()->name()));
  last_call_ = name;
  if (runtime_.call_log == nullptr) return;
  runtime_.call_log->info([&] {
    const std::string rank = rank_ ? fmt::format("rank {}: ", *rank_) : label_;
    return fmt::format("{}torch.{}", rank, name);
  });
}

std::shared_ptr<const TensorStorage> Worker::storage_of(const Tensor& tensor) {
  tensor.storage();
  return tensor.storage_;
}

ThreadOfWorker::ThreadOfWorker(Runtime& runtime, Worker& worker)
    : runtime_(runtime), thread_(Runtime::thread()) {
  runtime_.workers[thread_] = &worker;
}

ThreadOfWorker::~ThreadOfWorker() {
  runtime_.last_call = runtime_.workers[thread_]->last_call();
  runtime_.workers.erase(thread_);
}

// --- tensors ---

Tensor Worker::make(const Shape& shape, DType dtype, const DPPolicy& policy, std::string name) {
  const MachineDescription& machine = runtime_.link.port().machine();
  tl::TensorInfo info;
  info.name = name.empty() ? fmt::format("tensor{}", runtime_.tensors_made) : std::move(name);
  ++runtime_.tensors_made;
  info.shape = shape;
  info.dtype = dtype;
  info.nbytes = static_cast<std::uint64_t>(shape.elements()) * size_of(dtype);
  const DPPolicy placed = only_pe_ ? DPPolicy::on_one_pe() : policy;
  info.blocks = place(info.name, shape, dtype, placed, device_, machine.cubes(), machine.pes);
  if (only_pe_) info.blocks.front().where = *only_pe_;
  DeviceMemory& memory = *runtime_.memory;
  memory.allocate(info, device_);
  std::vector<Mapping> mappings = memory.mappings(info, placed, device_);
  memory.addresses().add(info, placed, device_);
  auto shared = std::make_shared<const tl::TensorInfo>(std::move(info));
  auto storage =
      std::make_shared<TensorStorage>(runtime_.memory, shared, mappings, placed, device_);
  memory.map(shared->name, mappings);
  return Tensor(shared_from_this(), std::move(storage));
}

void Worker::resolve(const Tensor& tensor, bool is_write) {
  if (tensor.maker().get() != this) tensor.maker()->wait_before_access(tensor, is_write);
  wait_before_access(tensor, is_write);
}

// A launch that other ranks have still to join may depend on this worker: wait for it only if
// necessary.
void Worker::wait_before_access(const Tensor& tensor, bool is_write) {
  const void* storage = storage_of(tensor).get();
  wait_where([&](const LaunchHandle& handle) {
    const LaunchHandle::State& launch = handle.state();
    return launch.begun || (launch.uses(storage) && (launch.writes || is_write));
  });
}

void Worker::fill(const TensorSlice& target, double value) {
  calling("Tensor.fill_");
  resolve(target.tensor(), true);
  note(target, true);
  transfers_.fill(target, value);
}

void Worker::fill_new(const Tensor& tensor, double value) {
  note(tensor, true);
  transfers_.fill(tensor, value);
}

void Worker::write_new(const Tensor& tensor, const HostArray& source) {
  note(tensor, true);
  transfers_.write(tensor, source);
}

void Worker::write_each_new(const Tensor& tensor, const std::vector<HostArray>& sources) {
  note(tensor, true);
  transfers_.write_each(tensor, sources);
}

void Worker::write(const TensorSlice& target, const HostArray& source) {
  calling("Tensor.copy_");
  resolve(target.tensor(), true);
  note(target, true);
  transfers_.write(target, source);
}

void Worker::copy(const TensorSlice& target, const TensorSlice& source) {
  calling("Tensor.copy_");
  resolve(source.tensor(), false);
  resolve(target.tensor(), true);
  note(source, false);
  note(target, true);
  transfers_.copy(target, source);
}

HostArray Worker::read(const TensorSlice& source) {
  calling("Tensor.to_host");
  resolve(source.tensor(), false);
  note(source, false);
  return transfers_.values(source, transfers_.fetch(source));
}

void Worker::read_discard(const TensorSlice& source) {
  resolve(source.tensor(), false);
  note(source, false);
  transfers_.discard(source);
}

// Printing takes the time of a read, also with data off.
std::string Worker::text_of(const TensorSlice& source) {
  calling("Tensor.print");
  resolve(source.tensor(), false);
  note(source, false);
  const Transfers::Images fetched = transfers_.fetch(source);
  const std::string head =
      fmt::format("{}{} = ", source.tensor().str(),
                  source.str() == source.tensor().name() ? "" : ", " + source.str());
  if (runtime_.link.port().data() == nullptr) return head + "(no values: this run has no data)";
  try {
    return head + transfers_.values(source, fetched).str();
  } catch (const PendingDataError&) {
    return fmt::format("{}(values pending until phase 2)", head);
  }
}

void Worker::expect(const Tensor& tensor, std::function<std::vector<double>()> reference,
                    const Accuracy& accuracy, std::shared_ptr<DeferredCounter> wrong) {
  resolve(tensor, false);
  check_accuracy(tensor, "number of roundings", accuracy.roundings);
  check_accuracy(tensor, "magnitude of its summands", accuracy.magnitude.value_or(1));
  FunctionalModel* data = runtime_.link.port().data();
  if (data == nullptr) return;
  note(tensor, false);
  const tl::TensorInfo& info = *tensor.info();
  Expectation expectation{label_ + info.name,   info.shape, info.dtype, {},
                          std::move(reference), accuracy};
  for (const TensorSlice::Holders& holders : TensorSlice(tensor).holders()) {
    std::vector<TensorValue> values;
    for (const std::size_t holder : holders) {
      const tl::Block& block = info.blocks[holder];
      values.push_back(
          {data->memory().snapshot(block.pa, block.nbytes), block.shape, info.dtype, {}});
    }
    const tl::Block& first = info.blocks[holders.front()];
    expectation.blocks.push_back(
        {first.where, first.start, values.front(), {values.begin() + 1, values.end()}});
  }
  expectation.wrong = std::move(wrong);
  runtime_.expectations.push_back(std::move(expectation));
}

// --- race detection ---

RaceDetector* Worker::races() const {
  FunctionalModel* data = runtime_.link.port().data();
  return data == nullptr ? nullptr : data->races();
}

std::uint32_t Worker::agent() {
  if (!agent_)
    agent_ = races()->add_agent(rank_            ? fmt::format("rank {} of the host", *rank_)
                                : label_.empty() ? "the host"
                                                 : "the host, " + label_);
  return *agent_;
}

void Worker::note(const TensorSlice& slice, bool is_write) {
  if (races() == nullptr) return;
  PhysRanges ranges;
  for (const tl::Block& block : slice.blocks()) ranges.push_back({block.pa, block.nbytes});
  races()->note(agent(), {fmt::format("torch.{}", last_call_), {}, runtime_.link.port().now()},
                ranges, is_write);
}

void Worker::release(VectorClock& into) {
  if (races() == nullptr) return;
  for (const LaunchHandle& handle : pending_) {
    if (!handle.state().found_done) continue;
    for (const auto& launch : handle.state().ordered) races()->joined(agent(), *launch);
  }
  races()->release(agent(), into);
}

void Worker::acquire(const VectorClock& from) {
  if (races() != nullptr) races()->acquire(agent(), from);
}

}  // namespace kernbench
