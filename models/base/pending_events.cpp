// SystemC returns the next pending event only, so the kernel's queue is read. An explicit
// instantiation may name private members; each Reveal exposes one of them through a function of the
// same type.
#include "models/base/pending_events.h"

#include <algorithm>
#include <systemc>

namespace kernbench {
namespace {

using sc_core::sc_event;
using sc_core::sc_event_timed;
using sc_core::sc_object;
using sc_core::sc_ppq_base;
using sc_core::sc_process_b;
using sc_core::sc_simcontext;

template <class Tag, typename Tag::Member member>
struct Reveal {
  friend constexpr typename Tag::Member revealed(Tag) { return member; }
};

struct Queue {
  using Member = sc_core::sc_ppq<sc_event_timed*>* sc_simcontext::*;
  friend constexpr Member revealed(Queue);
};
struct Heap {  // from 1 on
  using Member = void** sc_ppq_base::*;
  friend constexpr Member revealed(Heap);
};
struct NotifiedEvent {  // null: cancelled
  using Member = sc_event* sc_event_timed::*;
  friend constexpr Member revealed(NotifiedEvent);
};
struct NotifyTime {
  using Member = sc_core::sc_time sc_event_timed::*;
  friend constexpr Member revealed(NotifyTime);
};

struct Timeout {  // timeout of a process that waits for a time
  using Member = sc_event* sc_process_b::*;
  friend constexpr Member revealed(Timeout);
};

template struct Reveal<Queue, &sc_simcontext::m_timed_events>;
template struct Reveal<Heap, &sc_ppq_base::m_heap>;
template struct Reveal<NotifiedEvent, &sc_event_timed::m_event>;
template struct Reveal<NotifyTime, &sc_event_timed::m_notify_time>;
template struct Reveal<Timeout, &sc_process_b::m_timeout_event_p>;

// Calls found(event, time) for each timed event that is pending.
template <class Found>
void for_each_pending(Found found) {
  const sc_ppq_base& queue = *(sc_core::sc_get_curr_simcontext()->*revealed(Queue{}));
  void* const* heap = queue.*revealed(Heap{});
  for (int i = 1; i <= queue.size(); ++i) {
    const auto& timed = *static_cast<const sc_event_timed*>(heap[i]);
    const sc_event* event = timed.*revealed(NotifiedEvent{});
    if (event != nullptr) found(*event, (timed.*revealed(NotifyTime{})).value());
  }
}

// Process whose wait ends with the event; null: the event ends no wait.
const sc_process_b* waiting_for(const sc_event& event, const std::vector<sc_object*>& objects) {
  for (const sc_object* object : objects) {
    const auto* process = dynamic_cast<const sc_process_b*>(object);
    if (process != nullptr && process->*revealed(Timeout{}) == &event) return process;
    process = waiting_for(event, object->get_child_objects());
    if (process != nullptr) return process;
  }
  return nullptr;
}

}  // namespace

Fs latest_pending_event() {
  Fs latest = 0;
  for_each_pending([&](const sc_event&, Fs time) { latest = std::max(latest, time); });
  return latest;
}

bool any_event_in_the_past() {
  const sc_ppq_base& queue = *(sc_core::sc_get_curr_simcontext()->*revealed(Queue{}));
  if (queue.size() == 0) return false;
  const auto& first = *static_cast<const sc_event_timed*>((queue.*revealed(Heap{}))[1]);
  return first.*revealed(NotifyTime{}) < sc_core::sc_time_stamp();
}

std::vector<std::string> events_in_the_past() {
  std::vector<std::string> names;
  const Fs now = sc_core::sc_time_stamp().value();
  for_each_pending([&](const sc_event& event, Fs time) {
    if (time >= now) return;
    const sc_process_b* process = waiting_for(event, sc_core::sc_get_top_level_objects());
    names.push_back(process == nullptr ? event.name() : process->name());
  });
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace kernbench
