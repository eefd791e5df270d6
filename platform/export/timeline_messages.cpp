#include "platform/export/timeline_messages.h"

#include <fmt/format.h>

#include <string_view>

#include "platform/assembly/machine_root.h"
#include "platform/observe/object_tree.h"
#include "platform/topology/graph.h"

namespace kernbench {

TimelineMessages::TimelineMessages(Platform& platform, TimelineTracks& tracks,
                                   TimelineSlices& slices)
    : tracks_(tracks), slices_(slices), progress_(platform.observation().message_progress, *this) {
  for (const Component* component : components_of(platform)) {
    const NodeId node = component->node();
    if (node != no_node && platform.graph().node(node).kind == Role::pe_ipcq)
      pes_[scope_in_machine(*component)];
  }
}

TimelineLanes& TimelineMessages::lanes_of(const std::string& node, const char* operation) {
  const std::string name = fmt::format("{} {}", node, operation);
  std::unique_ptr<TimelineLanes>& lanes = lanes_[name];
  if (lanes == nullptr) {
    lanes = std::make_unique<TimelineLanes>(tracks_, node.substr(0, node.rfind('.')), name,
                                            TimelineRank::operation);
  }
  return *lanes;
}

void TimelineMessages::executed(const ExecutedOp& op) {
  if (op.node == nullptr) return;
  using Point = TimelineFlow::Point;
  const std::string_view name = op.name;
  TimelineFlows flows;
  const TimelineSlices::Open slice =
      slices_.begin(SliceKind::operation, lanes_of(name_in_machine(*op.node), op.name), op.t_start,
                    op.name, {{"bytes", op.bytes}});
  const auto pe = pes_.find(scope_in_machine(*op.node));
  if (pe != pes_.end() && name == "ipcq_send") {
    const std::uint64_t arrow = slice == 0 ? 0 : slices_.new_flow();
    if (arrow != 0) flows.push_back({arrow, Point::first});
    pe->second.sent.push_back(arrow);
  } else if (pe != pes_.end() && name == "ipcq_recv") {
    if (pe->second.consumed != 0) slices_.arrive(slice, op.t_end, "received", pe->second.consumed);
    pe->second.consumed = 0;
  }
  slices_.end(slice, op.t_end, {}, flows);
}

std::uint64_t TimelineMessages::left(const IpcqMessage& message) {
  const auto pe = pes_.find(message.source.str());
  if (pe == pes_.end() || pe->second.sent.empty()) return 0;
  const std::uint64_t arrow = pe->second.sent.front();
  pe->second.sent.pop_front();
  return arrow;
}

void TimelineMessages::ended(const IpcqMessage& message, std::uint64_t arrow) {
  if (arrow != 0) arrows_[{message.installation, message.dst_addr, message.sender_seq}] = arrow;
}

void TimelineMessages::write(const MessageProgress& step) {
  if (step.step != MessageProgress::Step::consumed) return;
  const auto pe = pes_.find(scope_in_machine(*step.node));
  if (pe == pes_.end()) return;
  const auto arrow = arrows_.extract({step.installation, step.slot, step.number});
  pe->second.consumed = arrow.empty() ? 0 : arrow.mapped();
}

}  // namespace kernbench
