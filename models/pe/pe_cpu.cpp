#include "models/pe/pe_cpu.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "models/pe/pe_components.h"

namespace kernbench {

PeCpu::PeCpu(const ComponentInit& init)
    : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward),
      machine_(machine_services(init.services)), parameters_(init.attributes.as<Parameters>()),
      where_(machine_, init.node, PeEngine::pe_cpu), keys_(init.node) {
  runners_.push_back(std::make_unique<KernelRunner>(*this, 0));
  add_statistic("launches", "kernels run", Quantity::count, launch_count_);
  add_statistic("failures", "of these, failed", Quantity::count, failures_);
  add_statistic("commands", "commands issued", Quantity::count, commands_);
  add_statistic("cycles", "cycles that kernels have asked for", Quantity::count, cycles_);
  add_busy_time(
      "running_time", "target_start until the kernel has returned and the engines have drained",
      running_time_,
      [this](Fs now) { return running_time_ + (running_ > 0 ? now - running_since_ : 0); },
      {Server::Kind::none});
}

PeCpu::~PeCpu() = default;

void PeCpu::declare_signals() {
  FabricNode::declare_signals();
  signals_declared_ = true;
  for (const auto& runner : runners_) runner->add_signals();
}

std::vector<SignalDeclaration> PeCpu::signals_when_used() const {
  return *parameters_.kernel_contexts > 1 ? KernelRunner::signals_of("{i}")
                                          : std::vector<SignalDeclaration>();
}

// --- Messages

Fs PeCpu::next_due() const { return arrivals_.control_due(*parameters_.overhead); }

void PeCpu::serve() {
  arrivals_.take_control(now(), *parameters_.overhead, [this](const Arrival& arrival) {
    report_passage(arrival, arrival.time);
    take(*arrival.transaction);
  });
}

void PeCpu::take(Transaction& request) {
  const std::shared_ptr<const Message> message = request.route().message;
  if (auto launch = std::dynamic_pointer_cast<const KernelLaunch>(message)) {
    log_.debug([&] { return fmt::format("kernel '{}' accepted", launch->kernel.name); });
    launches_.push_back({&request, std::move(launch), false});
    begin_launches();
  } else if (const auto* abort = dynamic_cast<const LaunchAbort*>(message.get())) {
    this->abort(*abort);
    request.route().listener->completed(request);
  } else if (const auto* barrier = dynamic_cast<const BarrierPassed*>(message.get())) {
    pass_barrier(*barrier);
    request.route().listener->completed(request);
  } else if (const auto* rings = dynamic_cast<const IpcqInstall*>(message.get())) {
    install(request, *rings);
  } else {
    throw ModelError(
        std::string(name()) +
        ": a message that is neither KernelLaunch, LaunchAbort, BarrierPassed nor IpcqInstall");
  }
}

void PeCpu::abort(const LaunchAbort& notice) {
  const auto log = [&] {
    log_.info([&] {
      return fmt::format("kernel '{}' is to end: its launch has failed elsewhere",
                         notice.launch->kernel.name);
    });
  };
  for (Launch& entry : launches_) {
    if (entry.message != notice.launch) continue;
    entry.aborted = true;
    entry.abort_cause = notice.cause;
    log();
  }
  for (const auto& runner : runners_) {
    if (!runner->busy() || &runner->message() != notice.launch.get()) continue;
    log();
    runner->abort(notice.cause);
  }
}

// --- tl.barrier

void PeCpu::reach_barrier(const Launch& launch) {
  auto reached = std::make_shared<BarrierReached>();
  reached->launch = launch.message;
  TransactionHandle notice = machine_.pool().make();
  notice->set_command(tlm::TLM_IGNORE_COMMAND);
  RouteExtension& route = notice->route();
  route.path = &launch.request->route().path->reverse();
  route.key = keys_.next(now());
  route.host_control = true;
  route.posted = true;
  route.listener = this;
  route.message = std::move(reached);
  barrier_notices_.push_back(notice);
  send_message(*notice);
}

void PeCpu::completed(Transaction& notice) {
  const auto found = std::find_if(barrier_notices_.begin(), barrier_notices_.end(),
                                  [&](const TransactionHandle& each) { return &*each == &notice; });
  barrier_notices_.erase(found);
}

void PeCpu::pass_barrier(const BarrierPassed& notice) {
  for (const auto& runner : runners_) {
    if (runner->busy() && &runner->message() == notice.launch.get()) runner->pass_barrier();
  }
}

void PeCpu::install(Transaction& request, const IpcqInstall& message) {
  const auto mine = message.queue_pairs.find(where_());
  const auto response = std::make_shared<HostResponse>();
  const IpcqQueuePairs none;
  IpcqRequest rings;
  rings.what =
      RingInstallation{&message, mine == message.queue_pairs.end() ? &none : &mine->second, {}};
  to_ipcq_.ask(rings);
  response->completion = std::move(std::get<RingInstallation>(rings.what).completion);
  log_.debug([&] {
    return fmt::format("IpcqInstall: {} queue pairs {}",
                       mine == message.queue_pairs.end() ? none.size() : mine->second.size(),
                       !response->completion.ok                         ? "refused"
                       : message.action == IpcqInstall::Action::install ? "installed"
                                                                        : "would be accepted");
  });
  request.route().message = response;
  request.route().make_response();
  send_message(request);
}

// --- Contexts

std::optional<RunningProgram> PeCpu::running_program() const {
  const sc_core::sc_object* here =
      sc_core::sc_get_status() == sc_core::SC_RUNNING
          ? sc_core::sc_get_current_process_handle().get_process_object()
          : nullptr;
  const KernelRunner* found = nullptr;
  for (const auto& runner : runners_) {
    if (runner->busy() && (found == nullptr || runner->runs_on(here))) found = runner.get();
  }
  if (found == nullptr) return std::nullopt;
  return found->program(static_cast<std::uint64_t>(*parameters_.kernel_stack_bytes));
}

std::vector<RunningProgram> PeCpu::running_programs() const {
  std::vector<RunningProgram> programs;
  for (const auto& runner : runners_) {
    if (runner->busy())
      programs.push_back(
          runner->program(static_cast<std::uint64_t>(*parameters_.kernel_stack_bytes)));
  }
  return programs;
}

// Not behind one of its stream.
bool PeCpu::may_begin(std::deque<Launch>::const_iterator launch) const {
  const std::uint32_t stream = launch->message->stream;
  return std::none_of(launches_.begin(), launch,
                      [&](const Launch& before) { return before.message->stream == stream; }) &&
         std::none_of(runners_.begin(), runners_.end(), [&](const auto& runner) {
           return runner->busy() && runner->message().stream == stream;
         });
}

KernelRunner* PeCpu::idle_runner() {
  for (const auto& runner : runners_) {
    if (!runner->busy()) return runner.get();
  }
  if (runners_.size() == *parameters_.kernel_contexts) return nullptr;
  runners_.push_back(std::make_unique<KernelRunner>(*this, runners_.size()));
  if (signals_declared_) runners_.back()->add_signals();
  return runners_.back().get();
}

void PeCpu::begin_launches() {
  for (auto launch = launches_.begin(); launch != launches_.end();) {
    if (!may_begin(launch)) {
      ++launch;
      continue;
    }
    KernelRunner* runner = idle_runner();
    if (runner == nullptr) return;
    Launch next = std::move(*launch);
    launch = launches_.erase(launch);
    runner->start(std::move(next));
  }
}

void PeCpu::responded(IpcqRequest& request, const tlm::tlm_phase& /*phase*/) {
  const auto found = std::find_if(runners_.begin(), runners_.end(), [&](const auto& runner) {
    return runner->busy() && runner->message().stream == request.stream;
  });
  if (found != runners_.end()) (*found)->ipcq_ended(request);  // which may give back the request
}

void PeCpu::kernel_begins(Fs target) {
  if (running_++ == 0) running_since_ = std::max(target, last_ended_);
}

void PeCpu::kernel_ends() {
  if (runners_.size() > 1) scratch_freed_.notify(sc_core::SC_ZERO_TIME);
  if (--running_ > 0) return;
  last_ended_ = now();
  running_time_ += last_ended_ - running_since_;
}

void PeCpu::tell_tensors(const KernelRunner& starting) {
  TranslationRequest tensors;
  tensors.launch = &starting.message().args;
  std::vector<KernelArgument> of_all;
  if (!runs_alone(starting)) {
    for (const auto& runner : runners_) {
      if (!runner->busy()) continue;
      const std::vector<KernelArgument>& of_one = runner->message().args;
      of_all.insert(of_all.end(), of_one.begin(), of_one.end());
    }
    tensors.launch = &of_all;
  }
  to_mmu_.look(tensors);
}

bool PeCpu::runs_alone(const KernelRunner& runner) const {
  return runners_.size() == 1 ||
         std::none_of(runners_.begin(), runners_.end(),
                      [&](const auto& each) { return each.get() != &runner && each->busy(); });
}

bool PeCpu::others_free_scratch(const KernelRunner& runner) const {
  return std::any_of(runners_.begin(), runners_.end(), [&](const auto& each) {
    return each.get() != &runner && each->busy() && !each->awaits_scratch();
  });
}

Implementation pe_cpu_implementation() { return implementation_of<PeCpu>("builtin.pe_cpu"); }

}  // namespace kernbench
