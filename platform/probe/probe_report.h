// Output of `probe`: the cases at 32 KiB, the sweep over sizes, times beyond the formula, the
// checks, the routes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/probe/probe_checks.h"
#include "platform/probe/probe_run.h"

namespace kernbench {

std::string probe_text(const Graph& graph, const std::vector<ProbeOutcome>& outcomes,
                       const std::vector<ProbeCheck>& checks);
// Same content and every size in full; units in the key names.
nlohmann::ordered_json probe_json(const Graph& graph, const std::vector<ProbeOutcome>& outcomes,
                                  const std::vector<ProbeCheck>& checks);
// One row per case and size, with the columns of the table. A case missing on the machine is one
// row with the reason.
std::string probe_csv(const Graph& graph, const std::vector<ProbeOutcome>& outcomes);

}  // namespace kernbench
