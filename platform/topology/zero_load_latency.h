// Exact time of one memory message alone on an idle machine, computed without a simulation: the
// models of the link, the serial server and the HBM applied flit by flit along its path.
//
// It explains the difference between a simulated time and the formula (lower_bound.h). With
// `Bursts::side_by_side`, where no burst waits for another, the difference is due to flits shorter
// than the others; `Bursts::queue` adds bursts queued for their pseudo-channel.
#pragma once

#include "models/base/units.h"
#include "models/protocol/path.h"
#include "platform/topology/machine_message.h"

namespace kernbench {

enum class Bursts { side_by_side, queue };

// Time from the grant to the completion. `path`: path of the request; nodes that forward the
// message are routers, or store it (Transit).
Fs zero_load_latency(const Path& path, const MemoryMessage& message, Bursts bursts = Bursts::queue);

}  // namespace kernbench
