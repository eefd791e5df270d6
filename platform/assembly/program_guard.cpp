#include "platform/assembly/program_guard.h"

#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <systemc>

#include "platform/assembly/program_report.h"

namespace kernbench {
namespace {

constexpr unsigned closing_limit_s =
    30;  // for what is left to do once a program is parked: writing result files

struct {
  bool active = false;
  pthread_t simulation{};  // the one that runs it
  bool failed = false;
  bool parked = false;
  ProgramReport report;  // of the first that is parked; a fault comes before others
  std::terminate_handler old_terminate = nullptr;
} state;

alignas(16) char signal_stack[64 * 1024];  // a handler cannot run on a stack that is full

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

// A frame may reach far beyond the end of the stack before it touches memory there.
bool beyond_the_stack(const void* address, std::uintptr_t stack_pointer) {
  constexpr std::uintptr_t largest_frame = 1 << 20;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at + largest_frame > stack_pointer && at < stack_pointer + largest_frame;
}

void describe_fault(char* text, std::size_t size, int signal, const siginfo_t& info,
                    const void* context) {
  const auto address =
      static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(info.si_addr));
  const std::optional<RunningProgram> program = current_program();
  const auto says = [&](const char* what) { std::snprintf(text, size, "%s", what); };
  switch (signal) {
    case SIGSEGV:
      if (!program || !beyond_the_stack(info.si_addr, stack_pointer(context))) break;
      std::snprintf(text, size, "has overrun its stack of %llu bytes%s%s%s",
                    static_cast<unsigned long long>(program->stack_bytes),
                    program->stack_key[0] == '\0' ? "" : " (", program->stack_key,
                    program->stack_key[0] == '\0' ? "" : ")");
      return;
    case SIGFPE:
      return says(info.si_code == FPE_INTDIV ? "has divided an integer by zero (SIGFPE)"
                                             : "has made an arithmetic error (SIGFPE)");
    case SIGILL:
      return says("has run into an illegal instruction (SIGILL)");
    case SIGABRT:
      return says("has called abort() (SIGABRT)");
    default:
      break;
  }
  std::snprintf(text, size, "has accessed the invalid address 0x%llx (%s)", address,
                signal == SIGBUS ? "SIGBUS" : "SIGSEGV");
}

// What is left has failed too, or takes for ever.
void give_up(int /*signal*/) { ProgramGuard::give_up(state.report); }

bool on_simulation_thread() {
  return state.active && ::pthread_equal(::pthread_self(), state.simulation) != 0;
}

[[noreturn]] void park() {
  if (!state.parked) {
    state.parked = true;
    std::signal(SIGALRM, give_up);
    ::alarm(closing_limit_s);
  }
  sigset_t none;
  sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);  // the handler never returns
  for (;;) {
    sc_core::sc_pause();
    sc_core::wait();
  }
}

// On the thread that is at fault. Outside of any process the program ends as it would without the
// guard.
void faulted(int signal, siginfo_t* info, void* context) {
  if (state.parked && !ProgramGuard::can_park()) give_up(signal);
  char what[256];
  describe_fault(what, sizeof what, signal, *info, context);
  if (ProgramGuard::can_park()) ProgramGuard::fail(what);
  if (ProgramGuard::in_method()) ProgramGuard::give_up(what);
  std::signal(signal, SIG_DFL);  // the access is made again
}

[[noreturn]] void terminated() {
  if (!ProgramGuard::can_park() && !ProgramGuard::in_method()) {
    state.old_terminate();
    std::abort();
  }
  char what[512] =
      "has called std::terminate(), without an exception: by 'throw;', or a std::thread that is "
      "not joined";
  if (const std::exception_ptr error = std::current_exception()) {
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& known) {
      std::snprintf(what, sizeof what, "has ended in std::terminate(), by the exception '%s'",
                    known.what());
    } catch (...) {
      std::snprintf(what, sizeof what,
                    "has ended in std::terminate(), by an exception that is no std::exception");
    }
  }
  if (ProgramGuard::in_method()) ProgramGuard::give_up(what);
  ProgramGuard::fail(what);
}

}  // namespace

ProgramGuard::ProgramGuard() {
  state.old_terminate = std::set_terminate(terminated);
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
  state.simulation = ::pthread_self();
  state.active = true;
}

ProgramGuard::~ProgramGuard() {
  state.active = false;
  std::set_terminate(state.old_terminate);
  if (state.parked) return;  // what is left to do may fail
  for (std::size_t i = 0; i < std::size(signals_); ++i)
    ::sigaction(signals_[i], &old_actions_[i], nullptr);
  ::sigaltstack(&old_stack_, nullptr);
}

const char* ProgramGuard::fault() { return state.failed ? state.report.text() : nullptr; }

bool ProgramGuard::any_parked() { return state.parked; }

bool ProgramGuard::can_park() {
  if (!on_simulation_thread()) return false;
  const sc_core::sc_process_handle process = sc_core::sc_get_current_process_handle();
  return process.valid() && process.proc_kind() != sc_core::SC_METHOD_PROC_ &&
         !process.is_unwinding();
}

bool ProgramGuard::in_method() {
  if (!on_simulation_thread()) return false;
  const sc_core::sc_process_handle process = sc_core::sc_get_current_process_handle();
  return process.valid() && process.proc_kind() == sc_core::SC_METHOD_PROC_;
}

void ProgramGuard::note(const char* what) {
  if (!state.failed) state.report.describe(what);
  state.failed = true;
  sc_core::sc_pause();
}

void ProgramGuard::give_up(const char* what) {
  ProgramReport report;
  report.describe(what);
  give_up(state.failed ? state.report : report);
}

void ProgramGuard::give_up(const ProgramReport& report) {
  state.active = false;  // the call below is not one of a program
  report.print();
  ::_exit(1);
}

void ProgramGuard::fail(const char* what) {
  if (!state.failed) state.report.describe(what);
  state.failed = true;
  park();
}

void ProgramGuard::hold(const ProgramReport& report) {
  if (!state.parked) state.report = report;
  park();
}

}  // namespace kernbench
