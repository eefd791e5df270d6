// Records of a timeline by its observers: slices on lanes with arrows between them, and counters.
//
// What is reported at one instant is written at its end, in an order that does not depend on that
// of the reports: first the slices that were open before, by track, then the new ones by start,
// group, rank and track, arguments and name (spec 11.7). Lanes and arrows are numbered in that
// order.
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
#include <optional>
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

// Arrow from one slice to another.
struct TimelineArrow {
  std::uint64_t source = 0;  // slice of the recorder; 0: the one that ends with the arrow
  std::uint64_t number = 0;  // in the file, known at the end of the instant; 0: left out
};
struct TimelineArrowPoint {
  std::shared_ptr<TimelineArrow> arrow;  // null: none
  TimelineFlow::Point point = TimelineFlow::Point::first;
  TimelineFlow flow() const { return {arrow == nullptr ? 0 : arrow->number, point}; }
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
             TimelineArguments arguments = {}, TimelineArrowPoint arrow = {});
  // The next three functions ignore slice 0, and slices that are left out. `arrow`: from a slice
  // that begins and ends at this instant to one that a later begin() or arrive() names.
  void end(Open slice, Fs end, TimelineArguments arguments = {}, TimelineArrowPoint arrow = {});
  // Arrow from the open slice to the slice that begins with the result, at this instant.
  TimelineArrowPoint arrow(Open slice, Fs time, const std::string& name);
  // Ends the arrow in the open slice. Perfetto draws arrows from the slice that begins first; this
  // function is for a slice that began before the arrow's source.
  void arrive(Open slice, Fs time, const std::string& name, std::shared_ptr<TimelineArrow> arrow);
  // Writes what was reported at this instant. Called by the recorder before a report of a later
  // one.
  void end_instant();

  std::uint64_t written() const { return written_; }  // up to the last instant
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
  void close() {
    end_instant();
    writer_->close();
  }

 private:
  struct Mark {
    Fs time;
    std::string name;
    TimelineArrowPoint arrow;
  };
  struct Ending {
    Fs end;
    TimelineArguments arguments;
    TimelineArrowPoint arrow;
  };
  struct Slice {
    SliceKind kind;
    TimelineLanes* lanes;
    Fs start;
    Fs latest;             // time of the latest arrow
    std::size_t lane = 0;  // with `is_written`
    bool is_written = false;
    // Reports of the present instant
    std::string name;
    TimelineArguments arguments;
    TimelineArrowPoint arrow;
    std::vector<Mark> marks{};
    std::optional<Ending> ending{};

    TimelineTrack track() const { return lanes->lanes[lane].track; }
    bool operator<(const Slice& other) const;  // order of two that begin at one instant
  };
  using Entry = std::pair<const Open, Slice>;

  TimelineTrack add(TimelineTrackInfo info);
  TimelineTrack group(const std::string& path);
  TimelineTrack counter(const std::string& group, const std::string& name, const char* unit,
                        std::uint32_t rank);
  // Occupies and returns the first lane that is free from `start` on.
  std::size_t take_lane(TimelineLanes& lanes, Fs start);
  void enter_instant();
  Slice* reported(Open slice);  // null: none or left out
  bool has_room_for(SliceKind kind) const;
  void apply_limit();
  void number_arrows();
  void write_begin(Slice& slice);
  void write_reports(Entry& entry);
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
  std::uint64_t written_ = 0, details_ = 0, arrows_ = 0;
  Open last_slice_ = 0;
  std::map<Open, Slice> open_;
  Fs instant_ = 0;                            // of the reports that are not written
  std::vector<Entry*> begun_, changed_;       // by them; changed: open before
  std::array<std::uint64_t, 10> left_out_{};  // slices left out, by kind
  Fs left_out_from_ = never_fs, end_ = 0;
};

}  // namespace kernbench
