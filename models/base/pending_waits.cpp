#include "models/base/pending_waits.h"

#include <algorithm>
#include <tuple>

namespace kernbench {

std::size_t PendingWaits::open(std::string_view who, std::string_view what, Fs since,
                               std::function<std::string()> state) {
  std::size_t ticket = slots_.size();
  if (free_.empty()) {
    slots_.emplace_back();
  } else {
    ticket = free_.back();
    free_.pop_back();
  }
  Slot& slot = slots_[ticket];
  slot.waiter.who = who;
  slot.waiter.what = what;
  slot.waiter.since = since;
  slot.waiter.state = std::move(state);
  slot.used = true;
  ++open_;
  ++opened_;
  return ticket;
}

void PendingWaits::close(std::size_t ticket) {
  slots_[ticket].used = false;
  free_.push_back(ticket);
  --open_;
}

std::vector<PendingWaits::Waiter> PendingWaits::waiters() const {
  std::vector<Waiter> list;
  for (const Slot& slot : slots_) {
    if (slot.used) list.push_back(slot.waiter);
  }
  std::sort(list.begin(), list.end(), [](const Waiter& a, const Waiter& b) {
    return std::tie(a.who, a.since) < std::tie(b.who, b.since);
  });
  return list;
}

}  // namespace kernbench
