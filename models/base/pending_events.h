// The timed events of the SystemC kernel.
#pragma once

#include <string>
#include <vector>

#include "models/base/units.h"

namespace kernbench {

// The latest instant at which one is due, of those that are pending now; 0 if none is.
Fs latest_pending_event();
// Whether an event is due before now, as the sum of now and its delay has wrapped round: SystemC
// lets it happen at once. Behind the delta cycle that has notified it.
bool any_event_in_the_past();
// Their processes, or names where no process waits for one alone.
std::vector<std::string> events_in_the_past();

}  // namespace kernbench
