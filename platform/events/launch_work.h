// LaunchWork: ended launches with the work of their PEs and their rooflines (spec 11.3), and the
// rows `launch_work` of a run, one for each SIP of a launch.
//
// A launch is rated when as many later launches have ended as its posted transfers may outlast, or
// at the end of the run.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/protocol/host_messages.h"
#include "platform/events/event_source.h"
#include "platform/observe/kernel_work.h"

namespace kernbench {

// Launch of the host program that has ended and whose end the program has awaited.
struct LaunchEnd {
  std::string kernel;
  std::map<std::string, std::string> meta;  // from the program
  KernelMetrics merged;                     // maximum over the PEs
  MetricsOfPes per_pe;
  Fs issued = 0, ended = 0;           // times at the host
  std::vector<std::string> requests;  // ids of its messages, one per SIP

  std::string devices() const;  // "sip0,sip2"
};

struct RatedLaunch {
  LaunchEnd launch;
  std::map<PeId, const KernelExecution*> kernels;  // PEs that report them; valid during the event
  std::optional<Roofline> roofline;                // over all its PEs; none: one does not report it
};

class LaunchWork final : private tlm::tlm_analysis_if<LaunchEnd> {
 public:
  // Observes `platform` and `ends`; writes to `rated` and to the rows of `events`. All outlive it.
  LaunchWork(Platform& platform, EventSource& events, AnalysisPort<LaunchEnd>& ends,
             AnalysisPort<RatedLaunch>& rated);
  void close();  // called at the end of the run

 private:
  struct SipPeaks {
    double macs_per_ns = 0, hbm_gbs = 0;  // sums; 0: unknown for one of the parts
  };
  using Kernels = std::vector<const KernelExecution*>;

  void find_peaks();
  void write(const LaunchEnd& launch) override;
  void take(LaunchEnd launch);
  Roofline roofline_of(const Kernels& kernels) const;
  void write_rows(const RatedLaunch& rated);
  void add_bytes(LaunchWorkRow& row, const PeWork& work) const;

  KernelWork work_;
  EventSource& events_;
  AnalysisPort<RatedLaunch>& rated_;
  std::map<int, SipPeaks> peaks_;  // by SIP
  std::deque<LaunchEnd> recent_;
  AnalysisBinding<LaunchEnd> ends_;
};

}  // namespace kernbench
