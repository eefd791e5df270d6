// Limits of a run and its servers (spec 11.3), from the tables `limits` and `servers` of its log.
#pragma once

#include <string>

#include "platform/events/op_log_player.h"
#include "platform/observe/limits.h"

namespace kernbench {

LimitReport limits_of(const LogPlayer& log);
// Servers of a window, the busiest first: "pe", "host", "region LABEL", "kernel NAME". UsageError,
// with those that the log has: no such window.
Table servers_of(const LogPlayer& log, const std::string& window);

}  // namespace kernbench
