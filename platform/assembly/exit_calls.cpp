// The calls by which a program would end the process or the simulation, before those of the
// libraries: in a kernel, a bench, a module or a plug-in they are faults (program_guard.h,
// fault_guard.h), elsewhere they do what they always do.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <systemc>

#include "platform/assembly/fault_guard.h"
#include "platform/assembly/fixed_text.h"
#include "platform/assembly/program_guard.h"

namespace {

using Exit = void (*)(int);

// Returns where the call is not one of a program or a module.
void take_for_fault(const char* what) {
  if (kernbench::ProgramGuard::can_park()) kernbench::ProgramGuard::fail(what);
  if (kernbench::FaultGuard::in_force()) kernbench::FaultGuard::give_up(what);
}

[[noreturn]] void leave(const char* call, int status) {
  kernbench::FixedText what;
  what << "has called " << call << "(";
  what.add_signed(status) << ")";
  take_for_fault(what.c_str());
  reinterpret_cast<Exit>(::dlsym(RTLD_NEXT, call))(status);
  __builtin_trap();
}

}  // namespace

extern "C" {

void exit(int status) noexcept { leave("exit", status); }
void _exit(int status) { leave("_exit", status); }           // NOLINT(bugprone-reserved-identifier)
void _Exit(int status) noexcept { leave("_Exit", status); }  // NOLINT(bugprone-reserved-identifier)
void quick_exit(int status) noexcept { leave("quick_exit", status); }

void abort() noexcept {
  take_for_fault("has called abort() (SIGABRT)");
  reinterpret_cast<void (*)()>(::dlsym(RTLD_NEXT, "abort"))();
  __builtin_trap();
}

}  // extern "C"

namespace sc_core {

void sc_stop() {
  constexpr const char* what = "has called sc_stop()";
  if (kernbench::ProgramGuard::can_park()) kernbench::ProgramGuard::fail(what);
  if (kernbench::ProgramGuard::in_method()) return kernbench::ProgramGuard::note(what);
  static const auto stop =
      reinterpret_cast<void (*)()>(::dlsym(RTLD_NEXT, "_ZN7sc_core7sc_stopEv"));
  stop();
}

}  // namespace sc_core
