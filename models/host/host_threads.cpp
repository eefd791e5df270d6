// Threads of the host program: start, end, waits and the order in which they continue.
#include <fmt/format.h>
#include <sysc/kernel/sc_spawn.h>
#include <sysc/kernel/sc_spawn_options.h>

#include <utility>

#include "models/base/errors.h"
#include "models/base/exception_text.h"
#include "models/base/program_end.h"
#include "models/base/thrown_text.h"
#include "models/host/host.h"

namespace kernbench {

void Host::set_program(HostProgram& program, Ended ended) {
  program_ = &program;
  ended_ = std::move(ended);
}

std::optional<RunningProgram> Host::running_program() const {
  if (program_ == nullptr) return std::nullopt;
  return RunningProgram{"bench", program_->name(),   "torch.", program_->last_call(),
                        {},      thread_stack_bytes, ""};
}

std::vector<RunningProgram> Host::running_programs() const {
  if (running_ == 0 || program_ == nullptr) return {};
  return {*running_program()};
}

void Host::program() {
  if (program_ != nullptr) guarded([this] { program_->run(*this); });
}

void Host::guarded(const std::function<void()>& body) {
  ++running_;
  begin_program();
  std::exception_ptr error;
  try {
    body();
  } catch (const ProgramEnded&) {
  } catch (const sc_core::sc_unwind_exception&) {
    --running_;
    throw;
  } catch (const Error&) {
    error = std::current_exception();
  } catch (const std::exception& other) {
    error = std::make_exception_ptr(Error(thrown(": " + text_of(other))));
  } catch (...) {
    error = std::make_exception_ptr(Error(thrown(" threw " + text_of_other_exception())));
  }
  --running_;
  // Detects a kill, by another thread of the program or at the end of the run.
  finish_ended_program();
  if (error || running_ == 0) ended_(error);
}

std::string Host::thrown(const std::string& what) const {
  const RunningProgram program = running_program().value_or(RunningProgram());
  const std::string call =
      *program.last_call == '\0' ? "none" : std::string(program.api) + program.last_call;
  return fmt::format("{} at {}: bench '{}'{}; last call: {}",
                     sc_core::sc_get_current_process_handle().name(), format_ns(now()),
                     program.name, what, call);
}

void Host::spawn(const std::string& name, std::function<void()> body) {
  std::string unique = name;
  const auto number = static_cast<unsigned>(thread_numbers_.size() + 1);
  for (unsigned again = 1; !thread_numbers_.emplace(unique, number).second; ++again)
    unique = fmt::format("{}_{}", name, again);
  const Scope scope(*this);
  sc_core::sc_spawn_options options;
  options.set_stack_size(thread_stack_bytes);
  ++running_;  // counted here, although the process starts in the next delta cycle
  sc_core::sc_spawn(
      [this, body = std::move(body)] {
        --running_;
        guarded(body);
      },
      unique.c_str(), &options);
}

void Host::wait(HostRequest& request) {
  while (!request.done()) wait(request.completed(), "the end of " + request.what());
}

void Host::wait(const sc_core::sc_event& event, const std::string& what) {
  wait_reported(what, [&event] { sc_core::wait(event); });
}

bool Host::wait_until(const sc_core::sc_event& event, Fs deadline, const std::string& what) {
  if (deadline <= now()) return false;
  const sc_core::sc_time left = sc_core::sc_time::from_value(deadline - now());
  bool came = false;
  wait_reported(what, [&] {
    sc_core::wait(left, event);
    came = event.triggered();
  });
  return came;
}

// Lists the wait in reports of deadlocks.
void Host::wait_reported(const std::string& what, const std::function<void()>& wait) {
  PendingWaits& pending_waits = services().pending_waits();
  const std::size_t ticket =
      pending_waits.open(sc_core::sc_get_current_process_handle().name(), what, now());
  struct Close {  // also runs when the thread is killed
    PendingWaits& pending_waits;
    std::size_t ticket;
    ~Close() { pending_waits.close(ticket); }
  } close{pending_waits, ticket};
  wait_in_program([&] {
    wait();
    await_turn();
  });
}

void Host::await_turn() {
  const auto named = thread_numbers_.find(
      sc_core::sc_get_current_process_handle().get_process_object()->basename());
  const unsigned number = named != thread_numbers_.end() ? named->second : 0;  // 0: program()
  turns_.await(number);
}

}  // namespace kernbench
