// What readers of both formats have in common: the slices that are open, track by track, and
// arrows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/timeline/timeline_reader.h"

namespace kernbench::test {

inline void require(bool condition, const std::string& what, const std::string& where) {
  if (!condition) throw TimelineFault(what + ": " + where);
}

class TimelineBuilder {
 public:
  static constexpr std::size_t none = ~std::size_t{0};

  explicit TimelineBuilder(std::uint64_t unit) { read.unit = unit; }

  std::size_t begin(std::uint64_t track, ReadSlice slice) {
    const auto& open = open_[track];
    require(open.empty() || read.slices[open.back()].start <= slice.start,
            "begins before its outer", slice.name);
    read.slices.push_back(std::move(slice));
    open_[track].push_back(read.slices.size() - 1);
    return read.slices.size() - 1;
  }
  // A point of an arrow, instead of the slice around it.
  std::size_t mark(std::uint64_t track) {
    const std::size_t outer = open_on(track);
    require(outer != none, "a point of an arrow outside", std::to_string(track));
    open_[track].push_back(outer);
    return outer;
  }
  // `none` of a mark.
  std::size_t end(std::uint64_t track, std::uint64_t time) {
    auto& open = open_[track];
    require(!open.empty(), "an end without a begin", std::to_string(track));
    const std::size_t ended = open.back();
    open.pop_back();
    if (!open.empty() && open.back() == ended) return none;
    require(time >= read.slices[ended].start, "ends before it begins", read.slices[ended].name);
    read.slices[ended].end = time;
    read.slices[ended].ended = true;
    last_end_[track] = std::max(last_end_[track], time);
    return ended;
  }
  // The innermost one.
  std::size_t open_on(std::uint64_t track) const {
    const auto found = open_.find(track);
    return found == open_.end() || found->second.empty() ? none : found->second.back();
  }
  std::uint64_t last_end(std::uint64_t track) { return last_end_[track]; }
  void point(const std::string& counter, std::uint64_t time, double value) {
    auto& points = read.counters[counter];
    require(points.empty() || points.back().time <= time, "a counter goes back in time", counter);
    points.push_back({time, value});
  }
  void check_all_ended() const {
    for (const auto& [track, open] : open_)
      require(
          open.empty(), "never ends",
          open.empty() ? "" : read.slices[open.back()].track + " " + read.slices[open.back()].name);
  }

  ReadTimeline read;

 private:
  std::map<std::uint64_t, std::vector<std::size_t>> open_;
  std::map<std::uint64_t, std::uint64_t> last_end_;
};

}  // namespace kernbench::test
