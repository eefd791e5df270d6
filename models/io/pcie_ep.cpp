#include "models/io/pcie_ep.h"

#include <algorithm>

namespace kernbench {

PcieEp::PcieEp(const ComponentInit& init) : EndPoint(init) {
  add_statistic("injected", "transactions of the host that started here", Quantity::count,
                injected_);
  add_statistic("passed", "messages passed through", Quantity::count, passed());
  add_statistic("completed", "responses that ended here", Quantity::count, completed_);
}

tlm::tlm_sync_enum PcieEp::nb_transport_fw(Transaction& transaction, tlm::tlm_phase& /*phase*/) {
  ++injected_;
  if (arrivals_.push_message(node(), transaction, {}, now())) rearm();
  show();
  return tlm::TLM_COMPLETED;
}

void PcieEp::accepted(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival) {
  const RouteExtension& route = transaction.route();
  if (run.position < route.path->target_position()) {
    FabricNode::accepted(port, transaction, run, arrival);
    return;
  }
  const bool whole = run.first + run.count == route.flits;
  if (whole && responses_.push_message(arrivals_.upstream(port), transaction, run, arrival))
    rearm();
}

Fs PcieEp::next_due() const { return std::min(responses_.control_due(), EndPoint::next_due()); }

void PcieEp::serve() {
  complete_responses();
  EndPoint::serve();
}

void PcieEp::complete_responses() {
  responses_.take_control(now(), 0, [this](const Arrival& arrival) {
    ++completed_;
    report_passage(arrival, arrival.time);
    arrival.transaction->route().listener->completed(*arrival.transaction);
  });
}

}  // namespace kernbench
