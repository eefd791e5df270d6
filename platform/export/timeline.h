// `--timeline F` (spec 11.2): a run as slices, arrows and counters, for Perfetto.
//
// Slices: calls of the host, its requests, kernels, commands, tiles, stages, operations of IPCQ,
// states in which something waits, transfers and messages. They are written as they come, so that
// a run that is killed leaves a file that can be read; what is under way at the end is cut there
// and has the argument complete = false. Counters (links, HBM, engines, queues) are gathered in
// windows of time, over the whole run whatever the limit, and written at the end. Costs nothing
// without the option, changes no time, and is the same in equal runs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "platform/assembly/platform.h"
#include "platform/export/timeline_commands.h"
#include "platform/export/timeline_messages.h"
#include "platform/export/timeline_resources.h"
#include "platform/export/timeline_signals.h"
#include "platform/export/timeline_transfers.h"
#include "platform/report/result_file.h"

namespace kernbench {

enum class TimelineFormat : std::uint8_t { chrome, perfetto };
struct TimelineName {
  TimelineFormat format;
  bool compressed;
};
// .json, .pftrace or .perfetto-trace, each also with .gz behind it; a device or a pipe gets JSON.
// UsageError for other endings.
TimelineName timeline_name(const std::string& path);
// To a file that is not written to by others.
std::unique_ptr<TimelineWriter> timeline_writer(ResultFile file);

class Timeline final : private tlm::tlm_analysis_if<ExecutedOp> {
 public:
  // Observes `platform`, which outlives it. `limit`: slices.
  Timeline(Platform& platform, std::unique_ptr<TimelineWriter> writer,
           std::uint64_t limit = TimelineSlices::default_limit);

  // A call of a rank of the host's program, now; for end_call().
  TimelineSlices::Open begin_call(int rank, const std::string& call,
                                  TimelineArguments arguments = {});
  void end_call(TimelineSlices::Open call);

  // After the run, while the machine still stands. Throws Error if not everything is in the file.
  void close();
  // What the limit has left out, "12 tiles, 40 stages from 812.5 ns on"; empty: nothing.
  std::string left_out() const { return slices_.left_out(); }
  std::uint64_t slices() const { return slices_.written(); }

 private:
  void write(const ExecutedOp& op) override;

  std::unique_ptr<TimelineWriter> writer_;
  TimelineTracks tracks_;
  TimelineSlices slices_;
  TimelineWindows windows_;
  std::map<int, TimelineLanes> ranks_;
  TimelineKernels kernels_;
  TimelineCommands commands_;
  TimelineMessages messages_;
  TimelineTransfers transfers_;
  TimelineSignals signals_;
  TimelineResources resources_;
  AnalysisBinding<TraceEvent> events_;
  AnalysisBinding<ExecutedOp> ops_;
};

}  // namespace kernbench
