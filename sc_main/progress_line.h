// Progress of a run on standard error, if that is a terminal: simulated time, wall time, speed; one
// line, overwritten.
#pragma once

#include "platform/assembly/run.h"

namespace kernbench {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const RunProgress& progress);  // at most ten times a second
  void clear();

 private:
  bool terminal_;
  bool shown_ = false;
  double last_wall_s_ = 0;
};

}  // namespace kernbench
