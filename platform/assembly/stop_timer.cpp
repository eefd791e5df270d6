#include "platform/assembly/stop_timer.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <systemc>
#include <utility>

#include "models/base/units.h"
#include "platform/assembly/fault_guard.h"
#include "platform/assembly/program_report.h"

namespace kernbench {
namespace {

// Times since the start, or since the end of the run was requested.
constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t look_every = 50 * ms;  // before the request
constexpr std::int64_t sample_every =
    5 * ms;  // after the request: to find the program that takes no time
constexpr std::int64_t pause_after = 100 * ms;
constexpr std::int64_t give_up_after = 3000 * ms;
// A busy host leaves fewer samples in that time; a program that was hardly scheduled is not stuck.
constexpr int enough_samples = 50;

constexpr const char* takes_no_time = "lets no simulated time pass";

struct {
  std::int64_t started = 0;
  std::int64_t max_wall = 0;  // 0: no limit
  std::uint64_t deltas = 0;   // 0: no limit
  std::function<bool()> interrupted;
  std::atomic<bool> stopping{false};

  std::int64_t due = 0;          // 0: the run continues
  const char* reason = nullptr;  // end reason as text
  Fs simulated = 0;              // at the request
  int samples = 0;               // since the request
  bool in_program = false;
  bool stuck = false;
  ProgramReport report;
  timer_t timer{};
  bool has_timer = false;
} stop_state;

std::int64_t monotonic_now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000 * ms + time.tv_nsec;
}

void set_interval(std::int64_t interval) {
  const timespec time{interval / (1000 * ms), interval % (1000 * ms)};
  const itimerspec both{time, time};
  ::timer_settime(stop_state.timer, 0, &both, nullptr);
}

// Null: the run continues.
const char* end_reason(std::int64_t at) {
  if (stop_state.interrupted && stop_state.interrupted()) return "interrupted: ";
  const bool late = stop_state.max_wall > 0 && at - stop_state.started >= stop_state.max_wall;
  return late ? "stopped by --max-wall: " : nullptr;
}

// Records the latest program seen running, else any running process.
void note_what_runs() {
  ++stop_state.samples;
  const bool in_program = current_program().has_value();
  if (in_program || !stop_state.in_program) stop_state.report.describe(takes_no_time);
  stop_state.in_program = stop_state.in_program || in_program;
}

void tick(int /*signal*/) {
  const int saved_errno = errno;
  const std::int64_t at = monotonic_now();
  const Fs simulated = sc_core::sc_time_stamp().value();
  if (stop_state.due == 0) {
    stop_state.reason = end_reason(at);
    if (stop_state.reason != nullptr) {
      stop_state.due = at;
      stop_state.simulated = simulated;
      set_interval(sample_every);
    } else if (stop_state.deltas > 0 &&
               sc_core::sc_delta_count_at_current_time() >= stop_state.deltas) {
      sc_core::sc_pause();
    }
    errno = saved_errno;
    return;
  }
  note_what_runs();
  const std::int64_t late = at - stop_state.due;
  const bool enough = stop_state.samples >= enough_samples;
  if (late >= pause_after && (stop_state.in_program || enough)) {
    if (!stop_state.stopping.exchange(true)) stop_state.stuck = simulated == stop_state.simulated;
    sc_core::sc_pause();
  }
  if (late >= give_up_after && enough) FaultGuard::give_up(stop_state.report, stop_state.reason);
  errno = saved_errno;
}

}  // namespace

StopTimer::StopTimer(std::optional<double> max_wall_s, std::function<bool()> interrupted,
                     std::uint64_t deltas) {
  stop_state.stopping = false;
  if (!max_wall_s && !interrupted && deltas == 0) return;
  stop_state.deltas = deltas;
  stop_state.started = monotonic_now();
  // Beyond a year there is no limit.
  stop_state.max_wall =
      max_wall_s && *max_wall_s < 3e7
          ? std::max<std::int64_t>(1, static_cast<std::int64_t>(*max_wall_s * 1e9))
          : 0;
  stop_state.interrupted = std::move(interrupted);
  stop_state.due = 0;
  stop_state.samples = 0;
  stop_state.stuck = false;
  stop_state.in_program = false;

  struct sigaction action {};
  action.sa_handler = tick;
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGRTMIN, &action, nullptr);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGRTMIN;
  event._sigev_un._tid = static_cast<pid_t>(::syscall(SYS_gettid));
  stop_state.has_timer = ::timer_create(CLOCK_MONOTONIC, &event, &stop_state.timer) == 0;
  if (stop_state.has_timer) set_interval(look_every);
}

StopTimer::~StopTimer() {
  if (stop_state.has_timer) ::timer_delete(stop_state.timer);
  stop_state.has_timer = false;
  stop_state.due = 0;
  stop_state.max_wall = 0;
  stop_state.deltas = 0;
  stop_state.interrupted = nullptr;  // a pending tick finds nothing to do
}

bool StopTimer::stopping() { return stop_state.stopping; }

const char* StopTimer::stuck() { return stop_state.stuck ? stop_state.report.text() : ""; }

}  // namespace kernbench
