// The exact time of one memory message alone on an idle machine, by arithmetic: the rules of the
// link, the serial server and the HBM applied flit by flit along its path, without a simulation.
//
// It explains what a simulated time has beyond the formula (lower_bound.h): with
// `Bursts::side_by_side`, where no burst waits for another, what is left are flits shorter than the
// others; `Bursts::queue` adds bursts that wait for their pseudo-channel.
#pragma once

#include "models/base/units.h"
#include "models/protocol/path.h"
#include "platform/topology/machine_message.h"

namespace kernbench {

enum class Bursts { side_by_side, queue };

// From the grant to the completion. `path` is the request's; nodes that pass the message on are
// routers, or store it (`stores`).
Fs zero_load_latency(const Path& path, const MemoryMessage& message, Bursts bursts = Bursts::queue);

}  // namespace kernbench
