// Early end of a computation of phase 2: a long computation polls a question whether to stop.
#pragma once

#include <functional>

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

}  // namespace kernbench
