// Busy and idle times of the components' servers: busy + idle = servers * elapsed, to the
// femtosecond (spec 11.3).
#pragma once

#include <nlohmann/json.hpp>

#include "models/base/component.h"

namespace kernbench {

// {"gemm_busy": {"servers", "busy_ns", "idle_ns", "utilisation"}, ...} of each busy time that a
// component declares; null: none. A busy time that exceeds that of its servers, of an
// implementation that adds up several, is left out.
nlohmann::ordered_json busy_json(const Component& component, Fs elapsed);

}  // namespace kernbench
