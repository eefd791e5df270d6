#include "models/base/instant_end.h"

#include <algorithm>

namespace kernbench {

InstantEnd::InstantEnd(const sc_core::sc_module_name& name) : sc_module(name), look_("look_event") {
  SC_HAS_PROCESS(InstantEnd);
  SC_METHOD(look);
  sensitive << look_;
  dont_initialize();
}

void InstantEnd::ask(Client& client, std::uint32_t rank) {
  const auto place = std::lower_bound(asked_.begin(), asked_.end(), rank, [](const Asked& a, std::uint32_t r) { return a.rank < r; });
  if (place != asked_.end() && place->client == &client) return;
  if (asked_.empty()) look_.notify(sc_core::SC_ZERO_TIME);
  asked_.insert(place, {rank, &client});
}

void InstantEnd::look() {
  if (sc_core::sc_pending_activity_at_current_time()) return look_.notify(sc_core::SC_ZERO_TIME);
  calling_.swap(asked_);
  for (const Asked& each : calling_) each.client->instant_ended();
  calling_.clear();
}

}  // namespace kernbench
