// ControlNode: barriers of kernels (spec 4.5), up to the node with all PEs of the launch below it
// and down again.
#include <algorithm>

#include "models/protocol/control_node.h"

namespace kernbench {

void ControlNode::take_barrier(const BarrierReached& notice, NodeId end) {
  if (notice.from != no_node) return reached_barrier_elsewhere(notice);
  const auto entry = std::find_if(fan_outs_.begin(), fan_outs_.end(),
                                  [&](const FanOut& each) { return each.sent == notice.launch; });
  if (entry == fan_outs_.end()) return;
  bool all = true;
  for (End& each : entry->ends) {
    each.at_barrier = each.at_barrier || each.node == end;
    all = all && each.at_barrier;
  }
  if (!all) return;
  for (End& each : entry->ends) each.at_barrier = false;
  if (!entry->ended_early) reached_barrier(*entry);
}

void ControlNode::pass_on_barrier(const FanOut& fan_out) {
  auto notice = std::make_shared<BarrierReached>();
  notice->launch = std::static_pointer_cast<const KernelLaunch>(fan_out.received);
  post(fan_out.request->route().path->reverse(), std::move(notice));
}

ControlNode::FanOut* ControlNode::fan_out_of(const KernelLaunch& received) {
  const auto found = std::find_if(fan_outs_.begin(), fan_outs_.end(), [&](const FanOut& entry) {
    return entry.received.get() == &received;
  });
  return found == fan_outs_.end() ? nullptr : &*found;
}

void ControlNode::end_barrier(const FanOut& fan_out) {
  const auto notice = std::make_shared<BarrierPassed>();
  notice->launch = std::static_pointer_cast<const KernelLaunch>(fan_out.sent);
  for (const End& end : fan_out.ends)
    post(machine_services_.routes().control_path(node(), end.node), notice);
}

}  // namespace kernbench
