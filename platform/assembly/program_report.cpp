#include "platform/assembly/program_report.h"

#include <unistd.h>

#include <cstring>

#include "models/base/active_component_scope.h"
#include "models/base/units.h"
#include "platform/assembly/foreign_code.h"

namespace kernbench {
namespace {

// As format_ns().
void add_time(FixedText& text, Fs time) {
  text << static_cast<unsigned long long>(time / fs_per_ns) << ".";
  text.add(time % fs_per_ns, 10, 6);
  text.strip('0');
  text.strip('.');
  text << " ns";
}

// As CallSite::in_brackets().
void add_site(FixedText& text, const CallSite& site) {
  if (!site.known()) return;
  text << " (" << site.name() << ":" << static_cast<unsigned long long>(site.line) << ")";
}

void add_place(FixedText& text, const char* who) {
  text << who << " at ";
  add_time(text, sc_core::sc_time_stamp().value());
  text << ": ";
}

// A name begins with that of the parent, unless memory has been overwritten: then the parent's.
const char* name_of(const sc_core::sc_process_handle& process) {
  const sc_core::sc_object* parent = process.get_parent_object();
  const bool whole = parent == nullptr ||
                     std::strncmp(process.name(), parent->name(), std::strlen(parent->name())) == 0;
  return whole ? process.name() : parent->name();
}

// Outside of any process, where no component is at work.
void add_phase(FixedText& text) {
  if (const ForeignCode* code = ForeignCode::current()) {
    text << code->says();
  } else if (const auto* module = sc_core::sc_get_curr_simcontext()->hierarchy_curr()) {
    add_place(text, module->name());
  } else if (sc_core::sc_get_status() < sc_core::SC_RUNNING) {
    text << "outside of the simulation: ";
  } else {
    add_place(text, "the simulation");
  }
}

}  // namespace

sc_core::sc_process_handle running_process() {
  return sc_core::sc_get_status() == sc_core::SC_RUNNING ? sc_core::sc_get_current_process_handle()
                                                         : sc_core::sc_process_handle();
}

const ProgramHost* program_host_of(const sc_core::sc_process_handle& process) {
  if (!process.valid() || process.proc_kind() != sc_core::SC_THREAD_PROC_) return nullptr;
  return dynamic_cast<const ProgramHost*>(process.get_parent_object());
}

std::optional<RunningProgram> current_program() {
  const ProgramHost* host = program_host_of(running_process());
  return host == nullptr ? std::nullopt : host->running_program();
}

void ProgramReport::describe(const char* what, const char* subject) {
  text_.clear();
  const sc_core::sc_process_handle process = running_process();
  const sc_core::sc_object* component = ActiveComponentScope::current();
  const std::optional<RunningProgram> program =
      component == nullptr ? current_program() : std::nullopt;
  if (program) {
    // A kernel is known by its PE_CPU, a thread of a bench by its own name.
    const bool kernel = std::strcmp(program->kind, "kernel") == 0;
    add_place(text_, kernel ? process.get_parent_object()->name() : name_of(process));
    text_ << program->kind << " '" << program->name << "' " << what << "; last call: ";
    if (program->last_call[0] == '\0') {
      text_ << "none";
    } else {
      text_ << program->api << program->last_call;
      add_site(text_, program->call_site);
    }
    return;
  }
  if (component != nullptr) {
    add_place(text_, component->name());
  } else if (process.valid()) {
    add_place(text_, name_of(process));
  } else {
    add_phase(text_);
  }
  text_ << subject << what;
}

void ProgramReport::describe_beside(const char* what) {
  text_.clear();
  text_ << "a thread beside the simulation " << what;
}

void ProgramReport::print() const {
  static FixedText line;  // not on a stack, of which little may be left
  line.clear();
  line << "kernbench: error: " << text_.c_str() << "\n";
  const auto written = ::write(STDERR_FILENO, line.c_str(), line.size());
  static_cast<void>(written);
}

}  // namespace kernbench
