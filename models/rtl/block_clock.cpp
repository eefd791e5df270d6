#include "models/rtl/block_clock.h"

#include <sysc/kernel/sc_spawn.h>
#include <sysc/kernel/sc_spawn_options.h>

#include <algorithm>

#include "models/base/run_end.h"
#include "models/protocol/machine_services.h"

namespace kernbench {

BlockClock::BlockClock(Component& component, Services& services, Fs period, Listener& listener)
    : component_(component), services_(services), period_(period), listener_(listener),
      event_("clock_event") {
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.dont_initialize();
  options.set_sensitivity(&event_);
  sc_core::sc_spawn([this] { guarded_process(services_, component_, [this] { tick(); }); }, "clock",
                    &options);
}

void BlockClock::run() {
  const Fs now = Component::now();
  if (latest_edge_ == now) {
    late_ = true;
    event_.notify(sc_core::SC_ZERO_TIME);
    return;
  }
  if (running()) return;
  const Fs behind = now % period_;
  next_edge_ = behind == 0 ? now : Component::after(period_ - behind);
  schedule();
}

void BlockClock::show_falling_edges(bool shown) {
  shows_falling_edges_ = shown;
  if (shown && high_) schedule();
}

void BlockClock::tick() {
  const Fs now = Component::now();
  if (late_) {
    late_ = false;
    if (listener_.late_work() && !running()) next_edge_ = Component::after(period_);
  }
  if (next_edge_ == now) {
    if (fault_) std::rethrow_exception(fault_);
    rise([this] { return listener_.rising_edge(); });
    if (running() && !shows_falling_edges_) listener_.edges_ahead();
  } else if (high_ && now >= latest_edge_ + period_ / 2) {
    high_ = false;
    listener_.falling_edge();
  }
  schedule();
}

// Falling edges do not count as work: a run does not wait for them.
void BlockClock::schedule() {
  if (shows_falling_edges_ && high_) {
    const Fs falling = latest_edge_ + period_ / 2;
    if (falling > Component::now()) event_.notify(component_.until(falling));
  }
  if (running()) event_.notify(component_.work_at(next_edge_));
}

Fs BlockClock::latest_edge_ahead() {
  const Fs now = Component::now(), rest = sc_core::sc_time_to_pending_activity().value();
  if (rest == 0) return now;
  return std::min(rest < never_fs - now ? now + rest - 1 : never_fs - 1, run_end());
}

}  // namespace kernbench
