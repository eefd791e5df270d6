#include "models/pe/kernel_contexts.h"

#include <fmt/format.h>
#include <sysc/kernel/sc_spawn.h>
#include <sysc/kernel/sc_spawn_options.h>

#include <algorithm>

#include "models/base/errors.h"
#include "models/base/exception_text.h"
#include "models/base/program_end.h"
#include "models/base/thrown_text.h"

namespace kernbench {

// --- A context

// Runs one kernel at a time on its thread.
class KernelContexts::Context {
 public:
  Context(KernelContexts& contexts, std::size_t number)
      : contexts_(contexts), cpu_(contexts.resources_.cpu), number_(number),
        calls_(contexts.resources_,
               [&contexts](const ArrivedLaunch& launch) { contexts.reach_barrier(launch); }) {}

  KernelCalls& calls() { return calls_; }
  const KernelCalls& calls() const { return calls_; }
  bool busy() const { return calls_.busy(); }
  const KernelLaunch& launch() const { return calls_.launch(); }
  bool runs_on(const sc_core::sc_object* thread) const { return thread == thread_; }
  RunningProgram program() const;
  void add_signals() { calls_.add_signals(number_ == 0 ? "" : std::to_string(number_)); }

  void start(ArrivedLaunch launch);

 private:
  void start_thread();
  void run_launches();
  void run();
  Completion run_body();
  void end(HostResponse& response, Fs target);
  void report_start(Fs target) const;
  void report_run(Fs target, Fs start, Fs returned) const;
  Completion failure(const char* code, const std::string& what) const;
  std::string last_call_text() const;                             // "tl.load (k.cpp:41)"
  std::string line_of_last_call(const std::string& error) const;  // "; last call: ..."; or nothing

  KernelContexts& contexts_;
  FabricNode& cpu_;
  const std::size_t number_;
  KernelCalls calls_;
  const sc_core::sc_object* thread_ = nullptr;
  bool thread_started_ = false;
  sc_core::sc_event launched_{""};
};

RunningProgram KernelContexts::Context::program() const {
  return {"kernel",
          launch().kernel.name.c_str(),
          "tl.",
          calls_.last_call(),
          calls_.call_site(),
          static_cast<std::uint64_t>(contexts_.stack_bytes_),
          "kernel_stack_bytes"};
}

void KernelContexts::Context::start(ArrivedLaunch launch) {
  calls_.accept(std::move(launch));
  const Fs now = Component::now();
  const Fs target = this->launch().target_start.value_or(now);
  if (target > now) {
    calls_.show(KernelCalls::State::waiting_for_start);
    launched_.notify(cpu_.work_at(target));
  } else {
    launched_.notify(sc_core::SC_ZERO_TIME);
  }
  if (!thread_started_) start_thread();
}

void KernelContexts::Context::start_thread() {
  thread_started_ = true;
  const Component::Scope scope(cpu_);
  sc_core::sc_spawn_options options;
  options.set_stack_size(contexts_.stack_bytes_);
  const std::string name = number_ == 0 ? "kernel" : fmt::format("kernel{}", number_);
  try {
    sc_core::sc_spawn([this] { run_launches(); }, name.c_str(), &options);
  } catch (const sc_core::sc_report&) {
    throw Error(
        fmt::format("{}: the host refuses a stack of {} bytes (kernel_stack_bytes) for the kernel",
                    cpu_.name(), contexts_.stack_bytes_));
  }
}

void KernelContexts::Context::run_launches() {
  thread_ = sc_core::sc_get_current_process_handle().get_process_object();
  begin_program();
  for (;;) {
    while (!busy()) sc_core::wait(launched_);
    run();
    calls_.free();
    contexts_.begin_launches();
    if (!busy()) calls_.show(KernelCalls::State::idle);
  }
}

void KernelContexts::Context::run() {
  const KernelLaunch& message = launch();
  const Fs target = message.target_start.value_or(Component::now());
  // A thread that was running, or has just been spawned, when it got the launch, is early.
  if (target > Component::now()) sc_core::wait(cpu_.work_at(target));
  calls_.await_turn();
  const auto response = std::make_shared<HostResponse>();
  response->metrics.start_skew = Component::now() - target;
  const Fs start = Component::now();
  calls_.start();
  contexts_.kernel_begins(target);
  report_start(target);
  contexts_.log_.info([&] { return fmt::format("kernel '{}' starts", message.kernel.name); });
  response->completion = run_body();
  finish_ended_program();
  const Fs returned = Component::now();
  contexts_.log_.info([&] {
    return fmt::format("kernel '{}' has {} after {}", message.kernel.name,
                       response->completion.ok ? "returned" : "ended",
                       format_ns(returned - target));
  });
  end(*response, target);
  report_run(target, start, returned);
  Transaction& request = *calls_.arrived().request;
  request.route().message = response;
  request.route().make_response();
  cpu_.send_message(request);
}

Completion KernelContexts::Context::run_body() {
  const KernelLaunch& message = launch();
  const auto kernel = [&message] { return fmt::format("kernel '{}': ", message.kernel.name); };
  try {
    calls_.prepare();
    if (message.body == nullptr) throw ModelError("a launch without a body");
    message.body->run(calls_);
    calls_.drain_sends();
    return {};
  } catch (const ProgramEnded&) {
    return {};
  } catch (const sc_core::sc_unwind_exception&) {
    throw;
  } catch (const KernelAborted& aborted) {
    // Under collect_all a PE is ended only when its wait would never end.
    if (message.failure_policy == FailurePolicy::collect_all && !aborted.blocked_on.empty()) {
      return failure(Completion::blocked,
                     fmt::format("{}waited for {} since {} when no event was pending", kernel(),
                                 aborted.blocked_on, format_ns(aborted.since)));
    }
    return failure(Completion::aborted, kernel() + "ended, the launch has failed on another PE");
  } catch (const Error& error) {
    return failure(error.code().c_str(), kernel() + error.what() + line_of_last_call(error.what()));
  } catch (const std::exception& error) {
    const std::string call = *calls_.last_call() == '\0' ? "" : "; last call: " + last_call_text();
    return failure(code_of(error).c_str(), kernel() + text_of(error) + call);
  } catch (...) {
    return failure("kernel_exception", fmt::format("{}{}; last call: {}", kernel(),
                                                   text_of_other_exception(), last_call_text()));
  }
}

void KernelContexts::Context::end(HostResponse& response, Fs target) {
  const std::string& kernel = launch().kernel.name;
  Completion& completion = response.completion;
  calls_.drain_engines(completion);
  response.metrics.pe_exec = Component::now() - target;
  if (const std::string error = calls_.take_unwaited_error(); completion.ok && !error.empty())
    completion = failure("access_fault", fmt::format("kernel '{}': {}", kernel, error));
  calls_.free_scratch();
  contexts_.kernel_ends();
  response.metrics.dma = calls_.usage().dma;
  response.metrics.compute = calls_.usage().compute;
  ++contexts_.counts_.launches;
  if (completion.ok) {
    contexts_.log_.debug([&] { return fmt::format("kernel '{}' answered", kernel); });
  } else {
    ++contexts_.counts_.failures;
  }
}

void KernelContexts::Context::report_start(Fs target) const {
  const AnalysisPort<KernelStart>& port = contexts_.resources_.machine.observation().kernel_starts;
  if (port.observed())
    port.write({&cpu_, launch().request_id, launch().kernel.name, Component::now(), target,
                launch().stream});
}

void KernelContexts::Context::report_run(Fs target, Fs start, Fs returned) const {
  const AnalysisPort<KernelRun>& port = contexts_.resources_.machine.observation().kernel_runs;
  if (port.observed())
    port.write({&cpu_, launch().request_id, launch().kernel.name, start, returned, Component::now(),
                calls_.unwaited_text().c_str(), target, launch().stream});
}

std::string KernelContexts::Context::last_call_text() const {
  if (*calls_.last_call() == '\0') return "none";
  return "tl." + (calls_.last_call() + calls_.call_site().in_brackets());
}

// Errors name the call themselves, few of them its line.
std::string KernelContexts::Context::line_of_last_call(const std::string& error) const {
  const CallSite site = calls_.call_site();
  if (!site.known() || error.find(site.str()) != std::string::npos) return "";
  return "; last call: " + last_call_text();
}

Completion KernelContexts::Context::failure(const char* code, const std::string& what) const {
  contexts_.log_.warning([&] { return fmt::format("{}: {}", code, what); });
  return Completion::failure(
      code, fmt::format("{} at {}: {}", cpu_.name(), format_ns(Component::now()), what));
}

// --- All contexts

KernelContexts::KernelContexts(FabricNode& cpu, MachineServices& machine, Settings settings)
    : resources_(cpu, machine, std::move(settings.kernels), *this),
      stack_bytes_(settings.stack_bytes), most_contexts_(settings.contexts), keys_(cpu.node()),
      log_(cpu) {
  contexts_.push_back(std::make_unique<Context>(*this, 0));
}

KernelContexts::~KernelContexts() = default;

void KernelContexts::declare_signals() {
  signals_declared_ = true;
  for (const auto& context : contexts_) context->add_signals();
}

std::vector<SignalDeclaration> KernelContexts::signals_when_used() const {
  return most_contexts_ > 1 ? KernelCalls::signals_of("{i}") : std::vector<SignalDeclaration>();
}

std::optional<RunningProgram> KernelContexts::running_program() const {
  const sc_core::sc_object* here =
      sc_core::sc_get_status() == sc_core::SC_RUNNING
          ? sc_core::sc_get_current_process_handle().get_process_object()
          : nullptr;
  const Context* found = nullptr;
  for (const auto& context : contexts_) {
    if (context->busy() && (found == nullptr || context->runs_on(here))) found = context.get();
  }
  if (found == nullptr) return std::nullopt;
  return found->program();
}

std::vector<RunningProgram> KernelContexts::running_programs() const {
  std::vector<RunningProgram> programs;
  for (const auto& context : contexts_) {
    if (context->busy()) programs.push_back(context->program());
  }
  return programs;
}

// --- Launches

void KernelContexts::launch(Transaction& request, std::shared_ptr<const KernelLaunch> message) {
  log_.debug([&] { return fmt::format("kernel '{}' accepted", message->kernel.name); });
  launches_.push_back({&request, std::move(message), ++last_number_});
  begin_launches();
}

void KernelContexts::begin_launches() {
  for (auto launch = launches_.begin(); launch != launches_.end();) {
    if (!may_begin(launch)) {
      ++launch;
      continue;
    }
    Context* context = idle_context();
    if (context == nullptr) return;
    ArrivedLaunch next = std::move(*launch);
    launch = launches_.erase(launch);
    context->start(std::move(next));
  }
}

// Kernels of one stream run back to back.
bool KernelContexts::may_begin(std::deque<ArrivedLaunch>::const_iterator launch) const {
  const std::uint32_t stream = launch->message->stream;
  return std::none_of(
             launches_.begin(), launch,
             [&](const ArrivedLaunch& before) { return before.message->stream == stream; }) &&
         std::none_of(contexts_.begin(), contexts_.end(), [&](const auto& context) {
           return context->busy() && context->launch().stream == stream;
         });
}

KernelContexts::Context* KernelContexts::idle_context() {
  for (const auto& context : contexts_) {
    if (!context->busy()) return context.get();
  }
  if (contexts_.size() == most_contexts_) return nullptr;
  contexts_.push_back(std::make_unique<Context>(*this, contexts_.size()));
  if (signals_declared_) contexts_.back()->add_signals();
  return contexts_.back().get();
}

void KernelContexts::kernel_begins(Fs target) {
  if (running_++ == 0) running_since_ = std::max(target, last_ended_);
}

void KernelContexts::kernel_ends() {
  if (contexts_.size() > 1) resources_.scratch_freed.notify(sc_core::SC_ZERO_TIME);
  if (--running_ > 0) return;
  last_ended_ = Component::now();
  counts_.running_time += last_ended_ - running_since_;
}

void KernelContexts::abort(const LaunchAbort& notice) {
  const auto log = [&] {
    log_.info([&] {
      return fmt::format("kernel '{}' is aborted: its launch has failed elsewhere",
                         notice.launch->kernel.name);
    });
  };
  for (ArrivedLaunch& entry : launches_) {
    if (entry.message != notice.launch) continue;
    entry.aborted = true;
    entry.abort_cause = notice.cause;
    log();
  }
  for (const auto& context : contexts_) {
    if (!context->busy() || &context->launch() != notice.launch.get()) continue;
    log();
    context->calls().abort(notice.cause);
  }
}

// --- tl.barrier

void KernelContexts::reach_barrier(const ArrivedLaunch& launch) {
  auto reached = std::make_shared<BarrierReached>();
  reached->launch = launch.message;
  TransactionHandle notice = resources_.machine.pool().make();
  notice->set_command(tlm::TLM_IGNORE_COMMAND);
  RouteExtension& route = notice->route();
  route.path = &launch.request->route().path->reverse();
  route.key = keys_.next(Component::now());
  route.host_control = true;
  route.posted = true;
  route.listener = this;
  route.message = std::move(reached);
  barrier_notices_.push_back(notice);
  resources_.cpu.send_message(*notice);
}

void KernelContexts::completed(Transaction& notice) {
  const auto found = std::find_if(barrier_notices_.begin(), barrier_notices_.end(),
                                  [&](const TransactionHandle& each) { return &*each == &notice; });
  barrier_notices_.erase(found);
}

void KernelContexts::pass_barrier(const BarrierPassed& notice) {
  for (const auto& context : contexts_) {
    if (context->busy() && &context->launch() == notice.launch.get())
      context->calls().pass_barrier();
  }
}

// --- PE_IPCQ

Completion KernelContexts::install(const IpcqInstall& message) {
  const auto mine = message.queue_pairs.find(resources_.where());
  const IpcqQueuePairs none;
  IpcqRequest rings;
  rings.what =
      RingInstallation{&message, mine == message.queue_pairs.end() ? &none : &mine->second, {}};
  resources_.to_ipcq.b_transport(rings);
  Completion completion = std::move(std::get<RingInstallation>(rings.what).completion);
  log_.debug([&] {
    return fmt::format("IpcqInstall: {} queue pairs {}",
                       mine == message.queue_pairs.end() ? none.size() : mine->second.size(),
                       !completion.ok                                   ? "refused"
                       : message.action == IpcqInstall::Action::install ? "installed"
                                                                        : "would be accepted");
  });
  return completion;
}

void KernelContexts::nb_transport_bw(IpcqRequest& request, const tlm::tlm_phase& /*phase*/) {
  const auto found = std::find_if(contexts_.begin(), contexts_.end(), [&](const auto& context) {
    return context->busy() && context->launch().stream == request.stream;
  });
  if (found != contexts_.end()) (*found)->calls().ipcq_ended(request);  // may release the request
}

}  // namespace kernbench
