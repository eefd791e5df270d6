#include "models/pe/kernel_runner.h"

#include <fmt/format.h>
#include <sysc/kernel/sc_spawn.h>
#include <sysc/kernel/sc_spawn_options.h>

#include <algorithm>

#include "models/base/errors.h"
#include "models/base/exception_text.h"
#include "models/base/program_end.h"
#include "models/base/thrown_text.h"
#include "models/pe/pe_cpu.h"

namespace kernbench {
namespace {

// Exception that ends a kernel whose launch has failed elsewhere. Not derived from std::exception,
// so that a kernel's own handlers let it pass.
struct KernelAborted {
  std::string blocked_on;  // what it waited for; empty: it was between two calls
  Fs since = 0;
};

}  // namespace

// --- Signals

std::vector<SignalDeclaration> KernelRunner::signals_of(const std::string& number) {
  return {{"state" + number, "what the kernel does",
           SignalFormat::enumeration({"idle", "waiting_for_start", "running", "waiting_for_command",
                                      "draining", "waiting_for_ipcq", "waiting_for_barrier"})},
          {"command" + number, "last command issued", SignalFormat::id()}};
}

void KernelRunner::add_signals() {
  Observables to(cpu_);
  std::vector<SignalDeclaration> declared = signals_of(number_ == 0 ? "" : std::to_string(number_));
  const auto add = [&](SignalDeclaration& each) {
    return &to.add_signal(std::move(each.name), std::move(each.description),
                          std::move(each.format));
  };
  state_signal_ = add(declared[0]);
  command_signal_ = add(declared[1]);
  show(state_);
  if (last_command_ != 0) command_signal_->set(last_command_);
}

void KernelRunner::show(State state) {
  state_ = state;
  if (state_signal_ != nullptr) state_signal_->set(static_cast<std::uint64_t>(state));
}

// --- The thread

RunningProgram KernelRunner::program(std::uint64_t stack_bytes) const {
  return {"kernel",
          launch_->message->kernel.name.c_str(),
          "tl.",
          last_call(),
          call_site(),
          stack_bytes,
          "kernel_stack_bytes"};
}

void KernelRunner::start(Launch launch) {
  launch_ = std::move(launch);
  const Fs target = message().target_start.value_or(now());
  if (target > now()) {
    show(State::waiting_for_start);
    launched_.notify(cpu_.work_at(target));
  } else {
    launched_.notify(sc_core::SC_ZERO_TIME);
  }
  if (!thread_started_) start_thread();
}

void KernelRunner::start_thread() {
  thread_started_ = true;
  const Component::Scope scope(cpu_);
  const int stack_bytes = *cpu_.parameters_.kernel_stack_bytes;
  sc_core::sc_spawn_options options;
  options.set_stack_size(stack_bytes);
  const std::string name = number_ == 0 ? "kernel" : fmt::format("kernel{}", number_);
  try {
    sc_core::sc_spawn([this] { run_launches(); }, name.c_str(), &options);
  } catch (const sc_core::sc_report&) {
    throw Error(
        fmt::format("{}: the host refuses a stack of {} bytes (kernel_stack_bytes) for the kernel",
                    cpu_.name(), stack_bytes));
  }
}

void KernelRunner::abort(const std::string& cause) {
  launch_->aborted = true;
  launch_->abort_cause = cause;
  resumed_.notify(sc_core::SC_ZERO_TIME);  // what it waits for may never come
}

void KernelRunner::pass_barrier() {
  at_barrier_ = false;
  resumed_.notify(sc_core::SC_ZERO_TIME);
}

void KernelRunner::run_launches() {
  thread_ = sc_core::sc_get_current_process_handle().get_process_object();
  begin_program();
  for (;;) {
    while (!busy()) sc_core::wait(launched_);
    run();
    launch_.reset();
    cpu_.begin_launches();
    if (!busy()) show(State::idle);
  }
}

void KernelRunner::run() {
  const KernelLaunch& message = launch();
  const Fs target = message.target_start.value_or(now());
  // Of a thread that was running, or has just been spawned, when it got the launch.
  if (target > now()) sc_core::wait(cpu_.work_at(target));
  const auto response = std::make_shared<HostResponse>();
  response->metrics.start_skew = now() - target;
  const Fs start = now();
  commands_.stream = message.stream;
  commands_.usage = {};
  show(State::running);
  cpu_.kernel_begins(target);
  report_start(target);
  cpu_.log_.info([&] { return fmt::format("kernel '{}' starts", message.kernel.name); });
  response->completion = run_body();
  finish_ended_program();
  const Fs returned = now();
  cpu_.log_.info([&] {
    return fmt::format("kernel '{}' has {} after {}", message.kernel.name,
                       response->completion.ok ? "returned" : "ended",
                       format_ns(returned - target));
  });
  end(response, target);
  report_run(target, start, returned);
  Transaction& request = *launch_->request;
  request.route().message = response;
  request.route().make_response();
  cpu_.send_message(request);
}

// The engines drain.
void KernelRunner::end(const std::shared_ptr<HostResponse>& response, Fs target) {
  const std::string& kernel = launch().kernel.name;
  Completion& completion = response->completion;
  if (cpu_.to_ipcq_.connected()) {
    IpcqRequest end;
    end.stream = launch().stream;
    end.what = IpcqKernelEnd{!completion.ok, cpu_.runs_alone(*this),
                             completion.ok ? "" : completion.error_message};
    cpu_.to_ipcq_.ask(end);
  }
  show(State::draining);
  if (!completion.ok)
    cpu_.command_queue_.abandon(commands_, fmt::format("kernel '{}' has failed", kernel));
  commands_.awaits_drained = true;
  while (commands_.under_way > 0) cpu_.await(commands_.drained, "the engines of the PE to drain");
  commands_.awaits_drained = false;
  response->metrics.pe_exec = now() - target;
  for (const Issued& command : unwaited_) {
    if (completion.ok && command.state != nullptr && !command.state->error().empty())
      completion =
          failure("access_fault", fmt::format("kernel '{}': {}", kernel, command.state->error()));
  }
  unwaited_.clear();
  if (own_scratch_ != nullptr) {
    cpu_.scratch_->free(own_scratch_->base(), own_scratch_->size_bytes());
    own_scratch_.reset();
  }
  cpu_.kernel_ends();
  response->metrics.dma = commands_.usage.dma;
  response->metrics.compute = commands_.usage.compute;
  ++cpu_.launch_count_;
  if (completion.ok) {
    cpu_.log_.debug([&] { return fmt::format("kernel '{}' answered", kernel); });
  } else {
    ++cpu_.failures_;
  }
}

Completion KernelRunner::run_body() {
  const KernelLaunch& message = launch();
  const auto kernel = [&message] { return fmt::format("kernel '{}': ", message.kernel.name); };
  try {
    calling("");
    unwaited_text_.clear();
    next_call_ = 0;
    aborted_calls_ = 0;
    prepare_scratch();
    cpu_.tell_tensors(*this);
    check_abort();
    if (message.body == nullptr) throw ModelError("a launch without a body");
    message.body->run(*this);
    drain_sends();
    return {};
  } catch (const ProgramEnded&) {
    return {};
  } catch (const sc_core::sc_unwind_exception&) {
    throw;
  } catch (const KernelAborted& aborted) {
    // Under collect_all a PE is ended only when it would wait for ever.
    if (message.failure_policy == FailurePolicy::collect_all && !aborted.blocked_on.empty()) {
      return failure(Completion::blocked,
                     fmt::format("{}waited for {} since {} when nothing happened any more",
                                 kernel(), aborted.blocked_on, format_ns(aborted.since)));
    }
    return failure(Completion::aborted, kernel() + "ended, the launch has failed on another PE");
  } catch (const Error& error) {
    return failure(error.code().c_str(), kernel() + error.what() + line_of_last_call(error.what()));
  } catch (const std::exception& error) {
    const std::string call = *last_call() == '\0' ? "" : "; last call: " + last_call_text();
    return failure(code_of(error).c_str(), kernel() + text_of(error) + call);
  } catch (...) {
    return failure("kernel_exception", fmt::format("{}{}; last call: {}", kernel(),
                                                   text_of_other_exception(), last_call_text()));
  }
}

std::string KernelRunner::last_call_text() const {
  if (*last_call() == '\0') return "none";
  return "tl." + (last_call() + call_site().in_brackets());
}

// Errors name the call themselves, few of them its line.
std::string KernelRunner::line_of_last_call(const std::string& error) const {
  if (!call_site().known() || error.find(call_site().str()) != std::string::npos) return "";
  return "; last call: " + last_call_text();
}

Completion KernelRunner::failure(const char* code, const std::string& what) const {
  cpu_.log_.warning([&] { return fmt::format("{}: {}", code, what); });
  return Completion::failure(code,
                             fmt::format("{} at {}: {}", cpu_.name(), format_ns(now()), what));
}

void KernelRunner::check_abort() const {
  while (cpu_.machine_.stopping()) wait_in_program([] { sc_core::wait(); });
  if (!launch_->aborted) return;
  if (++aborted_calls_ > swallowed_at_most)
    end_is_swallowed(fmt::format("its launch has failed on another PE: {}", launch_->abort_cause));
  throw KernelAborted{};
}

void KernelRunner::await_or_end(const std::function<bool()>& done,
                                const std::function<std::string()>& what, KernelWait wait) {
  check_abort();
  wait.start = now();
  const auto awaited = [this, &what] {
    return fmt::format("{} of kernel '{}'", what(), launch().kernel.name);
  };
  while (!done() && !launch_->aborted) wait_in_program([&] { cpu_.await(resumed_, awaited); });
  report(wait);
  if (launch_->aborted) throw KernelAborted{awaited(), wait.start};
}

// --- Reports

void KernelRunner::report(KernelWait wait) const {
  const AnalysisPort<KernelWait>& port = cpu_.machine_.observation().kernel_waits;
  wait.node = &cpu_;
  wait.stream = launch().stream;
  wait.end = now();
  if (port.observed() && wait.start < wait.end) port.write(wait);
}

void KernelRunner::report_start(Fs target) const {
  const AnalysisPort<KernelStart>& port = cpu_.machine_.observation().kernel_starts;
  if (port.observed())
    port.write({&cpu_, launch().request_id, launch().kernel.name, now(), target, launch().stream});
}

void KernelRunner::report_run(Fs target, Fs start, Fs returned) const {
  const AnalysisPort<KernelRun>& port = cpu_.machine_.observation().kernel_runs;
  if (port.observed())
    port.write({&cpu_, launch().request_id, launch().kernel.name, start, returned, now(),
                unwaited_text_.c_str(), target, launch().stream});
}

}  // namespace kernbench
