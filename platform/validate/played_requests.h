// Requests played on the machine of a case, with what each came to; and requests that depend on the
// ends of others.
#pragma once

#include <functional>
#include <vector>

#include "platform/traffic/traffic_player.h"

namespace kernbench {

// What follows when a request has ended: requests of that very instant, ids ignored. May be empty.
using FollowUp = std::function<std::vector<TrafficRequest>(const TrafficResult&)>;

// Ids are given in order of issue; `first` ascends in time. By id. Throws what ended the run.
std::vector<TrafficResult> play_requests(Platform& platform, std::vector<TrafficRequest> first,
                                         FollowUp follow_up = {});

}  // namespace kernbench
