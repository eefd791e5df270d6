// M_CPU: a cube's end of the control path. Launches go on from here to the pe_cpu, MMU messages to
// the pe_mmu of every target PE in the cube; their answers go back as one, metrics merged by max
// and kept per PE.
//
// Timing (spec 4): overhead_ns per request message; answers cost nothing. target_start is passed
// through; a launch that comes without one is stamped here with now + the latency to the farthest
// of its PEs. MCPU_SRAM: an internal pair of DMA channels, read and write, of capacity 1 each; a
// memory request holds its channel for overhead_ns after its command or last flit, and is answered
// then. Not modelled: decoding, MCPU_SRAM's size and bandwidth.
#pragma once

#include "models/protocol/control_node.h"

namespace kernbench {

class MCpu final : public ControlNode {
 public:
  static constexpr const char* description =
      "a cube's control processor: fans launches and MMU messages out to PEs";
  static constexpr std::array roles{Role::m_cpu};
  struct Parameters : ControlParameters {
    Parameters() : ControlParameters(5) {}
  };
  explicit MCpu(const ComponentInit& init);

 private:
  void arrived(Transaction& request, std::shared_ptr<const PeMessage> message) override;
  std::vector<End> ends_of(const PeMessage& message) const override;
  void failed_early(FanOut& fan_out, PeId where, const Completion& completion) override;
  Fs memory_due(const Transaction& request, Fs arrival) override;
  unsigned debug_access(tlm::tlm_generic_payload& payload, std::uint64_t offset) override;

  Fs read_free_at_ = 0;
  Fs write_free_at_ = 0;
};

}  // namespace kernbench
