// Bars of a run for its Gantt chart: launches, kernels, stalls of kernels, commands, operations of
// engines. A request merges bars that are narrower than a bin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "platform/events/op_log_schema.h"

namespace kernbench {

class RunTimeline {
 public:
  // Reads the tables of an operation log; without `operations` those of launches, kernels and
  // stalls, which takes no time.
  RunTimeline(const SQLite::Database& log, const std::vector<LaunchRow>& launches, bool operations);

  Fs end() const { return end_; }
  // {"from_fs", "to_fs", "labels": [..], "lanes": [{"name", "place", "kind", "bars": [[start, end,
  // index of its label, count], ..]}], "lanes_left_out"}. Times of bars are those
  // of the run, bars that the interval cuts included. A scope of several PEs has kernels; one of at
  // most 16 PEs also engines; a PE also stalls and commands.
  nlohmann::ordered_json json(const std::string& scope, Fs from, Fs to, std::size_t bins) const;

 private:
  enum class Kind : std::uint8_t { launch, kernel, stall, command, engine };
  struct Bar {
    Fs start = 0, end = 0;
    std::uint32_t label = 0, count = 1;
  };
  struct Lane {
    std::string place, name;
    Kind kind = Kind::launch;
    Fs longest = 0;
    std::vector<Bar> bars;  // by start
  };
  using Key = std::tuple<std::string, Kind, int, std::string>;  // place, kind, order, name
  using Json = nlohmann::ordered_json;

  std::uint32_t label_of(const std::string& text);
  void add(const Key& key, Fs start, Fs end, std::uint32_t label);
  void read_kernels(const SQLite::Database& log);
  void read_operations(const SQLite::Database& log);
  std::vector<const Lane*> lanes_in(const std::string& scope) const;
  std::vector<Lane> kernels_in(const std::string& scope) const;
  static std::vector<Bar> cut(const Lane& lane, Fs from, Fs to, Fs bin);

  std::map<Key, Lane> lanes_;
  std::vector<std::string> labels_;
  std::unordered_map<std::string, std::uint32_t> label_ids_;  // looked up only
  std::map<std::string, std::size_t> pes_;                    // with a lane
  Fs end_ = 0;
};

}  // namespace kernbench
