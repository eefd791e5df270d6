// Reads timelines by what is documented of their formats, and shares no code with their writers:
// Chrome's Trace Event Format (JSON array), and Perfetto's TracePackets (protobuf wire format).
//
// A breach of the format throws TimelineFault with the place.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace kernbench::test {

struct TimelineFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ReadSlice {
  std::string process, track, name, category;  // process: the nearest SIP, cube or host
  std::uint64_t start = 0, end = 0;            // fs as the file's own times tell, see `unit`
  std::map<std::string, std::string> arguments;
  bool ended = false;

  std::uint64_t number(const std::string& argument) const {
    return std::stoull(arguments.at(argument));
  }
};

// Slices that an arrow leads through, in order; indices of ReadTimeline::slices.
using ReadFlow = std::vector<std::size_t>;
struct ReadPoint {
  std::uint64_t time = 0;
  double value = 0;
};

struct ReadTimeline {
  std::uint64_t unit = 1;  // fs: what times of the file are cut to
  std::vector<ReadSlice> slices;
  std::map<std::uint64_t, ReadFlow> flows;
  std::map<std::string, std::vector<ReadPoint>> counters;  // by track
  std::map<std::string, std::uint64_t> order;              // tracks and processes: place on screen

  std::vector<const ReadSlice*> of_category(const std::string& category) const;
  // Sum of dur_fs of a track and its further lanes.
  std::uint64_t busy(const std::string& track) const;
  // Names of the slices that an arrow leads to directly.
  std::vector<const ReadSlice*> behind(const ReadSlice& slice) const;
};

// `truncated`: the file may end anywhere.
ReadTimeline read_chrome_timeline(const std::string& text, bool truncated = false);
ReadTimeline read_perfetto_timeline(const std::string& bytes, bool truncated = false);
// As the ending of a name tells, decompressed by zlib if it ends in .gz.
ReadTimeline read_timeline(const std::string& name, const std::string& bytes);
std::string gunzip(const std::string& bytes);

}  // namespace kernbench::test
