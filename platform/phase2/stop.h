// Early end of a computation of phase 2: a long computation polls a question whether to stop.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "models/base/errors.h"

namespace kernbench {

// True from some moment on; called on any thread, often. Empty: never.
using StopQuestion = std::function<bool()>;

// The message says how far it came: "12 of 40 operations computed".
class StoppedError : public Error {
 public:
  using Error::Error;
};

inline bool says_stop(const StopQuestion& stop) { return stop && stop(); }

// For a computation that does not poll, such as the reference that a bench brings along.
//
// Returns or throws what `computation` does. It runs on a thread of its own with a copy of all that
// it has captured; on a stop request that thread is abandoned and StoppedError is thrown. Without a
// question, or where the host refuses a thread, it runs on the calling thread.
std::vector<double> abandonable(const std::function<std::vector<double>()>& computation,
                                const StopQuestion& stop);

}  // namespace kernbench
