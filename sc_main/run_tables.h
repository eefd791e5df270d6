// Tables of a run by subject: engines, memories, links; as text, and as JSON with the same numbers.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "platform/observe/run_statistics.h"

namespace kernbench {

// Each behind an empty line; empty where there is nothing to tell.
std::string engines_text(const RunStatistics& statistics);
std::string memories_text(const RunStatistics& statistics);
std::string links_text(const RunStatistics& statistics);

nlohmann::ordered_json engines_json(const RunStatistics& statistics);
nlohmann::ordered_json memories_json(const RunStatistics& statistics);
nlohmann::ordered_json link_kinds_json(const RunStatistics& statistics);

// "-", null: there is none.
std::string ratio_text(const std::optional<double>& ratio);
nlohmann::ordered_json ratio_json(const std::optional<double>& ratio);

}  // namespace kernbench
