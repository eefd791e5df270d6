// Signals of the components on a timeline: states (labelled values) as slices, levels (queue
// depths, bytes in use) as counters.
//
// States in which nothing waits (idle, ready, serving) are not drawn: the slices of kernels and
// stages show the work itself. Nodes that only forward, and pseudo-channels, are left to the
// counters of links and channels.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/base/component.h"
#include "platform/assembly/platform.h"
#include "platform/export/timeline_counters.h"
#include "platform/export/timeline_slices.h"

namespace kernbench {

class TimelineSignals {
 public:
  // Observes `platform`; all outlive it.
  TimelineSignals(Platform& platform, TimelineTracks& tracks, TimelineSlices& slices,
                  TimelineWindows& windows);

  ~TimelineSignals();

  // At the end of the run: what holds until `now`.
  void close(Fs now);
  void write_counters(const TimelineCounters& counters) const;

 private:
  class State;
  class Level;
  void add_state(const std::string& component, const std::string& group, TraceSignal& signal);

  TimelineTracks& tracks_;
  TimelineSlices& slices_;
  TimelineWindows& windows_;
  std::vector<std::unique_ptr<State>> states_;
  std::vector<std::unique_ptr<Level>> levels_;
};

}  // namespace kernbench
