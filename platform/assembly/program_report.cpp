#include "platform/assembly/program_report.h"

#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "models/base/units.h"

namespace kernbench {
namespace {

// As format_ns().
struct TimeText {
  char text[32];
  explicit TimeText(Fs time) {
    int length = std::snprintf(text, sizeof text, "%llu.%06llu",
                               static_cast<unsigned long long>(time / fs_per_ns),
                               static_cast<unsigned long long>(time % fs_per_ns));
    while (text[length - 1] == '0') --length;
    if (text[length - 1] == '.') --length;
    text[length] = '\0';
  }
};

}  // namespace

const ProgramHost* program_host_of(const sc_core::sc_process_handle& process) {
  if (!process.valid() || process.proc_kind() != sc_core::SC_THREAD_PROC_) return nullptr;
  return dynamic_cast<const ProgramHost*>(process.get_parent_object());
}

std::optional<RunningProgram> current_program() {
  const ProgramHost* host = program_host_of(sc_core::sc_get_current_process_handle());
  return host == nullptr ? std::nullopt : host->running_program();
}

void ProgramReport::describe(const char* what) {
  const sc_core::sc_process_handle process = sc_core::sc_get_current_process_handle();
  const TimeText now(sc_core::sc_time_stamp().value());
  const std::optional<RunningProgram> program = current_program();
  if (!program) {
    std::snprintf(text_, sizeof text_, "%s at %s ns: it %s",
                  process.valid() ? process.name() : "the simulation", now.text, what);
    return;
  }
  // A kernel is known by its PE_CPU, a thread of a bench by its own name.
  const char* where = std::strcmp(program->kind, "kernel") == 0
                          ? process.get_parent_object()->name()
                          : process.name();
  const bool called = program->last_call[0] != '\0';
  std::snprintf(text_, sizeof text_, "%s at %s ns: %s '%s' %s; last call: %s%s", where, now.text,
                program->kind, program->name, what, called ? program->api : "",
                called ? program->last_call : "none");
}

void ProgramReport::print() const {
  char line[sizeof text_ + 32];
  const int length = std::snprintf(line, sizeof line, "kernbench: error: %s\n", text_);
  const auto written = ::write(STDERR_FILENO, line, static_cast<std::size_t>(length));
  static_cast<void>(written);
}

}  // namespace kernbench
