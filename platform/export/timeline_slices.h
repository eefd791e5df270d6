// Slices of a timeline, up to a limit, and the count of those that are left out beyond it.
//
// Of the limit an eighth is for the few slices that give the overview (requests and collectives of
// the host, kernels, commands); tiles, stages, transfers and the like leave it alone.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "platform/export/timeline_tracks.h"
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

class TimelineSlices {
 public:
  static constexpr std::uint64_t default_limit = 1'000'000;
  using Open = std::uint64_t;  // an open slice; 0: none, left out

  // The writer outlives it.
  TimelineSlices(TimelineWriter& writer, std::uint64_t limit) : writer_(writer), limit_(limit) {}

  Open begin(SliceKind kind, TimelineLanes& lanes, Fs start, const std::string& name,
             TimelineArguments arguments = {}, const TimelineFlows& flows = {});
  // All for 0 do nothing.
  void end(Open slice, Fs end, TimelineArguments arguments = {}, const TimelineFlows& flows = {});
  // An arrow from the open slice to a slice of kind `to` that begins behind this call; empty if
  // one of the two is left out. For begin().
  TimelineFlows arrow(Open slice, Fs time, const std::string& name, SliceKind to);
  // The arrow ends in the open slice. Perfetto has arrows lead from the slice that begins first:
  // this is for one that began before the arrow's source.
  void arrive(Open slice, Fs time, const std::string& name, std::uint64_t flow);
  std::uint64_t new_flow() { return ++flows_; }

  // Ends what is open, as under way.
  void close(Fs end);
  std::uint64_t written() const { return written_; }
  // "12 tiles, 40 stages from 812.5 ns on"; empty: nothing.
  std::string left_out() const;

 private:
  struct Slice {
    TimelineLanes* lanes;
    std::size_t lane;
    Fs start;
    Fs latest;  // of the arrows that have left it
  };
  bool has_room(SliceKind kind) const;

  TimelineWriter& writer_;
  std::uint64_t limit_;
  std::uint64_t written_ = 0, details_ = 0, begun_ = 0, flows_ = 0;
  std::map<Open, Slice> open_;
  std::array<std::uint64_t, 10> left_out_{};  // by kind
  Fs left_out_from_ = never_fs;
};

}  // namespace kernbench
