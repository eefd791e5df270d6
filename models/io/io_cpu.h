// IO_CPU: the end of the control path that faces the host. Launches and MMU messages go on from
// here to the m_cpu of every target cube; their answers come back as one.
//
// Timing (spec 4): overhead_ns per request message; answers cost nothing. A launch is stamped when
// that has been paid:
//   target_start = now + max over the target PEs of latency(io_cpu -> m_cpu -> pe_cpu)
// with m_cpu's and pe_cpu's overhead counted once and none of its own, so that the farthest PE is
// ready exactly then. Launches whose PE sets overlap run in the order in which they came: the later
// one is stamped and sent when every PE of the earlier one has answered. IO_SRAM: a memory request
// is answered overhead_ns after it came. Not modelled: decoding, IO_SRAM's size and bandwidth.
#pragma once

#include <list>

#include "models/protocol/control_node.h"

namespace kernbench {

class IoCpu final : public ControlNode {
 public:
  static constexpr const char* description =
      "host-facing processor of an IO chiplet: fans launches and MMU messages out to cubes";
  static constexpr std::array roles{Role::io_cpu};
  struct Parameters : ControlParameters {
    Parameters() : ControlParameters(10) {}
  };
  explicit IoCpu(const ComponentInit& init);

 private:
  struct Launch {
    Transaction* request;
    std::shared_ptr<const KernelLaunch> message;
    bool running;
  };

  void arrived(Transaction& request, std::shared_ptr<const PeMessage> message) override;
  std::vector<End> ends_of(const PeMessage& message) const override;
  void failed_early(FanOut& fan_out, PeId where, const Completion& completion) override;
  bool withdrawn(const LaunchAbort& notice) override;
  void finished(const FanOut& fan_out) override;
  unsigned debug_access(tlm::tlm_generic_payload& payload, std::uint64_t offset) override;

  void start_launches();
  bool blocked(std::list<Launch>::const_iterator launch) const;
  Fs target_start(const KernelLaunch& launch) const;

  std::list<Launch>
      launches_;  // not yet answered by all of their PEs, in the order in which they came
  TraceSignal& launches_signal_;
};

}  // namespace kernbench
