// Who waits for what, and until when somebody is known to work: what deadlocks are told by, and
// reported with (spec 4.2).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/base/units.h"

namespace kernbench {

class PendingWaits {
 public:
  struct Waiter {
    std::string who;   // hierarchical name
    std::string what;  // "completion of command 12"
    Fs since = 0;
    std::function<std::string()>
        state;  // may be empty; what a report adds: how things stand when it is made
  };

  // Returns a ticket for close(); tickets are reused.
  std::size_t open(std::string who, std::string what, Fs since,
                   std::function<std::string()> state = {});
  void close(std::size_t ticket);
  bool any() const { return open_ > 0; }
  // Since the start of the run. Who polls uses no pending_wait for each turn: opening one counts as
  // progress (platform/assembly/run.h).
  std::uint64_t opened() const { return opened_; }
  std::vector<Waiter> waiters() const;  // sorted by (who, since)

  // A model has a timed event of its own at `instant`, which may let somebody go on. Not for polls
  // and clocks.
  void busy_until(Fs instant) { busy_until_ = std::max(busy_until_, instant); }
  Fs busy_until() const { return busy_until_; }  // the latest of them

 private:
  struct Slot {
    Waiter waiter;
    bool used = false;
  };
  std::vector<Slot> slots_;
  std::vector<std::size_t> free_;
  std::size_t open_ = 0;
  std::uint64_t opened_ = 0;
  Fs busy_until_ = 0;
};

}  // namespace kernbench
