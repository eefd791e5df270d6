#include "models/protocol/protocol_monitor.h"

#include <fmt/format.h>

namespace kernbench {

void ProtocolMonitor::violation(const std::string& what) const {
  connection_.violated(connection_.near_end, fmt::format("protocol violation towards {}: {}",
                                                         connection_.far_end.name(), what));
}

std::string ProtocolMonitor::held(const char* service, Fs since, const char* missing,
                                  bool by_near_end) const {
  const auto component = [](const sc_core::sc_object& socket) {
    const sc_core::sc_object* parent = socket.get_parent_object();
    return (parent == nullptr ? socket : *parent).name();
  };
  const char* near = component(connection_.near_end);
  const char* far = component(connection_.far_end);
  return fmt::format("{} holds {} '{}' of {} since {}: {} is missing", by_near_end ? near : far,
                     by_near_end ? "the grant of" : "the request", service,
                     by_near_end ? far : near, format_ns(since), missing);
}

std::string ProtocolMonitors::unfinished() const {
  std::string text;
  for (const auto& monitor : all_) {
    const std::string line = monitor->unfinished();
    if (!line.empty()) text += fmt::format("\n  {}: {}", monitor->name(), line);
  }
  return text;
}

std::vector<std::string> ProtocolMonitors::held() const {
  std::vector<std::string> lines;
  for (const auto& monitor : all_) monitor->add_held(lines);
  return lines;
}

// First node of the path that has not handed over the whole leg, or its target.
ProtocolMonitors::Holder ProtocolMonitors::holder_of(const Transaction& transaction) const {
  const std::vector<PathHop>& hops = transaction.route().path->hops();
  // By hop: traversals of the edge to it, as the last monitor of the edge has recorded them.
  std::vector<const FabricMonitor::Traversal*> traversals(hops.size());
  for (const auto& monitor : all_) {
    const auto* fabric = dynamic_cast<const FabricMonitor*>(monitor.get());
    const FabricMonitor::Traversal* traversal =
        fabric == nullptr ? nullptr : fabric->traversal_of(transaction);
    if (traversal == nullptr) continue;
    for (std::size_t i = 1; i < hops.size(); ++i) {
      if (!fabric->joins(hops[i - 1].node, hops[i].node)) continue;
      if (traversals[i] == nullptr || traversal->last_arrival >= traversals[i]->last_arrival)
        traversals[i] = traversal;
    }
  }
  Holder holder{hops.front().node, transaction.route().key.issued};
  for (std::size_t i = 1; i < hops.size(); ++i) {
    if (traversals[i] == nullptr || traversals[i]->passed < traversals[i]->of) break;
    holder = {hops[i].node, traversals[i]->last_arrival};
  }
  return holder;
}

// "monitor_sip0_cube0_pe0_pe_scheduler_from_pe_gemm_accel_slot".
std::string ProtocolMonitors::name_of_monitor(const sc_core::sc_object& far_end) {
  std::string name = fmt::format("monitor_{}", far_end.name());
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

// --- Fabric

FabricMonitor::FabricMonitor(const sc_core::sc_module_name& name, const Connection& connection,
                             NodeId from, NodeId to, Times times, InputBuffer buffer)
    : ProtocolMonitor(name, connection), from_(from), to_(to), times_(times), buffer_(buffer),
      channels_(buffer.virtual_channels) {
  in.bind(static_cast<FabricForward&>(*this));
  out.bind(static_cast<FabricBackward&>(*this));
}

std::string FabricMonitor::unfinished() const {
  if (begun_ > 0) return fmt::format("{} messages are incomplete", begun_);
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    const std::size_t away = channels_[i].away - channels_[i].coming.size();
    if (away > 0)
      return fmt::format("{} credits of virtual channel {} have not been returned", away, i);
  }
  return "";
}

const FabricMonitor::Traversal* FabricMonitor::traversal_of(const Transaction& transaction) const {
  const auto found = traversals_.find(&transaction);
  if (found == traversals_.end() || found->second.use != transaction.use() ||
      found->second.leg != transaction.route().leg)
    return nullptr;
  return &found->second;
}

void FabricMonitor::accept(Transaction& transaction, FlitRun run, Fs arrival) {
  check(transaction, run, arrival, arrival);
  out->accept(transaction, run, arrival);
}

void FabricMonitor::accept_run(Transaction& transaction, FlitRun run, Fs arrival, Fs spacing) {
  check(transaction, run, arrival, arrival + (run.count - 1) * spacing);
  out->accept_run(transaction, run, arrival, spacing);
}

void FabricMonitor::recall(Transaction& transaction, std::uint32_t position, std::uint32_t flit) {
  const auto found = traversals_.find(&transaction);
  if (traversal_of(transaction) == nullptr || found->second.passed <= flit)
    return violation(fmt::format("flit {} is withdrawn, and has not been handed over", flit));
  Traversal& traversal = found->second;
  if (traversal.passed == traversal.of) ++begun_;
  traversal.passed = flit;
  if (flit == 0) {
    traversals_.erase(found);
    --begun_;
  }
  last_flit_ = std::min(last_flit_, Component::now());
  out->recall(transaction, position, flit);
}

void FabricMonitor::check(const Transaction& transaction, FlitRun run, Fs arrival,
                          Fs last_arrival) {
  if (transaction.get_ref_count() == 0) violation("a transaction without an owner");
  const RouteExtension& route = transaction.route();
  check_place(route, run);
  check_flits(transaction, run, last_arrival);
  if (buffer_.finite() && run.count > 0) check_credits(transaction, run, arrival);
  check_time(route, arrival, last_arrival);
}

void FabricMonitor::check_place(const RouteExtension& route, FlitRun run) {
  if (route.path == nullptr) return violation("a transaction without a path");
  const std::vector<PathHop>& hops = route.path->hops();
  if (run.position == 0 || run.position >= hops.size())
    return violation(fmt::format("position {} of a path of {} nodes", run.position, hops.size()));
  if (hops[run.position].node != to_ || hops[run.position - 1].node != from_)
    violation(fmt::format("position {} of the path is another edge", run.position));
}

void FabricMonitor::check_flits(const Transaction& transaction, FlitRun run, Fs arrival) {
  const RouteExtension& route = transaction.route();
  const bool control = route.is_control();
  if (control != (run.count == 0))
    return violation(fmt::format("{} flits handed over of a leg of {}", run.count, route.flits));
  const Traversal* before = traversal_of(transaction);
  Traversal now{transaction.use(), route.leg, before == nullptr ? 0 : before->passed,
                control ? 1 : route.flits, arrival};
  if (now.passed == now.of)
    return violation(control ? "a control message that has passed already"
                             : "a message that has passed already");
  if (!control && run.first != now.passed)
    violation(fmt::format("flit {} where flit {} is next", run.first, now.passed));
  now.passed = control ? 1 : run.first + run.count;
  if (now.passed > now.of) violation(fmt::format("flit {} of {}", now.passed, now.of));
  const bool whole = now.passed >= now.of;
  if (before == nullptr && !whole) ++begun_;
  if (before != nullptr && whole) --begun_;
  traversals_[&transaction] = now;
}

void FabricMonitor::check_credits(const Transaction& transaction, FlitRun run, Fs at) {
  if (run.virtual_channel >= channels_.size())
    return violation(
        fmt::format("virtual channel {} of {}", run.virtual_channel, channels_.size()));
  Channel& channel = channels_[run.virtual_channel];
  if (channel.holder != (run.first == 0 ? nullptr : &transaction))
    violation(fmt::format("a flit in virtual channel {}, which another message holds",
                          run.virtual_channel));
  const bool last = run.first + run.count >= transaction.route().flits;
  channel.holder = last ? nullptr : &transaction;
  while (!channel.coming.empty() && channel.coming.front() <= at) {
    channel.coming.pop_front();
    --channel.away;
  }
  channel.away += run.count;
  if (channel.away > buffer_.flits)
    violation(fmt::format("a flit without a credit of virtual channel {}", run.virtual_channel));
}

void FabricMonitor::credit(std::uint32_t virtual_channel, std::uint32_t flits, Fs at) {
  if (virtual_channel >= channels_.size())
    return violation(
        fmt::format("a credit of virtual channel {} of {}", virtual_channel, channels_.size()));
  Channel& channel = channels_[virtual_channel];
  if (at < Component::now()) violation("a credit in the past");
  if (channel.away < channel.coming.size() + flits)
    return violation(fmt::format("a credit of virtual channel {} that has been returned already",
                                 virtual_channel));
  for (std::uint32_t i = 0; i < flits; ++i) channel.coming.insert_sorted(at, std::less<>());
  in->credit(virtual_channel, flits, at);
}

// Control messages leave between the flits of a run, which are announced before.
void FabricMonitor::check_time(const RouteExtension& route, Fs arrival, Fs last_arrival) {
  const bool control = route.is_control();
  Fs& last = route.host_control ? last_host_control_ : control ? last_control_ : last_flit_;
  Fs before = last;
  if (!control || (!route.host_control && !takes_runs()))
    before = std::max(last_flit_, last_control_);
  if (times_.not_in_past && arrival < Component::now()) violation("an arrival in the past");
  if (times_.in_order && arrival < before)
    violation(
        fmt::format("an arrival at {} after one at {}", format_ns(arrival), format_ns(before)));
  last = last_arrival;
}

}  // namespace kernbench
