// Values of counters in windows of time of one width for all. The width doubles as the run goes on,
// so that a run of any length has at most `most` windows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/base/units.h"

namespace kernbench {

class TimelineWindows {
 public:
  static constexpr std::size_t most = 512;

  struct Series {
    bool is_level = false;              // a window has its highest level, else the sum of times
    std::vector<std::uint64_t> values;  // by window, up to the last one touched
    std::uint64_t sum() const;
  };

  explicit TimelineWindows(Fs first_width = fs_per_ns) : width_(first_width) {}

  // They stay where they are.
  Series& add_times() { return series_.emplace_back(); }
  Series& add_levels() { return series_.emplace_back(Series{true, {}}); }

  // Time in [from, to), which may lie ahead.
  void add_time(Series& series, Fs from, Fs to);
  // The level held in [from, to).
  void add_level(Series& series, Fs from, Fs to, std::uint64_t level);

  Fs width() const { return width_; }
  // Length of a window of a run that ends at `end`; 0 behind the end.
  Fs length(std::size_t window, Fs end) const;

 private:
  // The value of the first window touched that covers [from, to).
  std::uint64_t* cover(Series& series, Fs from, Fs to);
  void double_width();

  Fs width_;
  std::deque<Series> series_;
};

}  // namespace kernbench
