#include "models/noc/link.h"

#include <algorithm>

namespace kernbench {

Link::Link(const char* name, const Rational& bw_gbs, Fs propagation, std::uint32_t flit_bytes,
           const AnalysisPort<LinkTraversal>& traversals)
    : sc_core::sc_object(name), traversals_(traversals), propagation_(propagation),
      service_(bw_gbs, flit_bytes) {}

void Link::connect(FabricInitiatorSocket& upstream, FabricTargetSocket& downstream) {
  upstream.get_base_port().bind(static_cast<FabricForward&>(*this));
  downstream.get_base_port().bind(static_cast<FabricBackward&>(*this));
  upstream_ = &upstream.get_base_interface();
  downstream_ = &downstream.get_base_interface();
}

void Link::connect(FabricInitiatorSocket& upstream, FabricTargetSocket& downstream,
                   ProtocolMonitors* monitors, NodeId from, NodeId to, bool in_order,
                   InputBuffer far_buffer) {
  if (monitors == nullptr) return connect(upstream, downstream);
  using Times = FabricMonitor::Times;
  auto& before =
      monitors->add<FabricMonitor>(upstream, *this, from, to, Times{in_order, true}, far_buffer);
  auto& behind =
      monitors->add<FabricMonitor>(*this, downstream, from, to, Times{in_order, false}, far_buffer);
  upstream.bind(before.in);
  connect(before.out, behind.in);
  behind.out.bind(downstream);
}

void Link::accept(Transaction& transaction, FlitRun run, Fs handed_over) {
  const RouteExtension& route = transaction.route();
  Fs start = handed_over;
  Fs end = handed_over;
  if (!route.is_control()) {
    const std::uint32_t bytes = route.bytes_of(run.first);
    const Fs service = service_.of(bytes);
    const Fs free_at = state_.available_at;
    end = advance(state_, handed_over, service);
    start = end - service;
    const Fs now = Component::now();
    if (start > free_at && start > now) ahead_.add_gap(now, free_at, start);
    handed_over_.bytes += bytes;
    ++handed_over_.flits;
    handed_over_.busy_fs += service;
    if (run.first == 0) stalls_.book(now, handed_over, start);
  } else {
    if (!route.host_control) start = end = control_departure(state_, handed_over);
    ++handed_over_.control_messages;
  }
  if (traversals_.observed()) traversals_.write({*this, transaction, run, start, end});
  downstream_->accept(transaction, run, end + propagation_);
}

bool Link::get_direct_route(const Path& path, std::uint32_t position, DirectRoute& route) {
  route.delay += propagation_;
  if (!downstream_->get_direct_route(path, position, route)) return false;
  direct_.add(route);
  return true;
}

Link::Statistics Link::statistics() const {
  Statistics until_now = handed_over_;
  const Fs ahead = ahead_.after(Component::now(), state_.available_at);
  until_now.busy_fs -= ahead;
  until_now.stalled_fs = stalls_.until(Component::now());
  until_now.control_messages += direct_.messages();
  until_now.bytes -= std::min(service_.bytes_in(ahead), until_now.bytes);
  return until_now;
}

}  // namespace kernbench
