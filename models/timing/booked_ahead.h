// Booked time of a serial resource ahead of an instant: a link, a pseudo-channel of an HBM.
//
// Bookings are made in order and without overlap, so all that lies ahead of `now` is one stretch
// from now to the resource's available_at, less the gaps in it: before a flit that was handed over
// for a later time, and changes of direction. The total time booked less this is the time for which
// the resource has been busy by `now`, exactly.
#pragma once

#include <algorithm>

#include "models/base/units.h"
#include "models/protocol/ring_buffer.h"

namespace kernbench {

class BookedAhead {
 public:
  // Nothing is booked in [from, until), with which a booking made at `now` begins.
  void add_gap(Fs now, Fs from, Fs until) {
    while (!gaps_.empty() && gaps_.front().until <= now) gaps_.pop_front();
    if (from < until && now < until) gaps_.push_back({from, until});
  }

  // The bookings that began after `available_at` are void.
  void truncate(Fs available_at) {
    while (!gaps_.empty() && gaps_.back().from >= available_at) gaps_.pop_back();
  }

  // Not earlier than the last booking.
  Fs after(Fs now, Fs available_at) const {
    if (available_at <= now) return 0;
    Fs ahead = available_at - now;
    for (std::size_t i = 0; i < gaps_.size(); ++i) {
      if (gaps_[i].until > now) ahead -= gaps_[i].until - std::max(gaps_[i].from, now);
    }
    return ahead;
  }

 private:
  struct Gap {
    Fs from = 0, until = 0;
  };
  RingBuffer<Gap> gaps_;
};

}  // namespace kernbench
