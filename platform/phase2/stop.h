// How a computation of phase 2 is ended early: whoever computes for long asks now and then whether
// to stop.
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

// For a computation that does not ask whether to stop, such as the reference that a bench brings
// along.
//
// What `computation` returns or throws. It runs on a thread of its own with a copy of all that it
// has captured; when `stop` says so, that thread is left to itself and this is a StoppedError.
// Without a question, or where the host refuses a thread, it runs here.
std::vector<double> abandonable(const std::function<std::vector<double>()>& computation,
                                const StopQuestion& stop);

}  // namespace kernbench
