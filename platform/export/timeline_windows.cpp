#include "platform/export/timeline_windows.h"

#include <algorithm>
#include <numeric>

namespace kernbench {

std::uint64_t TimelineWindows::Series::sum() const {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

void TimelineWindows::double_width() {
  width_ *= 2;
  for (Series& series : series_) {
    std::vector<std::uint64_t>& values = series.values;
    for (std::size_t i = 0; 2 * i < values.size(); ++i) {
      const std::uint64_t second = 2 * i + 1 < values.size() ? values[2 * i + 1] : 0;
      values[i] = series.is_level ? std::max(values[2 * i], second) : values[2 * i] + second;
    }
    values.resize((values.size() + 1) / 2);
  }
}

std::uint64_t* TimelineWindows::cover(Series& series, Fs from, Fs to) {
  while ((to - 1) / width_ >= most) double_width();
  const auto last = static_cast<std::size_t>((to - 1) / width_);
  if (series.values.size() <= last) series.values.resize(last + 1);
  return &series.values[static_cast<std::size_t>(from / width_)];
}

void TimelineWindows::add_time(Series& series, Fs from, Fs to) {
  if (from >= to) return;
  std::uint64_t* value = cover(series, from, to);
  while (from < to) {
    const Fs next = std::min(to, (from / width_ + 1) * width_);
    *value++ += next - from;
    from = next;
  }
}

void TimelineWindows::add_level(Series& series, Fs from, Fs to, std::uint64_t level) {
  if (from >= to) return;
  std::uint64_t* value = cover(series, from, to);
  for (Fs window = from / width_; window <= (to - 1) / width_; ++window, ++value)
    *value = std::max(*value, level);
}

Fs TimelineWindows::length(std::size_t window, Fs end) const {
  const Fs begin = window * width_;
  return begin >= end ? 0 : std::min(width_, end - begin);
}

}  // namespace kernbench
