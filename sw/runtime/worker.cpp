#include "sw/runtime/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/data/functional_model.h"
#include "models/data/race_detector.h"
#include "sw/runtime/tensor_slice.h"

namespace kernbench {

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
        "torch.{}: called by {}, which is no thread of the host program; kernels have tl calls",
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
  info.blocks = place(info.name, shape, dtype, only_pe_ ? DPPolicy::on_one_pe() : policy, device_,
                      machine.cubes(), machine.pes);
  if (only_pe_) info.blocks.front().where = *only_pe_;
  info.mapped_apart = machine.address_model != AddressModel::pa && !only_pe_ &&
                      reach_of(policy) == Reach::own_pe &&
                      info.blocks.front().offset != info.blocks.back().offset;
  DeviceMemory& memory = *runtime_.memory;
  memory.allocate(info, device_);
  const DPPolicy placed = only_pe_ ? DPPolicy::on_one_pe() : policy;
  std::vector<Mapping> mappings = memory.mappings(info, placed, device_);
  memory.addresses().add(info, placed, device_);
  auto shared = std::make_shared<const tl::TensorInfo>(std::move(info));
  auto storage = std::make_shared<TensorStorage>(runtime_.memory, shared, mappings, device_);
  memory.map(shared->name, mappings);
  return Tensor(shared_from_this(), std::move(storage));
}

void Worker::resolve(const Tensor& tensor, bool is_write) {
  if (tensor.maker().get() != this) tensor.maker()->wait_before_access(tensor, is_write);
  wait_before_access(tensor, is_write);
}

// What others have still to join may wait for this worker: it is not waited for without need.
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

// Printing takes the time of a read, with data off too.
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
                    double tolerance_factor, std::shared_ptr<LateCount> wrong) {
  resolve(tensor, false);
  FunctionalModel* data = runtime_.link.port().data();
  if (data == nullptr) return;
  note(tensor, false);
  const tl::TensorInfo& info = *tensor.info();
  Expectation expectation{label_ + info.name,   info.shape,      info.dtype, {},
                          std::move(reference), tolerance_factor};
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

// --- the detection of races ---

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

// --- launches ---

LaunchHandle Worker::launch(const LaunchSpec& spec, tl::KernelCall call,
                            std::vector<std::shared_ptr<const void>> keeps) {
  LaunchHandle handle;
  handle.state_ = std::make_shared<LaunchHandle::State>();
  handle.state_->name = spec.name();
  handle.state_->keeps = std::move(keeps);
  release(handle.state_->called);
  begin(handle, spec, call);
  pending_.push_back(handle);
  return handle;
}

LaunchHandle Worker::await_launch(AwaitedLaunch launch) {
  LaunchHandle handle;
  handle.state_ = std::make_shared<LaunchHandle::State>();
  LaunchHandle::State& state = *handle.state_;
  state.name = std::move(launch.name);
  state.awaits = std::move(launch.awaits);
  state.group = launch.group;
  state.writes = launch.writes;
  state.keeps = std::move(launch.keeps);
  for (const LaunchHandle& before : runtime_.computing) {
    const LaunchHandle::State& of = before.state();
    if (of.ended()) continue;
    state.follows.insert(state.follows.end(), of.request_ids.begin(), of.request_ids.end());
  }
  // Also those that have ended, whose kernels come before: whether they had is an accident.
  for (const auto& [pe_cpu, before] : runtime_.ordered_computing) {
    std::vector<std::shared_ptr<const OrderedLaunch>>& all = state.follows_ordered;
    if (std::find(all.begin(), all.end(), before) == all.end()) all.push_back(before);
  }
  release(state.called);
  pending_.push_back(handle);
  return handle;
}

void Worker::withdraw(const LaunchHandle& handle) {
  const auto same = [&](const LaunchHandle& each) { return each.state_ == handle.state_; };
  pending_.erase(std::remove_if(pending_.begin(), pending_.end(), same), pending_.end());
}

void Worker::refuse(const LaunchHandle& handle, std::exception_ptr error) {
  LaunchHandle::State& state = *handle.state_;
  state.refused = std::move(error);
  state.begun = true;
  state.begins.notify(sc_core::SC_ZERO_TIME);
}

void Worker::begin(const LaunchHandle& handle, const LaunchSpec& spec, const tl::KernelCall& call) {
  const auto targets = spec.targets(call.args, runtime_.link.port().machine().pes);
  std::vector<int> sips;
  std::set<int> pes, cubes;
  for (const auto& [sip, list] : targets) {
    sips.push_back(sip);
    for (const PeId& target : list) {
      pes.insert(target.pe);
      cubes.insert(target.cube);
    }
  }
  if (spec.code_bytes())
    runtime_.deployments.place(spec.name(), *spec.code_bytes(), sips, untimed());
  std::uint64_t group = spec.group();
  if (group == 0 && targets.size() > 1) group = ++runtime_.launch_groups;
  LaunchHandle::State& state = *handle.state_;
  state.meta = spec.meta();
  state.stream = spec.stream();
  for (const auto& [sip, list] : targets) {
    KernelLaunch message;
    message.kernel.name = spec.name();
    if (spec.code_bytes()) message.kernel = runtime_.deployments.reference(spec.name(), sip);
    message.body = call.body;
    message.args = call.args;
    message.targets = list;
    message.grid = {{pes.begin(), pes.end()}, {cubes.begin(), cubes.end()}, sips};
    message.meta = spec.meta();
    message.failure_policy = spec.failure_policy();
    message.group = group;
    message.stream = spec.stream();
    message.follows = state.follows;
    message.scratch_bytes = call.scratch_bytes;
    state.requests.push_back(runtime_.link.submit(std::move(message), spec.name()));
    state.request_ids.push_back(runtime_.link.last_request());
    if (races() == nullptr) continue;
    const MachineDescription& machine = runtime_.link.port().machine();
    std::vector<std::uint32_t> cpus;
    for (const PeId& target : list) cpus.push_back(machine.engine(target, PeEngine::pe_cpu));
    state.ordered.push_back(
        races()->launched(state.called, state.request_ids.back(), cpus, state.follows_ordered));
    if (spec.stream() != 0) continue;
    for (const std::uint32_t cpu : cpus) runtime_.ordered_computing[cpu] = state.ordered.back();
  }
  state.follows_ordered.clear();
  state.begun = true;
  state.begins.notify(sc_core::SC_ZERO_TIME);
  if (spec.stream() != 0) return;
  std::vector<LaunchHandle>& computing = runtime_.computing;
  if (computing.size() >= runtime_.computing_at_most) {
    const auto done = [](const LaunchHandle& each) { return each.state().ended(); };
    computing.erase(std::remove_if(computing.begin(), computing.end(), done), computing.end());
    runtime_.computing_at_most = std::max<std::size_t>(64, 2 * computing.size());
  }
  computing.push_back(handle);
}

// A handle stays pending until its launch has ended: another caller may ask for the results
// meanwhile.
const Completion& Worker::join(const LaunchHandle& handle) {
  handle.state();
  const auto state = handle.state_;
  while (!state->begun) runtime_.link.port().wait(state->begins, state->awaits);
  if (state->refused) {
    withdraw(handle);
    std::rethrow_exception(state->refused);
  }
  for (const auto& request : state->requests) runtime_.link.port().wait(*request);
  // Also by another worker, which uses a tensor of this one.
  if (!state->ordered.empty()) {
    Worker* caller = runtime_.worker_of_thread();
    for (const auto& launch : state->ordered) {
      races()->joined(agent(), *launch);
      if (caller != nullptr && caller != this) races()->joined(caller->agent(), *launch);
    }
  }
  const auto found = std::find_if(pending_.begin(), pending_.end(),
                                  [&](const LaunchHandle& each) { return each.state_ == state; });
  if (found != pending_.end()) pending_.erase(found);
  state->keeps.clear();
  if (!state->metrics) {
    LaunchMetrics metrics;
    metrics.issued = never_fs;
    for (const auto& request : state->requests) {
      metrics.merged.merge(request->response().metrics);
      if (metrics.per_pe.empty()) {
        metrics.per_pe = request->response().per_pe;
      } else {
        metrics.per_pe.insert(request->response().per_pe.begin(), request->response().per_pe.end());
      }
      metrics.issued = std::min(metrics.issued, request->issued);
      metrics.ended = std::max(metrics.ended, request->ended);
      const Completion& completion = request->response().completion;
      if (state->completion.ok ||
          (!completion.ok && !Completion::is_root_cause(state->completion.error_code)))
        state->completion = completion;
    }
    state->metrics = std::move(metrics);
    LaunchRecord record{state->name, state->meta, *state->metrics, state->request_ids};
    if (runtime_.launch_listener != nullptr) {
      runtime_.launch_listener->ended(std::move(record));
    } else {
      runtime_.launches.push_back(std::move(record));
    }
    if (!state->completion.ok) runtime_.ipcq.launch_failed();
  }
  return state->completion;
}

bool Worker::ends_until(const LaunchHandle& handle, Fs deadline) {
  const LaunchHandle::State& state = handle.state();
  HostPort& port = runtime_.link.port();
  while (!state.begun) {
    if (!port.wait_until(state.begins, deadline, state.awaits)) return state.begun;
  }
  for (const auto& request : state.requests) {
    while (!request->done()) {
      if (!port.wait_until(request->completed(), deadline, "the end of " + request->what()))
        return state.ended();
    }
  }
  return true;
}

void Worker::wait(const LaunchHandle& handle) {
  const Completion& completion = join(handle);
  if (completion.ok) return;
  const auto text_of = [](const std::string& name, const Completion& failure) {
    return fmt::format("KernelLaunch '{}': {}", name, failure.error_message);
  };
  const std::string text = text_of(handle.name(), completion);
  if (Completion::is_root_cause(completion.error_code))
    throw LaunchError(completion.error_code, text);
  const auto [name, cause] = first_unreported_failure();
  if (cause == nullptr) throw LaunchError(completion.error_code, text);
  throw LaunchError(cause->error_code,
                    fmt::format("{}; KernelLaunch '{}' has failed with it: {}",
                                text_of(name, *cause), handle.name(), completion.error_code));
}

// Of all workers: a launch that has failed by itself and that nobody has waited for.
std::pair<std::string, const Completion*> Worker::first_unreported_failure() const {
  std::string name;
  const Completion* first = nullptr;
  std::pair<Fs, std::string> earliest;
  for (const auto& [thread, worker] : runtime_.workers) {
    for (const LaunchHandle& handle : worker->pending_) {
      const LaunchHandle::State& state = handle.state();
      for (std::size_t i = 0; i < state.requests.size(); ++i) {
        const HostRequest& request = *state.requests[i];
        if (!request.done() || request.response().completion.ok) continue;
        const std::pair<Fs, std::string> at{request.ended, state.request_ids[i]};
        if (!Completion::is_root_cause(request.response().completion.error_code) ||
            (first != nullptr && earliest < at))
          continue;
        earliest = at;
        name = state.name;
        first = &request.response().completion;
      }
    }
  }
  return {name, first};
}

void Worker::wait_where(const std::function<bool(const LaunchHandle&)>& awaited) {
  std::exception_ptr first;
  for (;;) {
    const auto next = std::find_if(pending_.begin(), pending_.end(), awaited);
    if (next == pending_.end()) break;
    try {
      wait(LaunchHandle(*next));
    } catch (const LaunchError&) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

void Worker::wait_all() {
  wait_where([](const LaunchHandle&) { return true; });
}

void Worker::wait_for_begun_and_those_of(const void* group) {
  wait_where([group](const LaunchHandle& handle) {
    const LaunchHandle::State& launch = handle.state();
    return launch.begun || launch.group == group;
  });
}

}  // namespace kernbench
