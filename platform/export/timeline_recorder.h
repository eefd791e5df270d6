// Records of a timeline by its observers: slices on lanes with arrows between them, and counters.
//
// Slices are written up to a limit. An eighth of it is reserved for the few that give the overview
// (requests and calls of the host, kernels, commands). Counters are kept in time windows over the
// whole run, regardless of the limit, and written at its end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platform/export/timeline_writer.h"

namespace kernbench {

enum class SliceKind : std::uint8_t {
  host_call,
  host_request,
  kernel,
  command,
  tile,
  stage,
  operation,
  state,
  transfer,
  message
};

// Position of a track in its group: in a PE by the path of a tile, counters after slices.
struct TimelineRank {
  static constexpr std::uint32_t kernel = 0, state = 5, command = 10, tile = 20, stage = 30,
                                 operation = 60, transfer = 70, message = 75, request = 80,
                                 busy = 90, level = 95, rank = 100;
};

// Tracks of the same meaning, as many as slices overlap in time.
struct TimelineLanes {
  struct Lane {
    TimelineTrack track = 0;
    Fs free_at = 0;
  };
  std::string group,
      name;  // "sip0.cube0.pe0", "sip0.cube0.pe0.pe_scheduler tiles"
  std::uint32_t rank = 0;
  std::vector<Lane> lanes;
};

// Counter values in time windows of a common width. The width doubles as the run continues, so a
// run of any length has at most `most` windows.
class TimelineWindows {
 public:
  static constexpr std::size_t most = 512;

  using Values = std::vector<std::uint64_t>;  // by window, up to the last one touched
  struct Series {
    bool is_level = false;  // true: a window holds its highest level; false: the sum of times
    Values values;
    std::uint64_t sum() const;
  };

  explicit TimelineWindows(Fs first_width = fs_per_ns) : width_(first_width) {}

  // References to series stay valid.
  Series& add_times() { return series_.emplace_back(); }
  Series& add_levels() { return series_.emplace_back(Series{true, {}}); }

  // Adds the time in [from, to), which may be in the future.
  void add_time(Series& series, Fs from, Fs to);
  // Adds the level held in [from, to).
  void add_level(Series& series, Fs from, Fs to, std::uint64_t level);

  Fs width() const { return width_; }
  // Length of a window of a run that ends at `end`; 0 after the end.
  Fs length(std::size_t window, Fs end) const;

 private:
  // Value of the first window that covers [from, to).
  std::uint64_t* cover(Series& series, Fs from, Fs to);
  void double_width();

  Fs width_;
  std::deque<Series> series_;
};

class TimelineRecorder {
 public:
  static constexpr std::uint64_t default_limit = 1'000'000;
  using Open = std::uint64_t;  // an open slice; 0: none or left out

  TimelineRecorder(std::unique_ptr<TimelineWriter> writer, std::uint64_t limit)
      : writer_(std::move(writer)), limit_(limit) {}

  // Lanes of a group "sip0.cube0.pe0"; "": the host. A track and its enclosing groups appear with
  // its first slice. References to lanes stay valid.
  TimelineLanes& lanes(const std::string& group, const std::string& name, std::uint32_t rank) {
    return lanes_.emplace_back(TimelineLanes{group, name, rank, {}});
  }

  Open begin(SliceKind kind, TimelineLanes& lanes, Fs start, const std::string& name,
             TimelineArguments arguments = {}, const TimelineFlows& flows = {});
  // The next three functions ignore slice 0.
  void end(Open slice, Fs end, TimelineArguments arguments = {}, const TimelineFlows& flows = {});
  // Arrow from the open slice to a slice of kind `to` that begins after this call; empty if one of
  // the two slices is left out. Argument of begin().
  TimelineFlows arrow(Open slice, Fs time, const std::string& name, SliceKind to);
  // Ends the arrow in the open slice. Perfetto draws arrows from the slice that begins first; this
  // function is for a slice that began before the arrow's source.
  void arrive(Open slice, Fs time, const std::string& name, std::uint64_t flow);
  std::uint64_t new_flow() { return ++flows_; }

  std::uint64_t written() const { return written_; }
  // "12 tiles, 40 stages from 812.5 ns on"; empty: none.
  std::string left_out() const;

  TimelineWindows windows;

  // Ends the run: open slices are cut there, with the argument complete = false. Counters follow.
  void end_slices(Fs end);
  // Busy times as % of the time of `servers`. Series that are always 0 are left out, as are levels.
  void share(const std::string& group, const std::string& name,
             const TimelineWindows::Values& times, std::size_t servers);
  // Busy times of one server with a point in every window, so that their mean is the utilisation
  // over the run.
  void whole_share(const std::string& group, const std::string& name, std::uint32_t rank,
                   const TimelineWindows::Values& times);
  // Highest level of each window.
  void level(const std::string& group, const std::string& name, const char* unit,
             const TimelineWindows::Values& levels);
  // Values from the given times on, and 0 at the end.
  using Points = std::vector<std::pair<Fs, double>>;
  void points(const std::string& group, const std::string& name, const char* unit,
              const Points& points);
  // Throws Error if not everything is in the file.
  void close() { writer_->close(); }

 private:
  struct Slice {
    TimelineLanes* lanes;
    std::size_t lane;
    Fs start;
    Fs latest;  // time of the latest arrow that has left it
    TimelineTrack track() const { return lanes->lanes[lane].track; }
  };

  TimelineTrack add(TimelineTrackInfo info);
  TimelineTrack group(const std::string& path);
  TimelineTrack counter(const std::string& group, const std::string& name, const char* unit,
                        std::uint32_t rank);
  // Occupies and returns the first lane that is free from `start` on.
  std::size_t take_lane(TimelineLanes& lanes, Fs start);
  bool has_room(SliceKind kind) const;
  double percent(const TimelineWindows::Values& times, std::size_t window,
                 std::size_t servers) const;
  template <class Value>
  void write_changes(const std::string& group, const std::string& name, const char* unit,
                     std::uint32_t rank, std::size_t count, Value value);

  std::unique_ptr<TimelineWriter> writer_;
  TimelineTrack last_track_ = 0;
  std::map<std::string, TimelineTrack> groups_;
  std::deque<TimelineLanes> lanes_;
  std::uint64_t limit_;
  std::uint64_t written_ = 0, details_ = 0, begun_ = 0, flows_ = 0;
  std::map<Open, Slice> open_;
  std::array<std::uint64_t, 10> left_out_{};  // slices left out, by kind
  Fs left_out_from_ = never_fs, end_ = 0;
};

}  // namespace kernbench
