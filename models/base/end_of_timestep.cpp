#include "models/base/end_of_timestep.h"

#include <algorithm>

namespace kernbench {

EndOfTimestep::EndOfTimestep(const sc_core::sc_module_name& name)
    : sc_module(name), look_("look_event") {
  SC_HAS_PROCESS(EndOfTimestep);
  SC_METHOD(look);
  sensitive << look_;
  dont_initialize();
}

void EndOfTimestep::add(std::vector<Asked>& list, Listener& listener, std::uint32_t rank) {
  const auto place = std::lower_bound(list.begin(), list.end(), rank,
                                      [](const Asked& a, std::uint32_t r) { return a.rank < r; });
  if (place != list.end() && place->listener == &listener) return;
  if (asked_.empty() && asked_when_quiescent_.empty()) look_.notify(sc_core::SC_ZERO_TIME);
  list.insert(place, {rank, &listener});
}

template <class Call>
void EndOfTimestep::call_all(std::vector<Asked>& list, Call call) {
  calling_.swap(list);
  for (const Asked& each : calling_) call(*each.listener);
  calling_.clear();
}

void EndOfTimestep::look() {
  if (sc_core::sc_pending_activity_at_current_time()) return look_.notify(sc_core::SC_ZERO_TIME);
  if (asked_.empty())
    return call_all(asked_when_quiescent_,
                    [](Listener& listener) { listener.timestep_quiescent(); });
  call_all(asked_, [](Listener& listener) { listener.end_of_timestep(); });
  if (!asked_when_quiescent_.empty()) look_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace kernbench
