#include "models/pe/pe_cpu.h"

#include <fmt/format.h>
#include <sysc/kernel/sc_spawn.h>
#include <sysc/kernel/sc_spawn_options.h>

#include <algorithm>
#include <stdexcept>

#include "models/base/errors.h"
#include "models/base/exception_text.h"
#include "models/base/thrown_text.h"
#include "models/pe/pe_components.h"

namespace kernbench {
namespace {

enum class State : std::uint8_t {
  idle,
  waiting_for_start,
  running,
  waiting_for_command,
  draining,
  waiting_for_ipcq
};

// Exception that ends a kernel whose launch has failed elsewhere. Not derived from std::exception,
// so that a kernel's own handlers let it pass.
struct KernelAborted {
  std::string blocked_on;  // what it waited for; empty: it was between two calls
  Fs since = 0;
};

}  // namespace

PeCpu::PeCpu(const ComponentInit& init)
    : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward),
      machine_(machine_services(init.services)), parameters_(init.attributes.as<Parameters>()),
      where_(machine_, init.node, PeEngine::pe_cpu), launched_("launched_event"),
      aborted_("aborted_event"), ipcq_ended_(""),
      state_signal_(add_signal(
          "state", "what the kernel does",
          SignalFormat::enumeration({"idle", "waiting_for_start", "running", "waiting_for_command",
                                     "draining", "waiting_for_ipcq"}))),
      command_signal_(add_signal("command", "last command issued", SignalFormat::id())) {
  add_statistic("launches", "kernels run", Quantity::count, launch_count_);
  add_statistic("failures", "of these, failed", Quantity::count, failures_);
  add_statistic("commands", "commands issued", Quantity::count, commands_);
  add_statistic("cycles", "cycles that kernels have asked for", Quantity::count, cycles_);
  add_busy_time(
      "running_time", "target_start until the kernel has returned and the engines have drained",
      running_time_,
      [this](Fs now) { return running_time_ + (running_since_ ? now - *running_since_ : 0); });
}

PeCpu::~PeCpu() = default;

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
    launched_.notify(sc_core::SC_ZERO_TIME);
    if (thread_started_) return;
    start_thread();
  } else if (const auto* abort = dynamic_cast<const LaunchAbort*>(message.get())) {
    this->abort(*abort);
    request.route().listener->completed(request);
  } else if (const auto* rings = dynamic_cast<const IpcqInstall*>(message.get())) {
    install(request, *rings);
  } else {
    throw ModelError(std::string(name()) +
                     ": a message that is neither KernelLaunch nor LaunchAbort nor IpcqInstall");
  }
}

void PeCpu::start_thread() {
  thread_started_ = true;
  const Scope scope(*this);
  sc_core::sc_spawn_options options;
  options.set_stack_size(*parameters_.kernel_stack_bytes);
  try {
    sc_core::sc_spawn([this] { run_launches(); }, "kernel", &options);
  } catch (const sc_core::sc_report&) {
    throw Error(
        fmt::format("{}: the host refuses a stack of {} bytes (kernel_stack_bytes) for the kernel",
                    name(), *parameters_.kernel_stack_bytes));
  }
}

void PeCpu::abort(const LaunchAbort& notice) {
  for (Launch& entry : launches_) {
    if (entry.message != notice.launch) continue;
    entry.aborted = true;
    log_.info([&] {
      return fmt::format("kernel '{}' is to end: its launch has failed elsewhere",
                         entry.message->kernel.name);
    });
  }
  // What it waits for may never come.
  if (current_ != nullptr && current_->aborted) aborted_.notify(sc_core::SC_ZERO_TIME);
}

void PeCpu::install(Transaction& request, const IpcqInstall& message) {
  const auto mine = message.queue_pairs.find(where());
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
  send(request, 0, 0, 0, now());
}

// --- The kernel thread

std::optional<RunningProgram> PeCpu::running_program() const {
  if (current_ == nullptr) return std::nullopt;
  return RunningProgram{"kernel",
                        current_->message->kernel.name.c_str(),
                        "tl.",
                        last_call(),
                        call_site(),
                        static_cast<std::uint64_t>(*parameters_.kernel_stack_bytes),
                        "kernel_stack_bytes"};
}

void PeCpu::run_launches() {
  for (;;) {
    while (launches_.empty()) sc_core::wait(launched_);
    current_ = &launches_.front();
    run(*current_);
    current_ = nullptr;
    launches_.pop_front();
    state_signal_.set(static_cast<std::uint64_t>(State::idle));
  }
}

void PeCpu::run(Launch& launch) {
  const KernelLaunch& message = *launch.message;
  const Fs target = message.target_start.value_or(now());
  if (target > now()) {
    state_signal_.set(static_cast<std::uint64_t>(State::waiting_for_start));
    sc_core::wait(work_at(target));
  }
  const auto response = std::make_shared<HostResponse>();
  response->metrics.start_skew = now() - target;
  const Fs start = now();
  const PeUsage before = command_queue_.usage();
  state_signal_.set(static_cast<std::uint64_t>(State::running));
  running_since_ = target;
  log_.info([&] { return fmt::format("kernel '{}' starts", message.kernel.name); });
  response->completion = run_body(message);
  const Fs returned = now();
  log_.info([&] {
    return fmt::format("kernel '{}' has {} after {}", message.kernel.name,
                       response->completion.ok ? "returned" : "ended",
                       format_ns(returned - target));
  });
  if (to_ipcq_.connected()) {
    IpcqRequest end;
    end.what = IpcqKernelEnd{!response->completion.ok};
    to_ipcq_.ask(end);
  }

  state_signal_.set(static_cast<std::uint64_t>(State::draining));
  if (!response->completion.ok)
    command_queue_.abandon(fmt::format("kernel '{}' has failed", message.kernel.name));
  while (!command_queue_.drained())
    await(command_queue_.drained_event(), "the engines of the PE to drain");
  running_since_.reset();
  response->metrics.pe_exec = now() - target;
  running_time_ += response->metrics.pe_exec;
  for (const auto& command : unwaited_) {
    if (response->completion.ok && !command->error().empty()) {
      response->completion = failure(
          "access_fault", fmt::format("kernel '{}': {}", message.kernel.name, command->error()));
    }
  }
  unwaited_.clear();
  const PeUsage after = command_queue_.usage();
  response->metrics.dma = after.dma - before.dma;
  response->metrics.compute = after.compute - before.compute;

  ++launch_count_;
  if (response->completion.ok) {
    log_.debug([&] { return fmt::format("kernel '{}' answered", message.kernel.name); });
  } else {
    ++failures_;
  }
  report_run(message, start, returned);
  launch.request->route().message = response;
  launch.request->route().make_response();
  send(*launch.request, 0, 0, 0, now());
}

Completion PeCpu::run_body(const KernelLaunch& message) {
  const std::string kernel = fmt::format("kernel '{}': ", message.kernel.name);
  try {
    calling("");
    unwaited_text_.clear();
    next_call_ = 0;
    if (scratch_ == nullptr || scratch_->allocations() > 0)  // left by a kernel that was ended
      scratch_ = std::make_unique<FreeListAllocator>("scratch", 0, *parameters_.scratch_bytes);
    TranslationRequest tensors;
    tensors.launch = &message.args;
    to_mmu_.look(tensors);
    check_abort();
    if (message.body == nullptr) throw ModelError("a launch without a body");
    message.body->run(*this);
    return {};
  } catch (const sc_core::sc_unwind_exception&) {
    throw;
  } catch (const KernelAborted& aborted) {
    // Under collect_all a PE is ended only when it would wait for ever.
    if (message.failure_policy == FailurePolicy::collect_all && !aborted.blocked_on.empty()) {
      return failure(Completion::blocked,
                     fmt::format("{}waited for {} since {} when nothing happened any more", kernel,
                                 aborted.blocked_on, format_ns(aborted.since)));
    }
    return failure(Completion::aborted, kernel + "ended, the launch has failed on another PE");
  } catch (const Error& error) {
    return failure(error.code().c_str(), kernel + error.what() + line_of_last_call(error.what()));
  } catch (const std::exception& error) {
    const std::string call = *last_call() == '\0' ? "" : "; last call: " + last_call_text();
    return failure(code_of(error).c_str(), kernel + text_of(error) + call);
  } catch (...) {
    return failure("kernel_exception", fmt::format("{}{}; last call: {}", kernel,
                                                   text_of_other_exception(), last_call_text()));
  }
}

std::string PeCpu::last_call_text() const {
  if (*last_call() == '\0') return "none";
  return "tl." + (last_call() + call_site().in_brackets());
}

// Errors name the call themselves, few of them its line.
std::string PeCpu::line_of_last_call(const std::string& error) const {
  if (!call_site().known() || error.find(call_site().str()) != std::string::npos) return "";
  return "; last call: " + last_call_text();
}

Completion PeCpu::failure(const char* code, const std::string& what) const {
  log_.warning([&] { return fmt::format("{}: {}", code, what); });
  return Completion::failure(code, fmt::format("{} at {}: {}", name(), format_ns(now()), what));
}

void PeCpu::check_abort() const {
  while (machine_.stopping()) sc_core::wait();
  if (current_->aborted) throw KernelAborted{};
}

void PeCpu::await_or_end(const sc_core::sc_event& event, const std::string& what,
                         KernelWait::Reason reason, std::uint64_t command) {
  check_abort();
  const Fs since = now();
  await(event | aborted_, what);
  report_wait(reason, command, since);
  if (current_->aborted) throw KernelAborted{what, since};
}

// --- Reports

void PeCpu::report_wait(KernelWait::Reason reason, std::uint64_t command, Fs since) const {
  const AnalysisPort<KernelWait>& port = machine_.observation().kernel_waits;
  if (port.observed() && since < now()) port.write({this, reason, command, since, now()});
}

void PeCpu::report_run(const KernelLaunch& message, Fs start, Fs returned) const {
  const AnalysisPort<KernelRun>& port = machine_.observation().kernel_runs;
  if (port.observed())
    port.write({this, message.request_id, message.kernel.name, start, returned, now(),
                unwaited_text_.c_str()});
}

// --- Kernel context

void PeCpu::leaves_unwaited(std::string what) { unwaited_text_ = std::move(what); }

void PeCpu::dispatch() {
  cycles(call_cycles(next_call_++));
  check_abort();  // also of one that came meanwhile: the call does nothing any more
}

std::shared_ptr<CommandState> PeCpu::issue(Command command) {
  check_abort();
  auto state = std::make_shared<CommandState>(next_command_++);
  command_queue_.submit(state, std::move(command));
  ++commands_;
  command_signal_.set(state->id());
  const auto resolved = [](const std::shared_ptr<CommandState>& old) {
    return old->done() && old->error().empty();
  };
  unwaited_.erase(std::remove_if(unwaited_.begin(), unwaited_.end(), resolved), unwaited_.end());
  unwaited_.push_back(state);
  return state;
}

void PeCpu::wait(CommandState& command) {
  check_abort();
  if (!command.done()) {
    state_signal_.set(static_cast<std::uint64_t>(State::waiting_for_command));
    await_or_end(command.completed(),
                 fmt::format("command {} of kernel '{}'", command.id(), launch().kernel.name),
                 KernelWait::Reason::command, command.id());
    state_signal_.set(static_cast<std::uint64_t>(State::running));
  }
  const auto same = [&command](const std::shared_ptr<CommandState>& state) {
    return state.get() == &command;
  };
  const auto found = std::find_if(unwaited_.begin(), unwaited_.end(), same);
  const auto keep_alive = found == unwaited_.end() ? nullptr : *found;
  if (found != unwaited_.end()) unwaited_.erase(found);
  if (!command.error().empty()) throw AccessFault(command.error());
}

void PeCpu::print(const std::string& text) { report_log_line(LogLevel::info, name(), text); }

void PeCpu::cycles(std::uint64_t n) {
  check_abort();
  if (n == 0) return;
  const Fs end = end_of_cycles(n);
  cycles_ += n;
  sc_core::wait(work_at(end));
}

Fs PeCpu::end_of_cycles(std::uint64_t n) const {
  try {
    const Fs delay = cycles_to_fs(n, *parameters_.clock_ghz);
    if (delay <= never_fs - now()) return now() + delay;
  } catch (const std::overflow_error&) {
  }
  throw UsageError(fmt::format("tl.cycles({}): {}", n, end_of_time));
}

void PeCpu::ipcq_send(IpcqSend message) {
  check_abort();
  const std::string what = fmt::format("tl.send in direction '{}'", message.direction);
  operation_ = IpcqRequest();
  operation_.what = std::move(message);
  run_ipcq_operation(what);
}

IpcqReceived PeCpu::ipcq_receive(IpcqReceive request) {
  check_abort();
  const std::string what = request.direction.empty()
                               ? std::string("tl.recv in any direction")
                               : fmt::format("tl.recv in direction '{}'", request.direction);
  operation_ = IpcqRequest();
  operation_.what = std::move(request);
  run_ipcq_operation(what);
  return std::move(operation_.received);
}

std::uint64_t PeCpu::ipcq_reserve(const std::string& direction) {
  check_abort();
  IpcqRequest request;
  request.what = IpcqReservation{direction};
  to_ipcq_.ask(request);
  return std::get<IpcqReservation>(request.what).place;
}

const IpcqSetup& PeCpu::ipcq_setup() const {
  IpcqRequest request;
  to_ipcq_.look(request);
  return *request.setup;
}

void PeCpu::run_ipcq_operation(const std::string& what) {
  operation_ended_ = false;
  to_ipcq_.begin(operation_);
  state_signal_.set(static_cast<std::uint64_t>(State::waiting_for_ipcq));
  const auto reason = std::holds_alternative<IpcqSend>(operation_.what)
                          ? KernelWait::Reason::send
                          : KernelWait::Reason::receive;
  while (!operation_ended_)
    await_or_end(ipcq_ended_, fmt::format("{} of kernel '{}'", what, launch().kernel.name), reason);
  state_signal_.set(static_cast<std::uint64_t>(State::running));
  if (!operation_.error.empty()) throw UsageError(operation_.error);
}

void PeCpu::responded(IpcqRequest& /*request*/, const tlm::tlm_phase& /*phase*/) {
  operation_ended_ = true;
  ipcq_ended_.notify(sc_core::SC_ZERO_TIME);
}

PhysRanges PeCpu::translate(std::uint64_t address, std::uint64_t nbytes) const {
  TranslationRequest request;
  request.address = address;
  request.nbytes = nbytes;
  to_mmu_.look(request);
  return std::move(request.ranges);
}

Implementation pe_cpu_implementation() { return implementation_of<PeCpu>("builtin.pe_cpu"); }

}  // namespace kernbench
