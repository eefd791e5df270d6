// Tracks of a timeline by the names of the machine: SIPs and cubes, in these PEs and IO chiplets,
// in these the tracks of components. A track appears with its first event.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "platform/export/timeline_writer.h"

namespace kernbench {

class TimelineTracks {
 public:
  // The writer outlives it.
  explicit TimelineTracks(TimelineWriter& writer) : writer_(writer) {}

  // "sip0.cube0.pe0"; empty: the host. Groups around it are made as well.
  TimelineTrack group(const std::string& path);
  TimelineTrack slices(const std::string& group, const std::string& name, std::uint32_t rank);
  TimelineTrack counter(const std::string& group, const std::string& name, const char* unit,
                        std::uint32_t rank);

 private:
  TimelineTrack add(TimelineTrackInfo info);

  TimelineWriter& writer_;
  TimelineTrack last_ = 0;
  std::map<std::string, TimelineTrack> groups_;
};

// Place of a track among those of its group: in a PE by the way of a tile, counters behind slices.
struct TimelineRank {
  static constexpr std::uint32_t kernel = 0, state = 5, command = 10, tile = 20, stage = 30,
                                 operation = 60, transfer = 70, message = 75, request = 80,
                                 busy = 90, level = 95, rank = 100;
};

// Tracks of equal meaning, as many as slices overlap in time.
class TimelineLanes {
 public:
  // "sip0.cube0.pe0", "sip0.cube0.pe0 tiles"
  TimelineLanes(TimelineTracks& tracks, std::string group, std::string name, std::uint32_t rank)
      : tracks_(tracks), group_(std::move(group)), name_(std::move(name)), rank_(rank) {}

  // The first lane that is free from `start` on; not free any more.
  std::size_t take(Fs start);
  void give_back(std::size_t lane, Fs end) { lanes_[lane].free_at = end; }
  TimelineTrack track(std::size_t lane) const { return lanes_[lane].track; }
  const std::string& group() const { return group_; }
  const std::string& name() const { return name_; }

 private:
  struct Lane {
    TimelineTrack track = 0;
    Fs free_at = 0;
  };
  TimelineTracks& tracks_;
  std::string group_, name_;
  std::uint32_t rank_;
  std::vector<Lane> lanes_;
};

}  // namespace kernbench
