#include "platform/assembly/delta_watch.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "models/base/units.h"
#include "models/protocol/fabric_calendar.h"
#include "models/protocol/fabric_node.h"

namespace kernbench {
namespace {

// SystemC exposes only the running process, so the mark of runnable processes is read directly: see
// models/base/pending_events.cpp.
using sc_core::sc_process_b;

template <class Tag, typename Tag::Member member>
struct Reveal {
  friend constexpr typename Tag::Member revealed(Tag) { return member; }
};
struct NextRunnable {  // null: the process does not run in the next delta cycle
  using Member = sc_process_b* sc_process_b::*;
  friend constexpr Member revealed(NextRunnable);
};
template struct Reveal<NextRunnable, &sc_process_b::m_runnable_p>;

void add_runnable(const std::vector<sc_core::sc_object*>& objects, std::set<std::string>& names) {
  for (const sc_core::sc_object* object : objects) {
    if (const auto* calendar = dynamic_cast<const FabricCalendar*>(object)) {
      for (const FabricNode* node : calendar->due_now()) names.insert(node->name());
      continue;
    }
    add_runnable(object->get_child_objects(), names);
    const auto* process = dynamic_cast<const sc_process_b*>(object);
    if (process != nullptr && process->*revealed(NextRunnable{}) != nullptr)
      names.insert(process->name());
  }
}

}  // namespace

DeltaWatch::DeltaWatch(std::uint64_t bound) : bound_(bound) {
  if (bound_ > 0 && bound_ < large) listen();
}

void DeltaWatch::look() {
  if (bound_ > 0 && sc_core::sc_delta_count_at_current_time() >= watched_from()) listen();
}

void DeltaWatch::delta_ended() {
  if (sc_core::sc_delta_count_at_current_time() < bound_) return;
  exceeded_ = true;
  sc_core::sc_pause();
}

std::string DeltaWatch::report() {
  constexpr int further_deltas = 16;  // deltas observed to find processes that alternate
  constexpr std::size_t most_named = 8;
  std::set<std::string> names;
  for (int i = 0; i < further_deltas && sc_core::sc_pending_activity_at_current_time(); ++i) {
    add_runnable(sc_core::sc_get_top_level_objects(), names);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  std::string text;
  std::size_t named = 0;
  for (const std::string& name : names) {
    if (++named > most_named) break;
    text += (named == 1 ? "" : ", ") + name;
  }
  if (names.size() > most_named) text += fmt::format(" and {} more", names.size() - most_named);
  return fmt::format("more than {} delta cycles at {}, by {}", bound_,
                     format_ns(sc_core::sc_time_stamp().value()),
                     names.empty() ? "processes that have stopped by now" : text);
}

}  // namespace kernbench
