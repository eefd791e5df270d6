// The timed events of the SystemC kernel.
#pragma once

#include <string>
#include <vector>

#include "models/base/units.h"

namespace kernbench {

// Latest instant of the timed events that are pending now; 0 if there are none.
Fs latest_pending_event();
// Whether an event is due before now because the sum of now and its delay has wrapped round:
// SystemC triggers it at once. Call after the delta cycle that has notified it.
bool any_event_in_the_past();
// Names of the processes that wait for such events, or of the events where no process waits for one
// alone.
std::vector<std::string> events_in_the_past();

}  // namespace kernbench
