// The instant up to which the simulation goes when it is cut (`--until`): a model that evaluates
// ahead of simulated time stays within it. Of the process, as simulated time is.
#pragma once

#include "models/base/units.h"

namespace kernbench {

// What is due at that instant still happens. never_fs: the simulation is not cut.
Fs run_end();

// In force while it lives.
class RunEnd {
 public:
  explicit RunEnd(Fs instant);
  ~RunEnd();
  RunEnd(const RunEnd&) = delete;
  RunEnd& operator=(const RunEnd&) = delete;
};

}  // namespace kernbench
