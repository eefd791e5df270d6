// Side band that returns credits to the sending PE_IPCQs (spec 8.1): one for the machine.
//
// Timing: none of its own. The receiving PE_IPCQ delivers a credit when its computed delay is over;
// the credit neither waits for nor loads links.
#pragma once

#include <map>
#include <string>
#include <systemc>

#include "models/protocol/ipcq_services.h"

namespace kernbench {

class CreditNetwork final : public sc_core::sc_module,
                            private ServiceForward<CreditDelivery>,
                            private ServiceBackward<CreditDelivery> {
 public:
  explicit CreditNetwork(const sc_core::sc_module_name& name);

  // Binds a PE_IPCQ to it, in both directions; before the end of elaboration. Nothing for a
  // component without credits.
  void add(const PeId& where, Component& ipcq, ProtocolMonitors* monitors);

 private:
  tlm::tlm_sync_enum nb_transport_fw(CreditDelivery& credit, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(CreditDelivery&, sc_core::sc_time&) override;
  unsigned transport_dbg(CreditDelivery&) override { return 0; }
  bool get_direct_mem_ptr(CreditDelivery&, tlm::tlm_dmi&) override { return false; }
  tlm::tlm_sync_enum nb_transport_bw(CreditDelivery&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  // Any number of peers each.
  tlm::tlm_base_target_socket<32, ServiceForward<CreditDelivery>, ServiceBackward<CreditDelivery>,
                              0, sc_core::SC_ZERO_OR_MORE_BOUND>
      from_pe_ipcqs_{"from_pe_ipcqs"};
  tlm::tlm_base_initiator_socket<32, ServiceForward<CreditDelivery>,
                                 ServiceBackward<CreditDelivery>, 0, sc_core::SC_ZERO_OR_MORE_BOUND>
      to_pe_ipcqs_{"to_pe_ipcqs"};
  std::map<PeId, int> ports_;  // indices in to_pe_ipcqs_
};

}  // namespace kernbench
