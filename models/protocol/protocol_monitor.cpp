#include "models/protocol/protocol_monitor.h"

#include <fmt/format.h>

namespace kernbench {

void ProtocolMonitor::violation(const std::string& what) const {
  connection_.violated(connection_.near_end, fmt::format("the protocol with {} is broken: {}",
                                                         connection_.far_end.name(), what));
}

std::string ProtocolMonitors::unfinished() const {
  std::string text;
  for (const auto& monitor : all_) {
    const std::string line = monitor->unfinished();
    if (!line.empty()) text += fmt::format("\n  {}: {}", monitor->name(), line);
  }
  return text;
}

// "monitor_sip0_cube0_pe0_pe_scheduler_from_pe_gemm_accel_slot".
std::string ProtocolMonitors::name_of_monitor(const sc_core::sc_object& far_end) {
  std::string name = fmt::format("monitor_{}", far_end.name());
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

// --- Fabric

FabricMonitor::FabricMonitor(const sc_core::sc_module_name& name, const Connection& connection,
                             NodeId from, NodeId to, Times times)
    : ProtocolMonitor(name, connection), from_(from), to_(to), times_(times) {
  in.bind(static_cast<FabricForward&>(*this));
  out.bind(static_cast<FabricBackward&>(*this));
}

std::string FabricMonitor::unfinished() const {
  return legs_.empty() ? "" : fmt::format("{} messages have not passed wholly", legs_.size());
}

void FabricMonitor::accept(Transaction& transaction, FlitRun run, Fs arrival) {
  if (transaction.get_ref_count() == 0) violation("a transaction that nobody owns any more");
  const RouteExtension& route = transaction.route();
  check_place(route, run);
  check_flits(transaction, run);
  check_time(route, arrival);
  out->accept(transaction, run, arrival);
}

void FabricMonitor::check_place(const RouteExtension& route, FlitRun run) {
  if (route.path == nullptr) return violation("a transaction without a path");
  const std::vector<PathHop>& hops = route.path->hops();
  if (run.position == 0 || run.position >= hops.size())
    return violation(fmt::format("position {} of a path of {} nodes", run.position, hops.size()));
  if (hops[run.position].node != to_ || hops[run.position - 1].node != from_)
    violation(fmt::format("position {} of the path is another edge", run.position));
}

void FabricMonitor::check_flits(const Transaction& transaction, FlitRun run) {
  const RouteExtension& route = transaction.route();
  if (route.is_control() != (run.count == 0))
    return violation(fmt::format("{} flits handed over of a leg of {}", run.count, route.flits));
  if (route.is_control()) return;
  auto leg = std::find_if(legs_.begin(), legs_.end(),
                          [&](const Leg& each) { return each.transaction == &transaction; });
  const std::uint32_t expected = leg == legs_.end() ? 0 : leg->next_flit;
  if (run.first != expected)
    violation(fmt::format("flit {} where flit {} is next", run.first, expected));
  if (run.first + run.count > route.flits)
    violation(fmt::format("flit {} of {}", run.first + run.count, route.flits));
  if (leg == legs_.end()) leg = legs_.insert(legs_.end(), {&transaction, 0});
  leg->next_flit = run.first + run.count;
  if (leg->next_flit >= route.flits) legs_.erase(leg);
}

void FabricMonitor::check_time(const RouteExtension& route, Fs arrival) {
  Fs& last = route.host_control ? last_host_control_ : last_arrival_;
  if (times_.not_in_past && arrival < Component::now()) violation("an arrival in the past");
  if (times_.in_order && arrival < last)
    violation(fmt::format("an arrival at {} after one at {}", format_ns(arrival), format_ns(last)));
  last = arrival;
}

}  // namespace kernbench
