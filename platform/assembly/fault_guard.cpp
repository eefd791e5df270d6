#include "platform/assembly/fault_guard.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <systemc>

#include "models/base/exception_text.h"
#include "platform/assembly/fault_text.h"
#include "platform/assembly/foreign_code.h"
#include "platform/assembly/process_names.h"
#include "platform/assembly/program_guard.h"
#include "platform/assembly/program_report.h"
#include "platform/assembly/spare_heap.h"

namespace kernbench {
namespace {

struct {
  bool active = false;
  bool kept = false;
  pthread_t thread{};
  int attempts = 0;  // to describe the present fault
} fault_state;

alignas(16) char signal_stack[64 * 1024];  // a handler cannot run on a stack that is full

// What a report is made of is damaged: nothing is read but the copied name, at the next attempt
// constants alone.
[[noreturn]] void last_words() {
  static FixedText line;
  const bool first = fault_state.attempts++ == 1;
  line.clear();
  line << "kernbench: error: ";
  if (first && FaultGuard::on_guarded_thread()) {
    const char* process = ProcessNames::of(sc_core::sc_get_current_process_b());
    line << (process == nullptr ? "the simulation" : process);
  } else {
    line << "the simulation";
  }
  line << ": memory has been overwritten, by it or by what ran before: there was a fault, and "
          "another one while it was described\n";
  const auto written = ::write(STDERR_FILENO, line.c_str(), line.size());
  static_cast<void>(written);
  FaultGuard::end_process(exit_failed);
}

// On the thread that is at fault.
void faulted(int signal, siginfo_t* info, void* context) {
  if (fault_state.attempts > 0) last_words();
  fault_state.attempts = 1;
  FixedText what;
  describe_fault(what, signal, *info, context);
  if (concerns_the_heap(signal, context)) SpareHeap::use();
  const bool parks = ProgramGuard::can_park();
  if (!parks && ProgramGuard::any_parked()) ProgramGuard::give_up();
  if (!parks) FaultGuard::give_up(what.c_str());
  ProgramGuard::note_fault(what.c_str());
  fault_state.attempts = 0;
  ProgramGuard::park();
}

// Of the exception under way.
void describe_exception(FixedText& text) {
  const std::exception_ptr error = std::current_exception();
  if (!error) {
    text << "has called std::terminate(), without an exception: by 'throw;', or a std::thread that "
            "is not joined";
    return;
  }
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    text << "has ended in std::terminate(), by the exception '" << known.what() << "'";
  } catch (...) {
    text << "has ended in std::terminate(), by an exception that is no std::exception";
  }
}

[[noreturn]] void terminated() {
  const std::exception_ptr error = std::current_exception();
  if (error && ForeignCode::current() != nullptr) FaultGuard::give_up(text_of(error).c_str(), "");
  FixedText what;
  describe_exception(what);
  if (ProgramGuard::can_park()) ProgramGuard::fail(what.c_str());
  FaultGuard::give_up(what.c_str());
}

}  // namespace

FaultGuard::FaultGuard() : outermost_(!fault_state.active) {
  if (!outermost_) return;
  sc_core::sc_get_curr_simcontext();  // is there before it is asked in a handler
  prepare_fault_text();
  old_terminate_ = std::set_terminate(terminated);
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
  if (fault_state.kept) return;
  for (std::size_t i = 0; i < std::size(signals_); ++i)
    ::sigaction(signals_[i], &old_actions_[i], nullptr);
  ::sigaltstack(&old_stack_, nullptr);
}

void FaultGuard::keep_handlers() { fault_state.kept = true; }

bool FaultGuard::in_force() { return fault_state.active; }

bool FaultGuard::on_guarded_thread() {
  return fault_state.active && ::pthread_equal(::pthread_self(), fault_state.thread) != 0;
}

void FaultGuard::give_up(const char* what, const char* subject) {
  if (fault_state.attempts == 0) fault_state.attempts = 1;
  static ProgramReport report;
  const ForeignCode* code = ForeignCode::current();
  if (::pthread_equal(::pthread_self(), fault_state.thread) != 0) {
    report.describe(what, subject);
  } else {
    report.describe_beside(what);
  }
  give_up(report, code == nullptr ? exit_failed : code->status());
}

void FaultGuard::give_up(const ProgramReport& report, int status) {
  report.print();
  end_process(status);
}

void FaultGuard::end_process(int status) {
  for (;;) ::syscall(SYS_exit_group, status);
}

}  // namespace kernbench
