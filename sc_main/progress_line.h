// Progress on standard error, if that is a terminal, in one line that is overwritten. Run:
// simulated time, wall time, speed. Sweep: points, rate, time to the end.
#pragma once

#include <cstddef>
#include <string>

#include "platform/assembly/run.h"

namespace kernbench {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // At most ten times a second.
  void show(const RunProgress& progress);
  void show_points(std::size_t done, std::size_t of, std::size_t failed, double wall_s);
  // State of a job on other hosts. Without a terminal, printed as a line whenever it changes.
  void show_state(const std::string& state);
  void clear();

 private:
  bool is_due(double wall_s);
  void show(const std::string& line);

  bool terminal_;
  bool shown_ = false;
  double last_wall_s_ = 0;
  std::string state_;
};

}  // namespace kernbench
