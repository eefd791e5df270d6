// What the wires of the fabric carried: found by walking SystemC's tree of objects, like components.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "models/noc/wire.h"

namespace kernbench {

std::vector<const Wire*> elaborated_wires();  // sorted as components are

// [{"name", "bytes", "flits", "control_messages", "busy_ns", "utilisation"}]: utilisation = busy / `elapsed`, 0 if that is 0.
nlohmann::ordered_json wires_json(const std::vector<const Wire*>& wires, Fs elapsed);

}  // namespace kernbench
