// Statistic: a named number of a component, that observers read. Without SystemC.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "models/base/units.h"

namespace kernbench {

enum class Quantity : std::uint8_t { count, bytes, time_fs };
// Aggregation over several components of a kind.
enum class Merge : std::uint8_t { sum, maximum };

// Server whose occupancy is counted by a busy time.
struct Server {
  enum class Kind : std::uint8_t {
    rate,  // processes work while it is busy: at twice the rate, half the time
    slot,  // is held while other servers work: with twice the places, twice as many overlap
    none   // no server
  };
  Kind kind = Kind::rate;
  // Attribute of the component that sets the rate or the number of places, or a key of ccl.yaml,
  // "ccl:defaults.n_slots"; empty: unknown.
  const char* attribute = "";
  std::uint64_t places = 1;  // number of places whose occupancy the busy time sums
  // Stall time of its queued messages up to `now` (models/timing/stall_time.h); empty: unknown.
  std::function<std::uint64_t(Fs now)> stalled = {};
  const std::uint64_t* bytes = nullptr;  // bytes transferred by the server; null: unknown
};

// A named number, updated by the component, that never decreases; observers read it with at(), at
// the end of a run or at a mark. Work changes at least one `value`, polling and clocks change none:
// a run without progress is detected by this (spec 4.2).
struct Statistic {
  std::string name;  // snake_case
  std::string description;
  Quantity quantity = Quantity::count;
  const std::uint64_t* value = nullptr;
  Merge merge = Merge::sum;
  // Value at `now`. Busy time: `value` plus the service in progress, without bookings ahead of now
  // (spec 11.3). Others: `value` plus amounts counted elsewhere. Empty: `value`.
  std::function<std::uint64_t(Fs now)> until;
  Server server;  // server of a busy time
  bool busy_time = false;

  std::uint64_t at(Fs now) const { return until ? until(now) : *value; }
  bool is_busy_time() const { return busy_time; }
};

// A share, 0 to 1, that observers derive from what a component counts: hits of its accesses. Over
// several components the parts and the wholes are summed.
struct Ratio {
  struct Parts {  // neither decreases
    double part = 0, whole = 0;
  };
  std::string name;  // snake_case; unlike those of the statistics
  std::string description;
  std::function<Parts(Fs now)> at;
};

}  // namespace kernbench
