#include "models/noc/wire.h"

namespace kernbench {

Wire::Wire(const sc_core::sc_module_name& name, const Rational& bw_gbs, Fs propagation, std::uint32_t flit_bytes)
    : sc_core::sc_module(name), propagation_(propagation), service_(bw_gbs, flit_bytes), in("in"), out("out") {
  in.bind(static_cast<FabricForward&>(*this));
  out.bind(static_cast<FabricBackward&>(*this));
}

void Wire::accept(Transaction& transaction, FlitRun run, Fs handed_over) {
  const RouteExtension& route = transaction.route();
  Fs start = handed_over;
  Fs end = handed_over;
  if (!route.is_control()) {
    const std::uint32_t bytes = route.bytes_of(run.first);
    const Fs service = service_.of(bytes);
    end = advance(state_, handed_over, service);
    start = end - service;
    statistics_.bytes += bytes;
    ++statistics_.flits;
    statistics_.busy_fs += service;
  } else {
    if (!route.host_control) start = end = control_departure(state_, handed_over);
    ++statistics_.control_messages;
  }
  if (observer_ != nullptr) observer_->carried(*this, transaction, run, start, end);
  far_end_->accept(transaction, run, end + propagation_);
}

tlm::tlm_sync_enum Wire::nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) {
  not_inside_the_fabric("nb_transport_fw");
}

tlm::tlm_sync_enum Wire::nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) {
  not_inside_the_fabric("nb_transport_bw");
}

void Wire::b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) { not_inside_the_fabric("b_transport"); }

}  // namespace kernbench
