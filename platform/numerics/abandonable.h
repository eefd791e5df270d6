// A computation that does not ask whether to stop, such as the reference that a bench brings along.
#pragma once

#include <functional>
#include <vector>

#include "platform/numerics/stop.h"

namespace kernbench {

// What `computation` returns or throws. It runs on a thread of its own with a copy of all that it
// has captured; when `stop` says so, that thread is left to itself and this is a StoppedError.
// Without a question, or where the host refuses a thread, it runs here.
std::vector<double> abandonable(const std::function<std::vector<double>()>& computation,
                                const StopQuestion& stop);

}  // namespace kernbench
