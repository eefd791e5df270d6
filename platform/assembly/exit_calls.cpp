// The calls by which a program would end the process or the simulation, before those of the
// libraries: in a kernel, a bench or a module outside they are faults (program_guard.h), elsewhere
// they do what they always do.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <systemc>

#include "platform/assembly/program_guard.h"

namespace {

using Exit = void (*)(int);

[[noreturn]] void leave(const char* call, int status) {
  char what[64];
  std::snprintf(what, sizeof what, "has called %s(%d)", call, status);
  if (kernbench::ProgramGuard::can_park()) kernbench::ProgramGuard::fail(what);
  if (kernbench::ProgramGuard::in_method()) kernbench::ProgramGuard::give_up(what);
  reinterpret_cast<Exit>(::dlsym(RTLD_NEXT, call))(status);
  std::abort();
}

}  // namespace

extern "C" {

void exit(int status) noexcept { leave("exit", status); }
void _exit(int status) { leave("_exit", status); }           // NOLINT(bugprone-reserved-identifier)
void _Exit(int status) noexcept { leave("_Exit", status); }  // NOLINT(bugprone-reserved-identifier)
void quick_exit(int status) noexcept { leave("quick_exit", status); }

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
