// Launches of a Worker: submission, waits, and the failures that a wait reports.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "models/data/race_detector.h"
#include "sw/runtime/worker.h"

namespace kernbench {

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
  // Completed launches also precede it, independent of their timing.
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

void Worker::end_at_once(const LaunchHandle& handle) {
  LaunchHandle::State& state = *handle.state_;
  state.metrics.emplace();
  state.metrics->issued = state.metrics->ended = runtime_.link.port().now();
  state.begun = true;
  state.begins.notify(sc_core::SC_ZERO_TIME);
}

void Worker::refuse(const LaunchHandle& handle, std::exception_ptr error) {
  LaunchHandle::State& state = *handle.state_;
  state.refused = std::move(error);
  state.begun = true;
  state.begins.notify(sc_core::SC_ZERO_TIME);
}

void Worker::begin(const LaunchHandle& handle, const LaunchSpec& spec, const tl::KernelCall& call) {
  if (std::exchange(untimed_inputs_, false)) set_untimed(false);
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

// A handle stays pending until its launch has ended: another caller may request the results in the
// meantime.
const Completion& Worker::join(const LaunchHandle& handle) {
  handle.state();
  const auto state = handle.state_;
  while (!state->begun) runtime_.link.port().wait(state->begins, state->awaits);
  if (state->refused) {
    withdraw(handle);
    std::rethrow_exception(state->refused);
  }
  for (const auto& request : state->requests) runtime_.link.port().wait(*request);
  // Also applies to another worker that uses a tensor of this one.
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

// Earliest failed launch that is a root cause and has not been waited for: of this worker, else of
// all workers.
std::pair<std::string, const Completion*> Worker::first_unreported_failure() const {
  std::string name;
  const Completion* first = nullptr;
  std::pair<Fs, std::string> earliest;
  const auto look = [&](const Worker& worker) {
    for (const LaunchHandle& handle : worker.pending_) {
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
  };
  look(*this);
  if (first != nullptr) return {name, first};
  for (const auto& [thread, worker] : runtime_.workers) look(*worker);
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
