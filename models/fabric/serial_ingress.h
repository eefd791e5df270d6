// The inbox of a node that serves flit by flit: one serial server for data, and control messages in
// parallel (spec 2.4).
//
// Data flits are served by the policy of router_state.h in order of arrival. The service of a
// control message ends `overhead` after its arrival; the message neither waits for the server nor
// occupies it. Messages whose service ends at one instant are forwarded in order of arrival, by the
// tie rule.
//
// next_due() is the head's hand-over, not its arrival: one event per flit and node. That is safe
// because the order is final by then: a propagation is at least 1 fs, so at instant T every arrival
// up to T has been announced, and each flit that is handed over at T had arrived by T. An earlier
// arrival that is announced in the meantime becomes the head, and the owner asks again.
#pragma once

#include "models/protocol/arrival_queue.h"
#include "models/timing/router_state.h"

namespace kernbench {

class SerialIngress {
 public:
  SerialIngress(ArrivalQueue& queue, Fs overhead) : queue_(queue), overhead_(overhead) {}

  Fs overhead() const { return overhead_; }

  Fs next_due() const {
    const Fs data = data_due();
    const Fs control = control_due();
    return data < control ? data : control;
  }

  // For an owner whose later flits have an effect at their own time that need not be computed then
  // (a booking): the instant of the next other hand-over, of the last flit of a leg or run, or of a
  // control message. Flits that were due before are handed over by serve_deferred().
  Fs deferred_due() const {
    Fs due = control_due();
    queue_.for_each_head([&](const Arrival& head) {
      const bool later = head.count > 1 && !head.is_first();
      const Fs at =
          hand_over_time(state_, later ? head.last_time() : head.time, later ? 0 : hold_of(head));
      if (at < due) due = at;
    });
    return due;
  }
  // Calls hand_over(const Arrival&, Fs start, Fs at) for every arrival whose service ends at `at`,
  // up to `now`, in that order. `settle`: only for flits before the last one of a leg, up to the
  // first other hand-over.
  template <class HandOver>
  void serve_deferred(Fs now, HandOver hand_over, bool settle = false) {
    for (;;) {
      const Fs data = data_due(), control = control_due();
      if (data > now && control > now) return;
      if (data < control || (data == control && earlier(*queue_.data(), *queue_.control()))) {
        const Arrival arrival = *queue_.data();
        if (settle &&
            (arrival.is_first() || arrival.flit + 1 == arrival.transaction->route().flits))
          return;
        queue_.pop_data();
        const Fs hold = hold_of(arrival);
        advance(state_, arrival.time, hold);
        hand_over(arrival, data - hold, data);
      } else {
        if (settle) return;
        const Arrival arrival = *queue_.control();
        queue_.pop_control();
        hand_over(arrival, arrival.time, control);
      }
    }
  }

  // Time for which the flit in service has held the server by `now`; hand_over() has not been
  // called for that flit.
  Fs held(Fs now) const {
    const Arrival* head = queue_.data();
    if (head == nullptr) return 0;
    const Fs start = hand_over_time(state_, head->time, 0);
    return start < now ? std::min(now - start, hold_of(*head)) : 0;
  }

  // Time up to `now` for which first flits that have not been handed over have been queued.
  Fs stalled(Fs now) const { return queue_.age_of_first_flits(now) - held(now); }

  // Calls hand_over(const Arrival&, Fs start) for every arrival whose service ends at `now`, which
  // must not be later than next_due(). The arrival has left the queue by then; a flit's service
  // began at `start`. Inlined, so that a flit costs one call at any level of optimisation.
  template <class HandOver>
  [[gnu::always_inline]] void serve(Fs now, HandOver hand_over) {
    serve(now, hand_over, [](const Arrival&) { return false; });
  }
  // The same; hand_over_run(const Arrival&) is called for later flits of a leg that may be handed
  // over as a run. Returns false if it leaves them in the queue, where the first is then served by
  // itself.
  template <class HandOver, class HandOverRun>
  [[gnu::always_inline]] void serve(Fs now, HandOver hand_over, HandOverRun hand_over_run) {
    for (;;) {
      const bool data = data_due() <= now;
      const bool control = control_due() <= now;
      if (data && (!control || earlier(*queue_.data(), *queue_.control()))) {
        const Arrival arrival = *queue_.data();
        if (arrival.count > 1 && !arrival.is_first() && hand_over_run(arrival)) continue;
        queue_.pop_data();
        const Fs hold = hold_of(arrival);
        advance(state_, arrival.time, hold);
        hand_over(arrival, now - hold);
      } else if (control) {
        const Arrival arrival = *queue_.control();
        queue_.pop_control();
        hand_over(arrival, arrival.time);
      } else {
        return;
      }
    }
  }

 private:
  Fs hold_of(const Arrival& flit) const { return flit.is_first() ? overhead_ : 0; }
  Fs data_due() const {
    const Arrival* head = queue_.data();
    return head == nullptr ? never_fs : hand_over_time(state_, head->time, hold_of(*head));
  }
  Fs control_due() const {
    const Arrival* head = queue_.control();
    return head == nullptr ? never_fs : head->time + overhead_;
  }

  ArrivalQueue& queue_;
  Fs overhead_;
  RouterState state_;
};

}  // namespace kernbench
