// Timing policy of a serial server (spec 2.4), and the only code that changes its state.
//
// Flits are served in order of arrival. start = max(arrival, free_at); the first flit of a leg
// holds the server for the overhead and is handed over at its end; a later flit is handed over at
// its start. ServerTimes separates the two: a flit holds the server from its start for `hold` and
// is handed over `latency` after its start.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/base/units.h"
#include "models/timing/link_state.h"

namespace kernbench {

struct RouterState {
  Fs free_at = 0;
};

// Times of a forwarding node for the first flit of a leg and for each later one.
struct ServerTimes {
  Fs latency = 0;        // from the start of the service to the hand-over; also of control messages
  Fs later_latency = 0;  // of later flits
  Fs hold = 0;           // the first flit holds the server
  Fs later_hold = 0;     // each later flit holds it

  // overhead_ns: the first flit holds the server until its hand-over, later flits have no service.
  static ServerTimes serial(Fs overhead) { return {overhead, 0, overhead, 0}; }
  // A pipeline: every flit passes it, and holds its entry for `flit_occupancy`, the first one for
  // at least `occupancy`.
  static ServerTimes pipelined(Fs latency, Fs occupancy, Fs flit_occupancy) {
    return {latency, latency, std::max(occupancy, flit_occupancy), flit_occupancy};
  }
  Fs latency_of(bool is_first) const { return is_first ? latency : later_latency; }
  Fs hold_of(bool is_first) const { return is_first ? hold : later_hold; }
};

// Attributes that set the rate of a server with these occupancies.
inline const char* occupancy_attributes(Fs occupancy, Fs flit_occupancy) {
  if (flit_occupancy == 0) return "occupancy_ns";
  return occupancy == 0 ? "flit_occupancy_ns" : "occupancy_ns, flit_occupancy_ns";
}

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

// As many of `count` later flits, which arrive at arrival + i * spacing, as start at one pace: they
// occupy the server for `hold` each as they would a link.
inline BookedFlits advance(RouterState& state, Fs arrival, Fs spacing, std::uint32_t count,
                           Fs hold) {
  LinkState server{state.free_at};
  const BookedFlits flits = advance(server, arrival, spacing, count, hold);
  state.free_at = server.available_at;
  return flits;
}

}  // namespace kernbench
