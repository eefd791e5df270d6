// Timing policy of a link (spec 2.3), and the only code that changes its state.
//
// Data: start = max(handed over, available_at); available_at = start + service; arrives at
// available_at + propagation. Control: start = max(handed over, available_at); arrives at start +
// propagation; does not move available_at. Host control (a virtual channel of its own): arrives at
// handed over + propagation.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/base/units.h"

namespace kernbench {

struct LinkState {
  Fs available_at = 0;
};

// A flit that occupies the link for `service`; returns the instant at which its last byte has left.
inline Fs advance(LinkState& state, Fs handed_over, Fs service) {
  state.available_at = std::max(handed_over, state.available_at) + service;
  return state.available_at;
}

// Consecutive flits of equal service: the i-th is handed over at handed_over + i * spacing, starts
// at start + i * pace and leaves `service` later.
struct BookedFlits {
  std::uint32_t count = 0;
  Fs handed_over = 0, spacing = 0;
  Fs start = 0, pace = 0, service = 0;

  Fs end(std::uint32_t flits) const { return start + (flits - 1) * pace + service; }
};

// As many of `count` flits, handed over at handed_over + i * spacing, as leave at one pace; at
// least one. The state is that after each of them by the rule above.
inline BookedFlits advance(LinkState& state, Fs handed_over, Fs spacing, std::uint32_t count,
                           Fs service) {
  BookedFlits flits{count,   handed_over, spacing, std::max(handed_over, state.available_at),
                    service, service};
  if (spacing > service) {
    if (flits.start == handed_over) {
      flits.pace = spacing;
    } else {  // the i-th flit finds the link occupied while start + i * service > handed_over + i *
              // spacing
      const Fs lag = flits.start - handed_over, gain = spacing - service;
      const Fs behind = (lag + gain - 1) / gain;
      if (behind < count) flits.count = static_cast<std::uint32_t>(behind);
    }
  }
  state.available_at = flits.end(flits.count);
  return flits;
}

// The instant at which a control message leaves.
inline Fs control_departure(const LinkState& state, Fs handed_over) {
  return std::max(handed_over, state.available_at);
}

// No link delivers in zero time, so that every arrival of an instant is known before that instant
// begins.
inline Fs propagation_fs(const Rational& distance_mm, const Rational& ns_per_mm) {
  return std::max<Fs>(1, ns_to_fs(distance_mm * ns_per_mm));
}

}  // namespace kernbench
