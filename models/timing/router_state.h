// Timing policy of a serial server (spec 2.4), and the only code that changes its state.
//
// Flits are served in order of arrival. start = max(arrival, free_at); the first flit of a leg
// holds the server for the overhead and is handed over at its end; a later flit is handed over at
// its start.
#pragma once

#include <algorithm>

#include "models/base/units.h"

namespace kernbench {

struct RouterState {
  Fs free_at = 0;
};

// Hand-over time of the flit that is next in order; `hold` is the overhead for a first flit, 0 for
// later ones.
inline Fs hand_over_time(const RouterState& state, Fs arrival, Fs hold) {
  return std::max(arrival, state.free_at) + hold;
}

// Serves that flit. A later flit leaves free_at at its own start. This affects no flit after it,
// since none of them arrived before.
inline Fs advance(RouterState& state, Fs arrival, Fs hold) {
  state.free_at = hand_over_time(state, arrival, hold);
  return state.free_at;
}

}  // namespace kernbench
