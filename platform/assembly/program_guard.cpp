#include "platform/assembly/program_guard.h"

#include <unistd.h>

#include <csignal>
#include <ctime>
#include <systemc>

#include "platform/assembly/process_names.h"
#include "platform/assembly/program_report.h"

namespace kernbench {
namespace {

// For what is left to do once a program is parked: writing result files. The second bound is on
// time without any work: a lock that the parked thread holds.
constexpr int closing_limit_s = 30;
constexpr int idle_limit_s = 5;
constexpr std::int64_t idle_ms = 20;  // of the processor, in a second: timers

struct {
  bool active = false;
  bool failed = false;
  bool parked = false;
  ProgramReport report;  // of the first that is parked; a fault comes before others
  int closing_s = 0;
  int idle_s = 0;
  std::int64_t worked_ms = 0;
} program_state;

std::int64_t processor_time_ms() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::int64_t{1000} * time.tv_sec + time.tv_nsec / 1'000'000;
}

// Every second.
void look_at_closing(int /*signal*/) {
  const std::int64_t worked_ms = processor_time_ms();
  program_state.idle_s =
      worked_ms - program_state.worked_ms < idle_ms ? program_state.idle_s + 1 : 0;
  program_state.worked_ms = worked_ms;
  if (++program_state.closing_s >= closing_limit_s || program_state.idle_s >= idle_limit_s)
    ProgramGuard::give_up();
  ::alarm(1);
}

void watch_closing() {
  struct sigaction action {};
  action.sa_handler = look_at_closing;
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGALRM, &action, nullptr);
  ::alarm(1);
}

}  // namespace

ProgramGuard::ProgramGuard() {
  ProcessNames::copy();
  program_state.active = true;
}

ProgramGuard::~ProgramGuard() { program_state.active = false; }

const char* ProgramGuard::fault() {
  return program_state.failed ? program_state.report.text() : nullptr;
}

bool ProgramGuard::any_parked() { return program_state.parked; }

bool ProgramGuard::can_park() {
  if (!program_state.active || !FaultGuard::on_guarded_thread()) return false;
  const sc_core::sc_process_handle process = running_process();
  return process.valid() && process.proc_kind() != sc_core::SC_METHOD_PROC_ &&
         !process.is_unwinding();
}

bool ProgramGuard::in_method() {
  if (!program_state.active || !FaultGuard::on_guarded_thread()) return false;
  const sc_core::sc_process_handle process = running_process();
  return process.valid() && process.proc_kind() == sc_core::SC_METHOD_PROC_;
}

void ProgramGuard::note_fault(const char* what) {
  if (!program_state.failed) program_state.report.describe(what);
  program_state.failed = true;
}

void ProgramGuard::note(const char* what) {
  note_fault(what);
  sc_core::sc_pause();
}

void ProgramGuard::give_up() { FaultGuard::give_up(program_state.report); }

void ProgramGuard::park() {
  if (!program_state.parked) {
    program_state.parked = true;
    FaultGuard::keep_handlers();
    watch_closing();
  }
  sigset_t none;
  sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);  // the handler never returns
  for (;;) {
    sc_core::sc_pause();
    sc_core::wait();
  }
}

void ProgramGuard::fail(const char* what) {
  note_fault(what);
  park();
}

void ProgramGuard::hold(const ProgramReport& report) {
  if (!program_state.parked) program_state.report = report;
  park();
}

}  // namespace kernbench
