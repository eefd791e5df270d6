#include "platform/assembly/stop_timer.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <systemc>
#include <utility>

#include "models/base/units.h"
#include "platform/assembly/code_range.h"
#include "platform/assembly/fault_text.h"
#include "platform/assembly/program_guard.h"
#include "platform/assembly/program_report.h"
#include "platform/assembly/spare_heap.h"

namespace kernbench {
namespace {

// Since the start, or since the run is to end.
constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t look_every = 50 * ms;  // before
constexpr std::int64_t sample_every =
    5 * ms;  // after: to see which program it is that takes no time
constexpr std::int64_t pause_after = 100 * ms;
constexpr std::int64_t park_after = 400 * ms;
constexpr std::int64_t park_anywhere_after = 2000 * ms;
constexpr std::int64_t give_up_after = 10'000 * ms;

constexpr const char* takes_no_time = "lets no simulated time pass";

struct {
  std::int64_t started = 0;
  std::int64_t max_wall = 0;  // 0: no limit
  std::uint64_t deltas = 0;   // 0: no limit
  std::function<bool()> interrupted;
  std::atomic<bool> stopping{false};
  std::array<CodeRange, 2> locking;  // the C library, SystemC

  std::int64_t due = 0;  // 0: the run goes on
  Fs simulated = 0;      // then
  bool in_program = false;
  bool stuck = false;
  ProgramReport report;
  timer_t timer{};
  bool has_timer = false;
} state;

std::int64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000 * ms + time.tv_nsec;
}

void set_interval(std::int64_t interval) {
  const timespec time{interval / (1000 * ms), interval % (1000 * ms)};
  const itimerspec both{time, time};
  ::timer_settime(state.timer, 0, &both, nullptr);
}

bool is_due(std::int64_t at) {
  return (state.max_wall > 0 && at - state.started >= state.max_wall) ||
         (state.interrupted && state.interrupted());
}

// The latest program that was seen to run, else what runs at all.
void note_what_runs() {
  const bool in_program = current_program().has_value();
  if (in_program || !state.in_program) state.report.describe(takes_no_time);
  state.in_program = state.in_program || in_program;
}

void tick(int /*signal*/, siginfo_t* /*info*/, void* context) {
  const int saved_errno = errno;
  const std::int64_t at = now();
  const Fs simulated = sc_core::sc_time_stamp().value();
  if (state.due == 0) {
    if (is_due(at)) {
      state.due = at;
      state.simulated = simulated;
      set_interval(sample_every);
    } else if (state.deltas > 0 && sc_core::sc_delta_count_at_current_time() >= state.deltas) {
      sc_core::sc_pause();
    }
    errno = saved_errno;
    return;
  }
  note_what_runs();
  const std::int64_t late = at - state.due;
  if (late >= pause_after) {
    if (!state.stopping.exchange(true)) state.stuck = simulated == state.simulated;
    sc_core::sc_pause();
  }
  if (late >= park_after && ProgramGuard::can_park()) {
    const std::uintptr_t where = program_counter(context);
    if (late >= park_anywhere_after ||
        !(state.locking[0].has(where) || state.locking[1].has(where))) {
      state.stuck = true;
      if (is_inside_c_library(context)) SpareHeap::use();
      ProgramGuard::hold(state.report);
    }
  }
  if (late >= give_up_after) FaultGuard::give_up(state.report);
  errno = saved_errno;
}

}  // namespace

StopTimer::StopTimer(std::optional<double> max_wall_s, std::function<bool()> interrupted,
                     std::uint64_t deltas) {
  state.stopping = false;
  if (!max_wall_s && !interrupted && deltas == 0) return;
  state.deltas = deltas;
  state.started = now();
  // Beyond a year there is no limit.
  state.max_wall = max_wall_s && *max_wall_s < 3e7
                       ? std::max<std::int64_t>(1, static_cast<std::int64_t>(*max_wall_s * 1e9))
                       : 0;
  state.interrupted = std::move(interrupted);
  state.locking = {library_of(reinterpret_cast<const void*>(&::gnu_get_libc_version)),
                   library_of(::dlsym(RTLD_NEXT, "_ZN7sc_core7sc_stopEv"))};
  state.due = 0;
  state.stuck = false;
  state.in_program = false;

  struct sigaction action {};
  action.sa_sigaction = tick;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGRTMIN, &action, nullptr);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGRTMIN;
  event._sigev_un._tid = static_cast<pid_t>(::syscall(SYS_gettid));
  state.has_timer = ::timer_create(CLOCK_MONOTONIC, &event, &state.timer) == 0;
  if (state.has_timer) set_interval(look_every);
}

StopTimer::~StopTimer() {
  if (state.has_timer) ::timer_delete(state.timer);
  state.has_timer = false;
  state.due = 0;
  state.max_wall = 0;
  state.deltas = 0;
  state.interrupted = nullptr;  // a tick that is still under way finds nothing to do
}

bool StopTimer::stopping() { return state.stopping; }

const char* StopTimer::stuck() { return state.stuck ? state.report.text() : ""; }

}  // namespace kernbench
