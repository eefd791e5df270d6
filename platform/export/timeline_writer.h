// Format of a timeline: tracks in a tree, slices and counters on them, flows between slices.
//
// Slices of one track do not overlap. Calls arrive per track in the order of time. Times are
// femtoseconds from the start of the run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/units.h"
#include "platform/output/result_file.h"

namespace kernbench {

using TimelineTrack = std::uint32_t;  // 0: none

struct TimelineTrackInfo {
  // process: a SIP, a cube, the host; group: part of a process, such as a PE.
  enum class Kind : std::uint8_t { process, group, slices, counter };
  Kind kind = Kind::slices;
  std::string name;
  TimelineTrack parent = 0;
  std::uint32_t rank = 0;  // order among the children of `parent`
  std::string unit;        // unit of a counter
};

// Number, or a text if `is_text` is set.
struct TimelineArgument {
  TimelineArgument(const char* name_, std::uint64_t number_) : name(name_), number(number_) {}
  TimelineArgument(const char* name_, std::string text_)
      : name(name_), text(std::move(text_)), is_text(true) {}
  const char* name;  // static storage
  std::uint64_t number = 0;
  std::string text;
  bool is_text = false;
};
using TimelineArguments = std::vector<TimelineArgument>;

// Point of an arrow through slices; points are ordered in time.
struct TimelineFlow {
  enum class Point : std::uint8_t { first, between, last };
  std::uint64_t id = 0;  // number of the arrow; 0: none
  Point point = Point::first;
};

class TimelineWriter {
 public:
  virtual ~TimelineWriter() = default;

  // Declares a track before its first event; parents first.
  virtual void track(TimelineTrack track, const TimelineTrackInfo& info) = 0;
  virtual void begin(TimelineTrack track, Fs time, std::string_view name, const char* category,
                     const TimelineArguments& arguments, const TimelineFlow& flow) = 0;
  // Ends the slice that is open on the track.
  virtual void end(TimelineTrack track, Fs time, const TimelineArguments& arguments,
                   const TimelineFlow& flow) = 0;
  // Starts an arrow in the slice that is open on the track.
  virtual void leave(TimelineTrack track, Fs time, std::string_view name, std::uint64_t flow) = 0;
  // Point of an arrow inside the slice that is open on the track: a slice of length 0, of the
  // category "flow".
  void mark(TimelineTrack track, Fs time, std::string_view name, const TimelineFlow& flow) {
    begin(track, time, name, "flow", {}, flow);
    end(track, time, {}, {});
  }
  // Value that holds from `time` on.
  virtual void counter(TimelineTrack track, Fs time, double value) = 0;
  // Called after the last event. Throws Error if the file is incomplete.
  virtual void close() = 0;
};

enum class TimelineFormat : std::uint8_t { chrome, perfetto };
struct TimelineName {
  TimelineFormat format;
  bool compressed;
};
// Accepts .json, .pftrace and .perfetto-trace, each optionally followed by .gz; a device or a pipe
// gets JSON. Throws UsageError for other endings.
TimelineName timeline_name(const std::string& path);
// The file's name selects the format.
std::unique_ptr<TimelineWriter> timeline_writer(ResultFile file);

// Buffered output file, optionally compressed by gzip. Equal input gives equal output: the header
// contains no time.
class GzipOutput {
 public:
  // Without `compressed` the bytes are written unchanged.
  GzipOutput(ResultFile file, bool compressed);
  ~GzipOutput();
  GzipOutput(const GzipOutput&) = delete;
  GzipOutput& operator=(const GzipOutput&) = delete;

  void put(std::string_view bytes) {
    constexpr std::size_t buffer_bytes = 1u << 18;
    buffer_ += bytes;
    if (buffer_.size() >= buffer_bytes) flush(false);
  }
  // Throws Error if the file is incomplete.
  void close();

 private:
  struct Deflate;

  void flush(bool last);

  ResultFile file_;
  std::string buffer_;
  std::unique_ptr<Deflate> deflate_;  // null: not compressed
};

std::unique_ptr<TimelineWriter> chrome_timeline(std::unique_ptr<GzipOutput> out);
std::unique_ptr<TimelineWriter> perfetto_timeline(std::unique_ptr<GzipOutput> out);

}  // namespace kernbench
