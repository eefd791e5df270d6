#include "platform/assembly/fault_guard.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <systemc>
#include <utility>

#include "models/base/exception_text.h"

namespace kernbench {
namespace {

struct {
  std::atomic<bool> active{false};
  pthread_t thread{};
  std::atomic<pid_t> reporter{0};  // thread that reports a fault
  ProgramReport report;
  ProgramReport stop_call;
  bool stop_called = false;
} fault_state;

alignas(16) char signal_stack[64 * 1024];  // a handler cannot run on a stack that is full

// The first faulting thread ends the process; other threads block until then. Returns false for a
// fault of the same thread while it reports the first.
bool becomes_reporter() {
  pid_t reporter = 0;
  const auto self = static_cast<pid_t>(::syscall(SYS_gettid));
  if (fault_state.reporter.compare_exchange_strong(reporter, self)) return true;
  while (reporter != self) ::pause();
  return false;
}

void begin_report() {
  if (becomes_reporter()) return;
  static FixedText text;
  text.add(
      "kernbench: error: the simulation: memory has been overwritten, by the running code or by "
      "earlier code: a second fault occurred while the first was reported");
  text.write_line_to_stderr();
  FaultGuard::end_process(exit_failed);
}

[[noreturn]] void end_with_report(const char* what, const char* subject) {
  const ForeignCode* code = ForeignCode::current();
  ProgramReport& report = fault_state.report;
  if (!FaultGuard::on_guarded_thread()) {
    report.describe_at("a thread outside the simulation ", what, "");
  } else if (code != nullptr) {
    report.describe_at(code->says(), what, subject);
  } else {
    report.describe(what, subject);
  }
  report.print();
  FaultGuard::end_process(code == nullptr ? exit_failed : code->status());
}

// --- Signals

std::uintptr_t stack_pointer(const void* context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(
      static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.sp);
#else
  return 0;
#endif
}

// Probes the address by a system call, which returns an error instead of faulting.
bool is_readable(std::uintptr_t address) {
  return ::access(reinterpret_cast<const char*>(address), F_OK) == 0 || errno != EFAULT;
}

// An address just below the stack pointer is a call, or an access of a frame without a frame
// pointer. An address above it belongs to a frame that reaches into the guard page, or lies beyond
// the end of the stack.
bool overruns_the_stack(const siginfo_t& info, std::uintptr_t stack_pointer) {
  constexpr std::uintptr_t page = 4096, largest_frame = 1 << 20;
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  if (stack_pointer == 0) return false;
  if (address <= stack_pointer) return stack_pointer - address <= page;
  return address - stack_pointer < largest_frame &&
         (info.si_code == SEGV_ACCERR || !is_readable(stack_pointer));
}

void describe_overrun(FixedText& text) {
  const std::optional<RunningProgram> program = current_program();
  text.add("has overrun its stack");
  if (program) text.add(" of {} bytes", program->stack_bytes);
  text.add(" (stack overflow");
  if (program && program->stack_key[0] != '\0') text.add("; {}", program->stack_key);
  text.add(")");
}

void describe_fault(FixedText& text, int signal, const siginfo_t& info, const void* context) {
  switch (signal) {
    case SIGFPE:
      text.add("{} (SIGFPE)", info.si_code == FPE_INTDIV ? "has divided an integer by zero"
                                                         : "has made an arithmetic error");
      return;
    case SIGILL:
      text.add("has run into an illegal instruction (SIGILL)");
      return;
    case SIGABRT:  // abort() itself is intercepted earlier: exit_calls.cpp
      text.add(
          "was aborted (SIGABRT) by a check of the C library: an assertion has failed, or memory "
          "has been overwritten, by it or by earlier code");
      return;
    case SIGSEGV:
      if (overruns_the_stack(info, stack_pointer(context))) return describe_overrun(text);
      [[fallthrough]];
    default:
      text.add("has accessed the invalid address {:#x} ({})",
               reinterpret_cast<std::uintptr_t>(info.si_addr),
               signal == SIGBUS ? "SIGBUS" : "SIGSEGV");
  }
}

// Runs on the faulting thread.
void faulted(int signal, siginfo_t* info, void* context) {
  begin_report();
  FixedText what;
  describe_fault(what, signal, *info, context);
  end_with_report(what.c_str(), "it ");
}

// --- std::terminate()

[[noreturn]] void terminated() {
  const std::exception_ptr error = std::current_exception();
  if (error && ForeignCode::current() != nullptr) FaultGuard::give_up(text_of(error).c_str(), "");
  if (!error)
    FaultGuard::give_up(
        "has called std::terminate(), without an exception: by 'throw;', or a std::thread that is "
        "not joined");
  FixedText what;
  what.add("has ended in std::terminate(), by ");
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    what.add("the exception '{}'", known.what());
  } catch (...) {
    what.add("an exception that is not a std::exception");
  }
  FaultGuard::give_up(what.c_str());
}

}  // namespace

FaultGuard::FaultGuard() : outermost_(!fault_state.active) {
  if (!outermost_) return;
  sc_core::sc_get_curr_simcontext();  // created here, before a handler needs it
  old_terminate_ = std::set_terminate(terminated);
  // Coroutine stacks belong to processes on this thread, so one alternate stack serves them all.
  stack_t stack{};
  stack.ss_sp = signal_stack;
  stack.ss_size = sizeof signal_stack;
  ::sigaltstack(&stack, &old_stack_);
  struct sigaction action {};
  action.sa_sigaction = faulted;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < std::size(signals_); ++i)
    ::sigaction(signals_[i], &action, &old_actions_[i]);
  fault_state.thread = ::pthread_self();
  fault_state.active = true;
}

FaultGuard::~FaultGuard() {
  if (!outermost_) return;
  fault_state.active = false;
  std::set_terminate(old_terminate_);
  for (std::size_t i = 0; i < std::size(signals_); ++i)
    ::sigaction(signals_[i], &old_actions_[i], nullptr);
  ::sigaltstack(&old_stack_, nullptr);
}

bool FaultGuard::in_force() { return fault_state.active; }

bool FaultGuard::on_guarded_thread() {
  return fault_state.active && ::pthread_equal(::pthread_self(), fault_state.thread) != 0;
}

void FaultGuard::give_up(const char* what, const char* subject) {
  begin_report();
  end_with_report(what, subject);
}

void FaultGuard::give_up(const ProgramReport& report, const char* reason) {
  begin_report();
  report.print(reason);
  end_process(exit_failed);
}

void FaultGuard::end_process(int status) {
  for (;;) ::syscall(SYS_exit_group, status);
}

void FaultGuard::note_stop_call() {
  if (!std::exchange(fault_state.stop_called, true))
    fault_state.stop_call.describe("has called sc_stop()");
  sc_core::sc_pause();
}

const char* FaultGuard::stop_call() {
  return fault_state.stop_called ? fault_state.stop_call.text() : nullptr;
}

// --- ForeignCode

const ForeignCode* ForeignCode::current_ = nullptr;

ForeignCode::ForeignCode(std::string_view says, int status)
    : status_(status), outer_(std::exchange(current_, this)) {
  says_.add("{}", says);
}

}  // namespace kernbench
