// SystemC tells the next pending event only, so the kernel's queue is read. An explicit
// instantiation may name private members; each Reveal puts one of them into a function of the same
// type.
#include "platform/assembly/pending_events.h"

#include <algorithm>
#include <systemc>

namespace kernbench {
namespace {

using sc_core::sc_event_timed;
using sc_core::sc_ppq_base;
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
  using Member = sc_core::sc_event* sc_event_timed::*;
  friend constexpr Member revealed(NotifiedEvent);
};
struct NotifyTime {
  using Member = sc_core::sc_time sc_event_timed::*;
  friend constexpr Member revealed(NotifyTime);
};

template struct Reveal<Queue, &sc_simcontext::m_timed_events>;
template struct Reveal<Heap, &sc_ppq_base::m_heap>;
template struct Reveal<NotifiedEvent, &sc_event_timed::m_event>;
template struct Reveal<NotifyTime, &sc_event_timed::m_notify_time>;

}  // namespace

Fs latest_pending_event() {
  const sc_ppq_base& queue = *(sc_core::sc_get_curr_simcontext()->*revealed(Queue{}));
  void* const* heap = queue.*revealed(Heap{});
  Fs latest = 0;
  for (int i = 1; i <= queue.size(); ++i) {
    const auto& event = *static_cast<const sc_event_timed*>(heap[i]);
    if (event.*revealed(NotifiedEvent{}) != nullptr)
      latest = std::max<Fs>(latest, (event.*revealed(NotifyTime{})).value());
  }
  return latest;
}

}  // namespace kernbench
