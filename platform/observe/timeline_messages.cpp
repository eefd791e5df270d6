#include "platform/observe/timeline_messages.h"

#include <fmt/format.h>

#include <string_view>

#include "platform/assembly/machine_root.h"
#include "platform/observe/object_tree.h"

namespace kernbench {
namespace {

std::string path_of(const sc_core::sc_object& engine) {
  const std::string name = name_in_machine(engine);
  return name.substr(0, name.rfind('.'));
}

// The pair of "pair3_head" for `counter` "_head"; -1: another signal.
int pair_of(const std::string& name, std::string_view counter) {
  constexpr std::string_view start = "pair";
  if (name.size() <= start.size() + counter.size() || name.compare(0, start.size(), start) != 0 ||
      name.compare(name.size() - counter.size(), counter.size(), counter) != 0)
    return -1;
  return std::stoi(name.substr(start.size()));
}

}  // namespace

class TimelineMessages::PairSignal final : public tlm::tlm_analysis_if<TraceSignal> {
 public:
  using Moved = void (TimelineMessages::*)(Pe&, std::size_t, std::uint64_t);
  PairSignal(TimelineMessages& messages, Moved moved, Pe& pe, std::size_t pair, TraceSignal& signal)
      : messages_(messages), moved_(moved), pe_(pe), pair_(pair),
        binding_(signal.changes(), *this) {}
  void write(const TraceSignal& signal) override {
    (messages_.*moved_)(pe_, pair_, signal.value());
  }

 private:
  TimelineMessages& messages_;
  Moved moved_;
  Pe& pe_;
  std::size_t pair_;
  AnalysisBinding<TraceSignal> binding_;
};

TimelineMessages::TimelineMessages(Platform& platform, TimelineTracks& tracks,
                                   TimelineSlices& slices)
    : tracks_(tracks), slices_(slices) {
  for (Component* component : components_of(platform)) {
    const NodeId node = component->node();
    if (node == no_node || platform.graph().node(node).kind != Role::pe_ipcq) continue;
    Pe& pe = pes_[path_of(*component)];
    for (TraceSignal& signal : component->signals()) {
      const int head = pair_of(signal.name(), "_head"), tail = pair_of(signal.name(), "_tail");
      if (head < 0 && tail < 0) continue;
      const auto pair = static_cast<std::size_t>(std::max(head, tail));
      if (pe.pairs.size() <= pair) pe.pairs.resize(pair + 1);
      signals_.push_back(std::make_unique<PairSignal>(
          *this, head >= 0 ? &TimelineMessages::head_moved : &TimelineMessages::tail_moved, pe,
          pair, signal));
    }
  }
}

TimelineMessages::~TimelineMessages() = default;

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
  const auto pe = pes_.find(path_of(*op.node));
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

// The head has moved just before, unless the message was dropped.
void TimelineMessages::ended(const PeId& destination, std::uint64_t flow) {
  const auto found = pes_.find(destination.str());
  if (found == pes_.end() || !found->second.arrived) return;
  Pe& pe = found->second;
  pe.arrived = false;
  Pair& pair = pe.pairs[pe.arrived_pair];
  if (flow != 0) pair.arrows[pair.head - 1] = flow;
}

void TimelineMessages::head_moved(Pe& pe, std::size_t number, std::uint64_t head) {
  Pair& pair = pe.pairs[number];
  if (head < pair.head) pair.arrows.clear();  // installed again
  pe.arrived = head > pair.head;
  pe.arrived_pair = number;
  pair.head = head;
}

// Only the receive that consumes the first of the messages moves the tail.
void TimelineMessages::tail_moved(Pe& pe, std::size_t number, std::uint64_t tail) {
  Pair& pair = pe.pairs[number];
  if (tail > pair.tail) {
    const auto first = pair.arrows.find(pair.tail);
    pe.consumed = first == pair.arrows.end() ? 0 : first->second;
    pair.arrows.erase(pair.arrows.begin(), pair.arrows.lower_bound(tail));
  }
  pair.tail = tail;
}

}  // namespace kernbench
