// Counters of a timeline, written at its end from their windows.
#pragma once

#include <string>
#include <vector>

#include "platform/export/timeline_tracks.h"
#include "platform/export/timeline_windows.h"

namespace kernbench {

class TimelineCounters {
 public:
  // Of a run that ends at `end`. The references outlive it.
  TimelineCounters(TimelineWriter& writer, TimelineTracks& tracks, const TimelineWindows& windows,
                   Fs end)
      : writer_(writer), tracks_(tracks), windows_(windows), end_(end) {}

  // Both leave out what was 0 all the time. Busy times as % of the time of `servers`.
  void share(const std::string& group, const std::string& name, std::uint32_t rank,
             const std::vector<std::uint64_t>& times, std::size_t servers) const;
  // Of one server, with a point in every window of the run: their mean is the share of the run.
  void whole_share(const std::string& group, const std::string& name, std::uint32_t rank,
                   const std::vector<std::uint64_t>& times) const;
  // The highest level of each window.
  void level(const std::string& group, const std::string& name, const char* unit,
             std::uint32_t rank, const std::vector<std::uint64_t>& levels) const;

 private:
  double percent(const std::vector<std::uint64_t>& times, std::size_t window,
                 std::size_t servers) const;
  template <class Value>
  void write(const std::string& group, const std::string& name, const char* unit,
             std::uint32_t rank, std::size_t windows, Value value) const;

  TimelineWriter& writer_;
  TimelineTracks& tracks_;
  const TimelineWindows& windows_;
  Fs end_;
};

}  // namespace kernbench
