// Kernels of the PEs on a timeline: from target_start of a launch to its answer, those of a stream
// one after the other. An arrow leads from the host's launch request to each.
//
// A launch reaches a PE ahead of its target_start; its slice is written with the first command, the
// answer or the end of the run behind that, so that nothing lies behind the end of a run.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "models/protocol/host_messages.h"
#include "models/protocol/transaction.h"
#include "platform/export/timeline_slices.h"

namespace kernbench {

class TimelineKernels {
 public:
  TimelineKernels(TimelineTracks& tracks, TimelineSlices& slices)
      : tracks_(tracks), slices_(slices) {}

  // The host's request is the open slice.
  void requested(const KernelLaunch& launch, TimelineSlices::Open request);
  // The launch has reached the pe_cpu of a PE, by the transaction `key`.
  void reached(const std::string& pe, const TieKey& key, const KernelLaunch& launch, Fs now);
  // The answer leaves. Nothing for transactions that are no launches.
  void answered(const TieKey& key, Fs now);

  // The kernel that has begun last of those that run; 0: none does.
  TimelineSlices::Open running_on(const std::string& pe, Fs now);
  // At the end of the run, before the slices are closed.
  void close(Fs now);

 private:
  struct Launch {
    TieKey key;
    std::string kernel;
    Fs start;  // at the earliest
    TimelineSlices::Open request;
    std::uint32_t stream = 0;
    bool begun = false;
    TimelineSlices::Open slice = 0;
  };
  struct Pe {
    std::unique_ptr<TimelineLanes> lanes;
    std::deque<Launch> launches;  // of each stream the first one runs
  };
  using RequestKey = std::tuple<std::string, std::string, int>;  // correlation, request, SIP
  static RequestKey key_of(const KernelLaunch& launch);

  static bool first_of_stream(const Pe& pe, const Launch& launch);
  // The slices of those that run, if their start has come.
  void begin_due(Pe& pe, Fs now);

  TimelineTracks& tracks_;
  TimelineSlices& slices_;
  std::map<RequestKey, TimelineSlices::Open> requests_;
  std::map<std::string, Pe> pes_;
  std::map<TieKey, Pe*> under_way_;
};

}  // namespace kernbench
