// PCIe endpoint of a SIP: the host's transactions start and end here, and traffic between SIPs
// passes through.
//
// Timing (spec 2.6, endpoint.h): a message of the host leaves overhead_ns after its issue, a
// transit message overhead_ns after the arrival of its last flit (or latency_ns). The end of a
// response costs nothing. A message that starts here has this node as its upstream. Not modelled:
// PCIe packets, credits, ordering rules.
//
// Base class: an endpoint with other times derives from it, its Parameters from these, and
// overrides injection_time().
#pragma once

#include "models/base/log.h"
#include "models/io/endpoint.h"
#include "models/protocol/pe_services.h"

namespace kernbench {

class PcieEp : public Endpoint, private ServiceProvider<Transaction> {
 public:
  static constexpr const char* description = "PCIe end point of a SIP";
  static constexpr std::array roles{Role::pcie_ep};
  explicit PcieEp(const ComponentInit& init);

 protected:
  // Override point: time from the issue of a transaction of the host to its arrival at this node;
  // called once per transaction.
  virtual Fs injection_time(const Transaction& /*transaction*/) { return 0; }

 private:
  tlm::tlm_sync_enum nb_transport_fw(Transaction& transaction, tlm::tlm_phase& phase) override;
  void accepted(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival) final;
  bool takes_runs() const final { return true; }
  void accepted_run(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival,
                    Fs spacing) final;
  void recalled(std::uint32_t port, Transaction& transaction, std::uint32_t position,
                std::uint32_t flit) final;
  Fs next_due() const override;
  void serve() override;
  void complete_responses();

  ArrivalQueue responses_{ArrivalQueue::Forwarding::store_and_forward};  // responses that end here
  ServiceTarget<Transaction> requests_{*this, *this};
  std::uint64_t injected_ = 0;
  std::uint64_t completed_ = 0;
  Log log_{*this};
};

}  // namespace kernbench
