#include "models/pe/credit_network.h"

#include <fmt/format.h>

#include "models/base/errors.h"

namespace kernbench {

CreditNetwork::CreditNetwork(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
  from_pe_ipcqs_.bind(static_cast<ServiceForward<CreditDelivery>&>(*this));
  to_pe_ipcqs_.bind(static_cast<ServiceBackward<CreditDelivery>&>(*this));
}

void CreditNetwork::add(const PeId& where, Component& ipcq, ProtocolMonitors* monitors) {
  auto* target = find_service<CreditDelivery>(ipcq);
  if (target == nullptr) return;
  ports_.emplace(where, static_cast<int>(ports_.size()));
  auto& target_socket = target->add_socket("credit_network");
  if (monitors == nullptr) {
    to_pe_ipcqs_.bind(target_socket);
  } else {
    monitors->bind<ServiceMonitor<CreditDelivery>>(to_pe_ipcqs_, target_socket);
  }
  for (ServiceInitiatorBase* initiator : ipcq.service_initiators()) {
    if (auto* sender = dynamic_cast<ServiceInitiatorSocket<CreditDelivery>*>(initiator))
      sender->bind(from_pe_ipcqs_);
  }
}

tlm::tlm_sync_enum CreditNetwork::nb_transport_fw(CreditDelivery& credit, tlm::tlm_phase& phase,
                                                  sc_core::sc_time& delay) {
  const auto found = ports_.find(credit.sender);
  if (found == ports_.end())
    throw ModelError(
        fmt::format("{}: a credit for {}, which takes none", name(), credit.sender.str()));
  return to_pe_ipcqs_[found->second]->nb_transport_fw(credit, phase, delay);
}

void CreditNetwork::b_transport(CreditDelivery&, sc_core::sc_time&) {
  not_in_this_service("b_transport", CreditDelivery::service);
}

}  // namespace kernbench
