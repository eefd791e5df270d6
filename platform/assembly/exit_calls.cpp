// The calls by which a program would end the process or the simulation, before those of the
// libraries: in a kernel or a bench they are faults (program_guard.h), elsewhere they do what they
// always do.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <systemc>

#include "platform/assembly/program_guard.h"

namespace {

using Exit = void (*)(int);

[[noreturn]] void leave(const char* call, int status) {
  if (kernbench::ProgramGuard::can_park()) {
    char what[64];
    std::snprintf(what, sizeof what, "has called %s(%d)", call, status);
    kernbench::ProgramGuard::fail(what);
  }
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
  if (kernbench::ProgramGuard::can_park()) kernbench::ProgramGuard::fail("has called sc_stop()");
  static const auto stop =
      reinterpret_cast<void (*)()>(::dlsym(RTLD_NEXT, "_ZN7sc_core7sc_stopEv"));
  stop();
}

}  // namespace sc_core
