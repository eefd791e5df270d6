// UsageOverTime: use of servers in windows of equal length over a run, at most 512 of them, fewer
// on large machines. The length doubles each time the run outlasts them.
#pragma once

#include <cstddef>
#include <vector>

#include "platform/observe/server_usage.h"

namespace kernbench {

class UsageOverTime {
 public:
  // `table` outlives it.
  explicit UsageOverTime(const ServerTable& table);

  // Time of the next sample: the end of the current window.
  Fs next() const { return width_ * (windows_.size() + 1); }
  // Takes the sample, at that time.
  void take();
  // At the end of the run: the last window may be shorter.
  void close();

  const std::vector<SparseUse>& windows() const { return windows_; }
  Fs width() const { return width_; }

 private:
  void double_width();

  const ServerTable& table_;
  std::size_t most_windows_;  // even
  Fs width_;
  std::vector<ServerUse> at_begin_;
  std::vector<SparseUse> windows_;
};

}  // namespace kernbench
