// Overrides of the calls that end the process or the simulation; they precede the library
// functions. In a kernel, a bench, a module or a plug-in they are faults (fault_guard.h); elsewhere
// they behave as usual. Linked into programs only.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <systemc>

#include "platform/assembly/fault_guard.h"

namespace {

using Exit = void (*)(int);

[[noreturn]] void leave(const char* call, int status) {
  if (kernbench::FaultGuard::in_force()) {
    kernbench::FixedText what;
    what.add("has called {}({})", call, status);
    kernbench::FaultGuard::give_up(what.c_str());
  }
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
  if (kernbench::FaultGuard::in_force())
    kernbench::FaultGuard::give_up("has called abort() (SIGABRT)");
  reinterpret_cast<void (*)()>(::dlsym(RTLD_NEXT, "abort"))();
  __builtin_trap();
}

}  // extern "C"

namespace sc_core {

// A call inside a process comes from foreign code.
void sc_stop() {
  if (kernbench::FaultGuard::on_guarded_thread() && kernbench::running_process().valid())
    return kernbench::FaultGuard::note_stop_call();
  static const auto stop =
      reinterpret_cast<void (*)()>(::dlsym(RTLD_NEXT, "_ZN7sc_core7sc_stopEv"));
  stop();
}

}  // namespace sc_core
