// End of the simulation when it is cut (`--until`): a model that evaluates ahead of simulated time
// stays before it. One per process, like simulated time.
#pragma once

#include "models/base/units.h"

namespace kernbench {

// Events due at that instant still happen. never_fs: the simulation is not cut.
Fs run_end();

// Active while the object lives.
class RunEnd {
 public:
  explicit RunEnd(Fs instant);
  ~RunEnd();
  RunEnd(const RunEnd&) = delete;
  RunEnd& operator=(const RunEnd&) = delete;
};

}  // namespace kernbench
