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

// The server behind a busy time.
struct Server {
  enum class Kind : std::uint8_t {
    rate,  // works while it is busy: twice the rate takes half the time
    slot,  // is held while others work: twice the places let twice as many overlap
    none   // a time that is part of another server's, or nobody's
  };
  Kind kind = Kind::rate;
  const char* attribute = "";  // that makes it faster, or has more places; empty: not told
  std::uint64_t places = 1;    // whose times the busy time adds up
};

// A named number, updated by the component, that never decreases; observers read it with at(), at
// the end of a run or at a mark. Work changes at least one `value`, polling and clocks change none:
// a run in which nothing happens any more is recognised by this (spec 4.2).
struct Statistic {
  std::string name;  // snake_case
  std::string description;
  Quantity quantity = Quantity::count;
  const std::uint64_t* value = nullptr;
  Merge merge = Merge::sum;
  // What it is at `now`. A busy time: `value` and what is under way, without what is booked ahead
  // (spec 11.3); a count: `value` and what is counted elsewhere. Empty: `value`.
  std::function<std::uint64_t(Fs now)> until;
  Server server;  // of a busy time

  std::uint64_t at(Fs now) const { return until ? until(now) : *value; }
  bool is_busy_time() const { return until && quantity == Quantity::time_fs; }
};

}  // namespace kernbench
