// `--stats F.json`: everything that the machine counted in a run.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>

#include "platform/observe/activity_windows.h"
#include "platform/observe/component_statistics.h"

namespace kernbench {

// {"simulated_ns", "activity": {...}, "totals": {kind: {...}}, "components": [...], "wires": [...]} of the elaborated machine, now.
nlohmann::ordered_json run_statistics(const KindOf& kind_of, const ActivitySummary& activity);

// {"pe_window_ns", "composite_window_ns", "mac_utilisation", "useful_efficiency", "pes": [...]}; null where there is none.
nlohmann::ordered_json activity_json(const ActivitySummary& activity);

// JSON text with one element of the top-level arrays per line: short enough to read, and to compare line by line.
void write_json_lines(std::ostream& out, const nlohmann::ordered_json& object);

}  // namespace kernbench
