// `--timeline F` (spec 11.2): a run as slices, arrows and counters, for Perfetto.
//
// Slices: calls of the host, its requests, kernels, commands, tiles, stages, operations of IPCQ,
// stall states, transfers and messages. They are written as they occur, so a killed run leaves a
// readable file. Slices in flight at the end are cut there and have the argument complete = false.
// Counters (links, HBM, engines, queues) cover the run, regardless of the limit, and are written at
// its end. Without the option there is no cost. Times do not change, and equal runs give equal
// files.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platform/assembly/platform.h"
#include "platform/export/timeline_recorder.h"

namespace kernbench {

class TimelinePes;

// Subscriber to analysis ports of the machine that draws their events.
class TimelineObserver {
 public:
  virtual ~TimelineObserver() = default;
  // Called at the end of the run, before the slices are ended: draws state that holds until `now`.
  virtual void close(Fs /*now*/) {}
  virtual void write_counters() const {}
};
std::unique_ptr<TimelineObserver> timeline_transfers(Platform& platform, TimelinePes& pes,
                                                     TimelineRecorder& out);
std::unique_ptr<TimelineObserver> timeline_resources(Platform& platform, TimelineRecorder& out);
std::unique_ptr<TimelineObserver> timeline_signals(Platform& platform, TimelineRecorder& out);

class Timeline {
 public:
  // Observes `platform`, which outlives it. `limit`: maximum number of slices.
  Timeline(Platform& platform, std::unique_ptr<TimelineWriter> writer,
           std::uint64_t limit = TimelineRecorder::default_limit);
  ~Timeline();

  // Starts a call of a rank of the host program now; for end_call().
  TimelineRecorder::Open begin_call(int rank, const std::string& call,
                                    TimelineArguments arguments = {});
  void end_call(TimelineRecorder::Open call);

  // Called after the run, while the machine still exists. Throws Error if the file is incomplete.
  // `write_counters` adds counters of the caller.
  void close(const std::function<void(TimelineRecorder& out)>& write_counters = {});
  // Slices beyond the limit, "12 tiles, 40 stages from 812.5 ns on"; empty: none.
  std::string left_out() const { return out_.left_out(); }
  std::uint64_t slices() const { return out_.written(); }

 private:
  TimelineRecorder out_;
  std::map<int, TimelineLanes*> ranks_;
  std::unique_ptr<TimelinePes> pes_;
  std::unique_ptr<TimelineObserver> transfers_, signals_, resources_;
};

}  // namespace kernbench
