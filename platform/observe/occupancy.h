// Holders of a serial resource (a link, a pseudo-channel) by time, as far back as queries may
// reach.
#pragma once

#include <algorithm>

#include "models/base/units.h"
#include "models/protocol/ring_buffer.h"
#include "models/protocol/transaction.h"

namespace kernbench {

class Occupancy {
 public:
  // In ascending order, without overlap.
  void add(const Transaction& holder, Fs start, Fs end) {
    if (start == end) return;
    if (!spans_.empty() && spans_.back().holder == &holder && spans_.back().end == start) {
      spans_.back().end = end;
    } else {
      spans_.push_back({&holder, start, end});
    }
  }
  // Drops what ended by then: no more queries for it.
  void forget_until(Fs time) {
    while (!spans_.empty() && spans_.front().end <= time) spans_.pop_front();
  }
  // Of [from, until), the time for which others than `transaction` held it.
  Fs held_by_others(const Transaction& transaction, Fs from, Fs until) const {
    Fs held = 0;
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      const Span& span = spans_[i];
      if (span.holder == &transaction) continue;
      const Fs start = std::max(span.start, from);
      const Fs end = std::min(span.end, until);
      if (start < end) held += end - start;
    }
    return held;
  }

 private:
  struct Span {
    const Transaction* holder = nullptr;  // compared only
    Fs start = 0;
    Fs end = 0;
  };
  RingBuffer<Span> spans_;
};

}  // namespace kernbench
