#include "models/base/program_end.h"

#include <exception>
#include <map>
#include <stdexcept>

namespace kernbench {
namespace {

struct ProgramThread {
  std::exception_ptr killed_by;  // sc_unwind_exception; null: the program runs
  int swallowed = 0;
};

std::map<const sc_core::sc_object*, ProgramThread> threads;
int killed_threads = 0;

ProgramThread* running_thread() {
  const auto found = threads.find(sc_core::sc_get_current_process_handle().get_process_object());
  return found == threads.end() ? nullptr : &found->second;
}

std::string end_cause;

[[noreturn]] void throw_swallowed(const std::string& cause) {
  throw std::logic_error(
      "the end of its thread, swallowed repeatedly by catch (...), which has to rethrow it" +
      (cause.empty() ? "" : "; it ends because " + cause));
}

}  // namespace

void set_end_cause(const std::string& cause) { end_cause = cause; }

void end_is_swallowed(const std::string& cause) noexcept { throw_swallowed(cause); }

void begin_program() {
  threads[sc_core::sc_get_current_process_handle().get_process_object()] = {};
}

void finish_ended_program() {
  const ProgramThread* thread = running_thread();
  if (thread == nullptr || !thread->killed_by) return;
  const std::exception_ptr cause = thread->killed_by;
  threads.erase(sc_core::sc_get_current_process_handle().get_process_object());
  --killed_threads;
  std::rethrow_exception(cause);
}

void check_program_ended() {
  if (killed_threads == 0) return;
  ProgramThread* thread = running_thread();
  if (thread == nullptr || !thread->killed_by) return;
  if (++thread->swallowed > swallowed_at_most) end_is_swallowed(end_cause);
  throw ProgramEnded{};
}

void end_program() {
  ProgramThread* thread = running_thread();
  if (thread == nullptr) throw;
  thread->killed_by = std::current_exception();
  ++killed_threads;
  throw ProgramEnded{};
}

}  // namespace kernbench
