// Format of a timeline: tracks in a tree, slices and counters on them, flows between slices.
//
// Slices of one track follow one another; calls come per track in the order of time. Times are
// femtoseconds from the start of the run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/units.h"

namespace kernbench {

using TimelineTrack = std::uint32_t;  // 0: none

struct TimelineTrackInfo {
  // process: a SIP, a cube, the host; group: what stands in one, such as a PE.
  enum class Kind : std::uint8_t { process, group, slices, counter };
  Kind kind = Kind::slices;
  std::string name;
  TimelineTrack parent = 0;
  std::uint32_t rank = 0;  // order among the children of `parent`
  std::string unit;        // of a counter
};

// A number or, if `text` is set, a text.
struct TimelineArgument {
  TimelineArgument(const char* name_, std::uint64_t number_) : name(name_), number(number_) {}
  TimelineArgument(const char* name_, std::string text_)
      : name(name_), text(std::move(text_)), is_text(true) {}
  const char* name;  // static
  std::uint64_t number = 0;
  std::string text;
  bool is_text = false;
};
using TimelineArguments = std::vector<TimelineArgument>;

// A point of an arrow through slices; points follow one another in time.
struct TimelineFlow {
  enum class Point : std::uint8_t { first, between, last };
  std::uint64_t id = 0;  // of the arrow
  Point point = Point::first;
};
using TimelineFlows = std::vector<TimelineFlow>;

class TimelineWriter {
 public:
  virtual ~TimelineWriter() = default;

  // Before the first event of the track; parents first.
  virtual void track(TimelineTrack track, const TimelineTrackInfo& info) = 0;
  virtual void begin(TimelineTrack track, Fs time, std::string_view name, const char* category,
                     const TimelineArguments& arguments, const TimelineFlows& flows) = 0;
  // Of the slice that is open on the track.
  virtual void end(TimelineTrack track, Fs time, const TimelineArguments& arguments,
                   const TimelineFlows& flows) = 0;
  // An arrow leaves the slice that is open on the track.
  virtual void leave(TimelineTrack track, Fs time, std::string_view name, std::uint64_t flow) = 0;
  // A point of an arrow inside the slice that is open on the track: a slice without length, of the
  // category "flow".
  void mark(TimelineTrack track, Fs time, std::string_view name, const TimelineFlow& flow) {
    begin(track, time, name, "flow", {}, {flow});
    end(track, time, {}, {});
  }
  // Holds from `time` on.
  virtual void counter(TimelineTrack track, Fs time, double value) = 0;
  // After the last event. Throws Error if not everything is in the file.
  virtual void close() = 0;
};

}  // namespace kernbench
