#include "platform/assembly/run.h"

#include <fmt/format.h>
#include <sysc/kernel/sc_spawn.h>
#include <sysc/kernel/sc_spawn_options.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <systemc>
#include <vector>

#include "models/base/errors.h"
#include "models/base/pending_events.h"
#include "models/base/run_end.h"
#include "models/tlm/tlm_bridge.h"
#include "platform/assembly/deadlock_watch.h"
#include "platform/assembly/delta_watch.h"
#include "platform/assembly/fault_guard.h"
#include "platform/assembly/stop_timer.h"

namespace kernbench {
namespace {

using Clock = std::chrono::steady_clock;

Fs now() { return sc_core::sc_time_stamp().value(); }

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Simulated time per slice, chosen so that a slice takes some tens of milliseconds. Slices change
// no result.
class SliceLength {
 public:
  Fs value() const { return value_; }
  void took(double wall_s) {
    if (wall_s < 0.02 && value_ < longest) value_ *= 2;
    if (wall_s > 0.08 && value_ > shortest) value_ /= 2;
  }

 private:
  static constexpr Fs shortest = fs_per_ns;
  static constexpr Fs longest = fs_per_ns * 1'000'000'000;
  Fs value_ = 1000 * fs_per_ns;
};

void kill_threads_below(const std::vector<sc_core::sc_object*>& objects) {
  for (sc_core::sc_object* object : objects) {
    const std::vector<sc_core::sc_object*>& children = object->get_child_objects();
    if (!children.empty() && dynamic_cast<TlmBridge*>(object) == nullptr)
      kill_threads_below(children);
    if (std::strcmp(object->kind(), "sc_thread_process") != 0) continue;
    sc_core::sc_process_handle process(object);
    if (process.valid() && !process.terminated()) process.kill();
  }
}

// sc_stop() of a process, or outside of any; null: none.
std::exception_ptr stop_call() {
  if (const char* call = FaultGuard::stop_call()) return std::make_exception_ptr(Error(call));
  if (sc_core::sc_get_status() != sc_core::SC_STOPPED) return nullptr;
  return std::make_exception_ptr(ModelError(
      fmt::format("sc_stop() has been called at {}: a run ends by itself", format_ns(now()))));
}

// Without an event up to that instant.
void advance_to(Fs instant) {
  if (instant > now())
    sc_core::sc_start(sc_core::sc_time::from_value(instant - now()), sc_core::SC_RUN_TO_TIME);
}

}  // namespace

const char* name_of(RunStatus status) {
  constexpr std::array<const char*, 6> names{"completed",     "failed",     "deadlock",
                                             "until_reached", "wall_limit", "interrupted"};
  return names.at(static_cast<std::size_t>(status));
}

void RunState::fail(std::exception_ptr error) {
  if (!cause && FaultGuard::stop_call() == nullptr) cause = std::move(error);
  sc_core::sc_pause();
}

RunOutcome run_in_slices(const RunLimits& limits, const RunQuestions& ask) {
  const Clock::time_point start = Clock::now();
  const RunEnd run_end(limits.until.value_or(never_fs));
  SliceLength slice;
  DeadlockWatch watch(limits.deadlock_after.value_or(never_fs),
                      {ask.work, [&] { return limits.ends_when_idle || ask.waiting(); },
                       ask.busy_until, latest_pending_event});
  DeltaWatch deltas(limits.max_deltas);
  const StopTimer timer(limits.max_wall_s, limits.interrupted, deltas.watched_from());
  RunOutcome outcome;
  const auto end = [&](RunStatus status, bool starved) {
    outcome.status = status;
    outcome.starved = starved;
    outcome.wall_s = seconds_since(start);
    outcome.stuck = StopTimer::stuck();
    return outcome;
  };
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaboration and the first delta
  for (;;) {
    if (ask.failed()) return end(RunStatus::failed, false);
    deltas.look();
    outcome.fault = stop_call();
    if (!outcome.fault && deltas.exceeded())
      outcome.fault = std::make_exception_ptr(Error(deltas.report()));
    if (outcome.fault) return end(RunStatus::failed, false);
    if (ask.completed()) return end(RunStatus::completed, false);
    const bool interrupted = limits.interrupted && limits.interrupted();
    const RunStatus cut_short = interrupted ? RunStatus::interrupted : RunStatus::wall_limit;
    if (StopTimer::stopping())
      return end(cut_short,
                 false);  // programs are held, so the lack of pending events is not a deadlock
    if (!sc_core::sc_pending_activity()) {
      if (ask.unblock()) continue;
      return end(RunStatus::completed, true);
    }
    const Fs next = sc_core::sc_time_to_pending_activity().value();
    const Fs until = ask.programs_ended() ? never_fs : limits.until.value_or(never_fs);
    if (until != never_fs && now() + next > until) {
      while (limits.sample && limits.next_sample() < until) {
        advance_to(limits.next_sample());
        limits.sample();
      }
      advance_to(until);
      return end(RunStatus::until_reached, false);
    }
    if (interrupted || (limits.max_wall_s && seconds_since(start) >= *limits.max_wall_s)) {
      if (next > 0) return end(cut_short, false);
      sc_core::sc_start(sc_core::SC_ZERO_TIME);  // the instant ends first
      continue;
    }
    if (limits.sample && now() == limits.next_sample()) limits.sample();
    if (limits.progress) limits.progress({now(), sc_core::sc_delta_count(), seconds_since(start)});

    if (watch.expired(now()) && !ask.unblock()) {
      outcome.quiet = now() - watch.quiet_since();
      return end(ask.waiting() ? RunStatus::deadlock : RunStatus::completed, false);
    }

    Fs length =
        std::max(std::min(slice.value(), watch.look_at() - std::min(now(), watch.look_at())), next);
    if (ask.by_instants()) length = next;
    length = std::min(length, until - now());
    // A slice that ends before the next event only advances the time.
    if (limits.sample) length = std::min(length, limits.next_sample() - now());
    const Clock::time_point slice_start = Clock::now();
    sc_core::sc_start(sc_core::sc_time::from_value(length),
                      length < next ? sc_core::SC_RUN_TO_TIME : sc_core::SC_EXIT_ON_STARVATION);
    slice.took(seconds_since(slice_start));
  }
}

void stop_simulation(const std::vector<sc_core::sc_object*>& kill_below) {
  // Otherwise it has stopped, ended with an error, or never started.
  if (sc_core::sc_get_status() != sc_core::SC_PAUSED) return;
  if (!kill_below.empty()) {
    sc_core::sc_spawn_options options;
    options.spawn_method();
    sc_core::sc_spawn([&] { kill_threads_below(kill_below); }, "end_of_run", &options);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  const sc_core::sc_actions actions = sc_core::sc_report_handler::set_actions(
      "/OSCI/SystemC", sc_core::SC_INFO,
      sc_core::SC_DO_NOTHING);  // "Simulation stopped by user."
  sc_core::sc_stop();
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO, actions);
}

}  // namespace kernbench
