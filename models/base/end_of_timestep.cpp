#include "models/base/end_of_timestep.h"

#include <algorithm>

#include "models/base/component_fault.h"

namespace kernbench {
namespace {

// State of the whole simulation, of which SystemC has one per process; the first instance watches
// it.
struct {
  std::vector<EndOfTimestep*> members;
  std::size_t asked = 0;  // entries of all lists
} simulation;

}  // namespace

EndOfTimestep::EndOfTimestep(const sc_core::sc_module_name& name)
    : sc_module(name), look_("look_event") {
  SC_HAS_PROCESS(EndOfTimestep);
  SC_METHOD(look);
  sensitive << look_;
  dont_initialize();
  simulation.members.push_back(this);
}

EndOfTimestep::~EndOfTimestep() {
  auto& members = simulation.members;
  members.erase(std::find(members.begin(), members.end(), this));
  simulation.asked -= asked_.size() + asked_when_quiescent_.size();
}

void EndOfTimestep::notify_looker() {
  simulation.members.front()->look_.notify(sc_core::SC_ZERO_TIME);
}

void EndOfTimestep::add(std::vector<Asked>& list, Listener& listener, std::uint32_t rank) {
  const auto place = std::lower_bound(list.begin(), list.end(), rank,
                                      [](const Asked& a, std::uint32_t r) { return a.rank < r; });
  if (place != list.end() && place->listener == &listener) return;
  if (simulation.asked++ == 0) notify_looker();
  list.insert(place, {rank, &listener});
}

template <class Call>
void EndOfTimestep::call_all(std::vector<Asked>& list, Call call) {
  calling_.swap(list);
  simulation.asked -= calling_.size();
  for (const Asked& each : calling_) {
    try {
      call(*each.listener);
    } catch (...) {  // thrown by a listener without a guard of its own
      const auto* component = dynamic_cast<const sc_core::sc_object*>(each.listener);
      if (component == nullptr) throw;
      rethrow_from(*component);
    }
  }
  calling_.clear();
}

void EndOfTimestep::look() {
  if (sc_core::sc_pending_activity_at_current_time()) return notify_looker();
  const auto& members = simulation.members;
  if (std::any_of(members.begin(), members.end(),
                  [](const EndOfTimestep* each) { return !each->asked_.empty(); })) {
    for (EndOfTimestep* each : members)
      each->call_all(each->asked_, [](Listener& listener) { listener.end_of_timestep(); });
    if (simulation.asked > 0) notify_looker();
    return;
  }
  for (EndOfTimestep* each : members)
    each->call_all(each->asked_when_quiescent_,
                   [](Listener& listener) { listener.timestep_quiescent(); });
}

}  // namespace kernbench
