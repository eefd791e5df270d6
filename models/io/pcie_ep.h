// The PCIe end point of a SIP: where the host's transactions start and end, and through which traffic between SIPs passes.
//
// Timing (spec 2.6): no serial server. What the host injects leaves overhead_ns after its issue; what passes through leaves
// overhead_ns after its last flit came; all flits at once. Nothing is paid where a response ends. With cut_through, what passes
// through is served flit by flit as in a transit; what is injected still neither waits nor holds. What leaves at one instant goes
// in order of (arrival or issue, upstream name, id); what starts here counts this node as its upstream.
// Not modelled: PCIe packets, credits, ordering rules.
#pragma once

#include "models/protocol/fabric_node.h"
#include "models/protocol/injector.h"
#include "models/timing/serial_ingress.h"

namespace kernbench {

class PcieEp final : public FabricNode, public Injector {
 public:
  static constexpr const char* description = "PCIe end point of a SIP";
  static constexpr std::array roles{Role::pcie_ep};
  static ParameterSchema schema();
  explicit PcieEp(const ComponentInit& init);

  void inject(TransactionHandle transaction) override;

 private:
  void accepted(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival) override;
  Fs next_due() const override;
  void serve() override;
  void complete_responses();
  void pass_on(const Arrival& arrival);

  bool cut_through_;
  SerialIngress passing_;
  ArrivalQueue responses_{ArrivalQueue::Keep::last_flit};  // that end here
  Fs settled_ = never_fs;                                  // the instant for which serve() has waited one delta
  std::uint64_t injected_ = 0;
  std::uint64_t passed_ = 0;
  std::uint64_t completed_ = 0;
};

}  // namespace kernbench
