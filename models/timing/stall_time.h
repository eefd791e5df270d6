// Stall time of a server up to an instant: time for which messages, requests or tasks were queued
// at it, summed. Bookings ahead of the instant do not count; stalls in progress count up to the
// instant (spec 11.3).
#pragma once

#include <algorithm>
#include <cstddef>

#include "models/base/units.h"
#include "models/protocol/ring_buffer.h"

namespace kernbench {

// Stalls at a server that knows their ends when it accepts a message: a link, a pseudo-channel.
class BookedStalls {
 public:
  // A message that is handed over at `now` is queued in [from, until); `until` ascends.
  void book(Fs now, Fs from, Fs until) {
    if (from >= until) return;
    total_ += until - from;
    while (!ahead_.empty() && ahead_.front().until <= now) ahead_.pop_front();
    if (until > now) ahead_.push_back({from, until});
  }
  Fs until(Fs now) const {
    Fs time = total_;
    for (std::size_t i = 0; i < ahead_.size(); ++i) {
      if (ahead_[i].until > now) time -= ahead_[i].until - std::max(ahead_[i].from, now);
    }
    return time;
  }

 private:
  struct Stall {
    Fs from = 0, until = 0;
  };
  Fs total_ = 0;
  RingBuffer<Stall> ahead_;  // stalls that end after the last booking, and older ones
};

// Time for which the entries of a queue, which know since when they are in it, have waited by
// `now`.
template <class Queue>
Fs stalled_in(const Queue& queue, Fs now) {
  Fs time = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) time += now - std::min(queue[i].since, now);
  return time;
}

}  // namespace kernbench
