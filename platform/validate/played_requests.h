// Requests played on the machine of a case, with their results; and requests that depend on the
// ends of others.
#pragma once

#include <functional>
#include <vector>

#include "platform/traffic/traffic_player.h"

namespace kernbench {

// Requests that follow the end of another, at that very instant, ids ignored. May be empty.
using FollowUp = std::function<std::vector<TrafficRequest>(const TrafficResult&)>;

// Ids are given in order of issue; `first` ascends in time. By id. Throws what ended the run.
std::vector<TrafficResult> play_requests(Platform& platform, std::vector<TrafficRequest> first,
                                         FollowUp follow_up = {});

}  // namespace kernbench
