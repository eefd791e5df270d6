// The critical path of a launch as tables and text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "platform/inspect/critical_path.h"
#include "platform/report/table.h"

namespace kernbench {

Table path_steps(const CriticalPath& path);
// With the least time that the launch would take if the resource took none: other chains may then
// be longer than the rest of this one.
Table path_resources(const CriticalPath& path);

// By device: "sip3", "sip5 > sip3" of messages between them, "host > sip0".
Table path_devices(const CriticalPath& path);
bool has_several_devices(const CriticalPath& path);

// "pe_dma dma_read: 62.1 % of the launch; without it at least 3.2 us instead of 8.4 us".
std::string what_to_speed_up(const CriticalPath& path);
std::string path_text(const CriticalPath& path);
nlohmann::ordered_json path_json(const CriticalPath& path);

}  // namespace kernbench
