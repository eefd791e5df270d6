// Timing policy of a link (spec 2.3), and the only code that changes its state.
//
// Data: start = max(handed over, available_at); available_at = start + service; arrives at
// available_at + propagation. Control: start = max(handed over, available_at); arrives at start +
// propagation; does not move available_at. Host control (a virtual channel of its own): arrives at
// handed over + propagation.
#pragma once

#include <algorithm>

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
