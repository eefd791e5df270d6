// `--timeline F` (spec 11.2): a run as slices, arrows and counters, for Perfetto.
//
// Slices: calls of the host, its requests, kernels, commands, tiles, stages, operations of IPCQ,
// states in which something stalls, transfers and messages. They are written as they occur, so that
// a run that is killed leaves a file that can be read; what is in flight at the end is cut there
// and has the argument complete = false. Counters (links, HBM, engines, queues) cover the run,
// whatever the limit, and are written at its end. No option, no cost; changes no time; the same in
// equal runs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platform/assembly/platform.h"
#include "platform/export/timeline_recorder.h"

namespace kernbench {

class TimelinePes;

// A reader of analysis ports of the machine, which draws what they write.
class TimelineObserver {
 public:
  virtual ~TimelineObserver() = default;
  // At the end of the run, before the slices are ended: what holds until `now`.
  virtual void close(Fs /*now*/) {}
  virtual void write_counters() const {}
};
std::unique_ptr<TimelineObserver> timeline_transfers(Platform& platform, TimelinePes& pes,
                                                     TimelineRecorder& out);
std::unique_ptr<TimelineObserver> timeline_resources(Platform& platform, TimelineRecorder& out);
std::unique_ptr<TimelineObserver> timeline_signals(Platform& platform, TimelineRecorder& out);

class Timeline {
 public:
  // Observes `platform`, which outlives it. `limit`: slices.
  Timeline(Platform& platform, std::unique_ptr<TimelineWriter> writer,
           std::uint64_t limit = TimelineRecorder::default_limit);
  ~Timeline();

  // A call of a rank of the host's program, now; for end_call().
  TimelineRecorder::Open begin_call(int rank, const std::string& call,
                                    TimelineArguments arguments = {});
  void end_call(TimelineRecorder::Open call);

  // After the run, while the machine still exists. Throws Error if not everything is in the file.
  void close();
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
