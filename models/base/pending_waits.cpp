#include "models/base/pending_waits.h"

#include <algorithm>
#include <tuple>

namespace kernbench {

PendingWaits::Slot& PendingWaits::open_slot(std::size_t& ticket, const char* who, Fs since) {
  ticket = slots_.size();
  if (free_.empty()) {
    slots_.emplace_back();
  } else {
    ticket = free_.back();
    free_.pop_back();
  }
  Slot& slot = slots_[ticket];
  slot.who = who;
  slot.since = since;
  slot.used = true;
  ++open_;
  ++opened_;
  return slot;
}

std::size_t PendingWaits::open(const char* who, std::string_view what, Fs since,
                               std::function<std::string()> state) {
  std::size_t ticket = 0;
  Slot& slot = open_slot(ticket, who, since);
  slot.what = what;
  slot.what_is = nullptr;
  slot.state = std::move(state);
  return ticket;
}

std::size_t PendingWaits::open(const char* who, std::function<std::string()> what, Fs since) {
  std::size_t ticket = 0;
  Slot& slot = open_slot(ticket, who, since);
  slot.what_is = std::move(what);
  slot.state = nullptr;
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
    if (slot.used)
      list.push_back({slot.who, slot.what_is ? slot.what_is() : slot.what, slot.since, slot.state});
  }
  std::sort(list.begin(), list.end(), [](const Waiter& a, const Waiter& b) {
    return std::tie(a.who, a.since) < std::tie(b.who, b.since);
  });
  return list;
}

}  // namespace kernbench
