#include "models/rtl/block_clock.h"

#include <sysc/kernel/sc_spawn.h>
#include <sysc/kernel/sc_spawn_options.h>

#include <algorithm>

#include "models/protocol/machine_services.h"

namespace kernbench {
namespace {

// In one go: the program answers to signals between two events.
constexpr unsigned most_edges_ahead = 1024;

// The instant of the next event, be it of this instant; never_fs if there is none.
Fs next_event() {
  const sc_core::sc_time rest = sc_core::sc_time_to_pending_activity();
  return rest.value() < never_fs - Component::now() ? Component::now() + rest.value() : never_fs;
}

}  // namespace

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
    rise();
    go_ahead();
  } else if (high_ && now >= latest_edge_ + period_ / 2) {
    high_ = false;
    listener_.falling_edge();
  }
  schedule();
}

void BlockClock::rise() {
  latest_edge_ = next_edge_;
  next_edge_ = never_fs;
  ++edges_;
  high_ = true;
  if (!listener_.rising_edge()) return;
  if (period_ > never_fs - latest_edge_) throw ModelError(Component::end_of_time);
  next_edge_ = latest_edge_ + period_;
}

void BlockClock::go_ahead() {
  if (shows_falling_edges_ || !running() || !listener_.may_go_ahead()) return;
  const Fs horizon = next_event();
  try {
    for (unsigned i = 0;
         i < most_edges_ahead && running() && next_edge_ < horizon && listener_.may_go_ahead(); ++i)
      rise();
  } catch (...) {
    fault_ = std::current_exception();
    next_edge_ = latest_edge_;
  }
}

// Falling edges are no work: a run does not wait for them.
void BlockClock::schedule() {
  if (shows_falling_edges_ && high_) {
    const Fs falling = latest_edge_ + period_ / 2;
    if (falling > Component::now()) event_.notify(component_.until(falling));
  }
  if (running()) event_.notify(component_.work_at(next_edge_));
}

}  // namespace kernbench
