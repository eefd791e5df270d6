#include "models/protocol/fabric_calendar.h"

#include <algorithm>

#include "models/protocol/fabric_node.h"

namespace kernbench {

FabricCalendar::FabricCalendar(const sc_core::sc_module_name& name)
    : sc_module(name), event_("event") {
  SC_HAS_PROCESS(FabricCalendar);
  SC_METHOD(run);
  sensitive << event_;
  dont_initialize();
}

void FabricCalendar::add(FabricNode& node, Fs due, Fs now) {
  if (due == now) {
    now_.push_back({&node, sc_core::sc_delta_count()});
  } else {
    entries_.push_back({due, &node});
    std::push_heap(entries_.begin(), entries_.end(), Later());
  }
  if (due >= armed_) return;
  armed_ = due;
  event_.notify(sc_core::sc_time::from_value(due - now));
}

void FabricCalendar::pop() {
  std::pop_heap(entries_.begin(), entries_.end(), Later());
  entries_.pop_back();
}

// Nodes that ask in this delta cycle for this instant, before or while others are woken, follow in
// the next one.
void FabricCalendar::run() {
  armed_ = 0;
  const Fs now = Component::now();
  const std::uint64_t delta = sc_core::sc_delta_count();
  const auto take = [this](FabricNode& node, Fs due) {
    if (node.armed_ != due) return;  // void, or taken already
    node.armed_ = 0;
    woken_.push_back(&node);
  };
  const auto rest = std::find_if(now_.begin(), now_.end(),
                                 [delta](const DueNow& each) { return each.asked_in == delta; });
  std::for_each(now_.begin(), rest, [&](const DueNow& each) { take(*each.node, now); });
  now_.erase(now_.begin(), rest);
  for (; !entries_.empty() && entries_.front().due <= now; pop())
    take(*entries_.front().node, entries_.front().due);
  for (FabricNode* node : woken_) node->wake();
  woken_.clear();
  rearm(now);
}

void FabricCalendar::rearm(Fs now) {
  while (!entries_.empty() && entries_.front().node->armed_ != entries_.front().due) pop();
  armed_ = never_fs;
  if (!now_.empty()) {
    armed_ = now;
    event_.notify(sc_core::SC_ZERO_TIME);
  } else if (!entries_.empty()) {
    armed_ = entries_.front().due;
    event_.notify(sc_core::sc_time::from_value(armed_ - now));
  }
}

std::vector<const FabricNode*> FabricCalendar::due_now() const {
  std::vector<const FabricNode*> nodes;
  for (const DueNow& each : now_) nodes.push_back(each.node);
  return nodes;
}

}  // namespace kernbench
