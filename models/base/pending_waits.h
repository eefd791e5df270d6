// Pending waits of the processes and the latest instant at which a model is known to work: the
// basis of deadlock detection and of its report (spec 4.2).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/units.h"

namespace kernbench {

class PendingWaits {
 public:
  struct Waiter {
    std::string who;   // hierarchical name
    std::string what;  // "completion of command 12"
    Fs since = 0;
    std::function<std::string()> state;  // may be empty; the present state, for a report
  };

  // Returns a ticket for close(). Tickets are reused, with the room for their texts: a run opens
  // millions of waits. `who`: name of an object that still exists at close().
  std::size_t open(const char* who, std::string_view what, Fs since,
                   std::function<std::string()> state = {});
  // Opens a wait whose text is created for a report only.
  std::size_t open(const char* who, std::function<std::string()> what, Fs since);
  void close(std::size_t ticket);
  bool any() const { return open_ > 0; }
  // Number of waits opened since the start of the run. A polling process opens no wait for each
  // turn: opening one counts as progress (platform/assembly/run.h).
  std::uint64_t opened() const { return opened_; }
  std::vector<Waiter> waiters() const;  // sorted by (who, since)

  // A model has a timed event of its own at `instant`, which may unblock a waiter. Not for polls
  // and clocks.
  void busy_until(Fs instant) { busy_until_ = std::max(busy_until_, instant); }
  Fs busy_until() const { return busy_until_; }  // latest such instant

 private:
  struct Slot {
    const char* who = "";
    std::string what;  // empty if what_is is set
    std::function<std::string()> what_is;
    Fs since = 0;
    std::function<std::string()> state;
    bool used = false;
  };
  Slot& open_slot(std::size_t& ticket, const char* who, Fs since);
  std::vector<Slot> slots_;
  std::vector<std::size_t> free_;
  std::size_t open_ = 0;
  std::uint64_t opened_ = 0;
  Fs busy_until_ = 0;
};

}  // namespace kernbench
