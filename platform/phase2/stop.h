// Early end of a phase 2 computation: a long computation polls whether to stop.
#pragma once

#include <functional>

#include "models/base/errors.h"

namespace kernbench {

// True from some time on; called often, on any thread. Empty: never stops.
using StopQuestion = std::function<bool()>;

// The message states the progress: "12 of 40 operations computed".
class StoppedError : public Error {
 public:
  using Error::Error;
};

inline bool says_stop(const StopQuestion& stop) { return stop && stop(); }

}  // namespace kernbench
