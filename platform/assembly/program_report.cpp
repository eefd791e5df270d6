#include "platform/assembly/program_report.h"

#include <unistd.h>

#include <cstring>

#include "models/base/active_component_scope.h"
#include "models/base/units.h"

namespace kernbench {
namespace {

constexpr std::size_t longest_name = 256;

// A name that has been overwritten may have any length: it leaves room for the fault.
std::string_view bounded(const char* name) { return {name, ::strnlen(name, longest_name)}; }

// Time in the format of format_ns().
void add_place(FixedText& text, const char* who) {
  const Fs now = sc_core::sc_time_stamp().value();
  text.add("{} at {}.{:06}", bounded(who), now / fs_per_ns, now % fs_per_ns);
  text.strip('0');
  text.strip('.');
  text.add(" ns: ");
}

void add_program(FixedText& text, const RunningProgram& program,
                 const sc_core::sc_process_handle& process, const char* what) {
  // A kernel is identified by its PE_CPU, a thread of a bench by its own name.
  const bool kernel = std::strcmp(program.kind, "kernel") == 0;
  add_place(text, kernel ? process.get_parent_object()->name() : process.name());
  text.add("{} '{}' {}; last call: ", program.kind, bounded(program.name), what);
  if (program.last_call[0] == '\0') {
    text.add("none");
    return;
  }
  text.add("{}{}", program.api, program.last_call);
  const CallSite& site = program.call_site;  // format of CallSite::in_brackets()
  if (site.known()) text.add(" ({}:{})", site.name(), site.line);
}

}  // namespace

void FixedText::write_line_to_stderr() {
  text_[length_] = '\n';
  const auto written = ::write(STDERR_FILENO, text_.data(), length_ + 1);
  static_cast<void>(written);
  text_[length_] = '\0';
}

sc_core::sc_process_handle running_process() {
  return sc_core::sc_get_status() == sc_core::SC_RUNNING ? sc_core::sc_get_current_process_handle()
                                                         : sc_core::sc_process_handle();
}

std::optional<RunningProgram> current_program() {
  const sc_core::sc_process_handle process = running_process();
  if (!process.valid() || process.proc_kind() != sc_core::SC_THREAD_PROC_) return std::nullopt;
  const auto* host = dynamic_cast<const ProgramHost*>(process.get_parent_object());
  return host == nullptr ? std::nullopt : host->running_program();
}

void ProgramReport::describe(const char* what, const char* subject) {
  text_.clear();
  const sc_core::sc_process_handle process = running_process();
  const sc_core::sc_object* component = ActiveComponentScope::current();
  if (component != nullptr) {
    add_place(text_, component->name());
  } else if (const std::optional<RunningProgram> program = current_program()) {
    return add_program(text_, *program, process, what);
  } else if (process.valid()) {
    add_place(text_, process.name());
  } else if (const auto* module = sc_core::sc_get_curr_simcontext()->hierarchy_curr()) {
    add_place(text_, module->name());
  } else if (sc_core::sc_get_status() < sc_core::SC_RUNNING) {
    text_.add("outside of the simulation: ");
  } else {
    add_place(text_, "the simulation");
  }
  text_.add("{}{}", subject, what);
}

void ProgramReport::describe_at(const char* place, const char* what, const char* subject) {
  text_.clear();
  text_.add("{}{}{}", place, subject, what);
}

void ProgramReport::print(const char* reason) const {
  static FixedText line;  // static: little of a stack may be left
  line.clear();
  line.add("kernbench: error: {}{}", reason, text_.c_str()).write_line_to_stderr();
}

}  // namespace kernbench
