// The timed events of the SystemC kernel.
#pragma once

#include "models/base/units.h"

namespace kernbench {

// The latest instant at which one is due, of those that are pending now; 0 if none is.
Fs latest_pending_event();

}  // namespace kernbench
