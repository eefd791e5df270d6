#include "platform/export/timeline_counters.h"

#include <algorithm>

namespace kernbench {

// A point where the value changes, and 0 at the end.
template <class Value>
void TimelineCounters::write(const std::string& group, const std::string& name, const char* unit,
                             std::uint32_t rank, std::size_t windows, Value value) const {
  TimelineTrack track = 0;
  double last = 0;
  for (std::size_t i = 0; i < windows && windows_.length(i, end_) > 0; ++i) {
    const double present = value(i);
    if (present == last) continue;
    if (track == 0) track = tracks_.counter(group, name, unit, rank);
    writer_.counter(track, i * windows_.width(), last = present);
  }
  if (last != 0) writer_.counter(track, std::min<Fs>(end_, windows * windows_.width()), 0);
}

void TimelineCounters::share(const std::string& group, const std::string& name, std::uint32_t rank,
                             const std::vector<std::uint64_t>& times, std::size_t servers) const {
  write(group, name, "%", rank, times.size(),
        [&](std::size_t window) { return percent(times, window, servers); });
}

void TimelineCounters::whole_share(const std::string& group, const std::string& name,
                                   std::uint32_t rank,
                                   const std::vector<std::uint64_t>& times) const {
  const TimelineTrack track = tracks_.counter(group, name, "%", rank);
  for (std::size_t i = 0; windows_.length(i, end_) > 0; ++i)
    writer_.counter(track, i * windows_.width(), i < times.size() ? percent(times, i, 1) : 0);
}

double TimelineCounters::percent(const std::vector<std::uint64_t>& times, std::size_t window,
                                 std::size_t servers) const {
  const Fs most = windows_.length(window, end_) * servers;  // more may be booked ahead
  return 100.0 * static_cast<double>(std::min(times[window], most)) / static_cast<double>(most);
}

void TimelineCounters::level(const std::string& group, const std::string& name, const char* unit,
                             std::uint32_t rank, const std::vector<std::uint64_t>& levels) const {
  write(group, name, unit, rank, levels.size(),
        [&](std::size_t window) { return static_cast<double>(levels[window]); });
}

}  // namespace kernbench
