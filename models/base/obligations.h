// The list of who waits for what: the raw material of a deadlock report (spec 4.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/base/units.h"

namespace kernbench {

class Obligations {
 public:
  struct Waiter {
    std::string who;   // hierarchical name
    std::string what;  // "completion of command 12"
    Fs since = 0;
    std::function<std::string()> state;  // may be empty; what a report adds: how things stand when it is made
  };

  // Returns a ticket for close(); tickets are reused.
  std::size_t open(std::string who, std::string what, Fs since, std::function<std::string()> state = {});
  void close(std::size_t ticket);
  bool any() const { return open_ > 0; }
  // Since the start of the run. Who polls uses no obligation for each turn: opening one counts as progress (platform/assembly/run.h).
  std::uint64_t opened() const { return opened_; }
  std::vector<Waiter> waiters() const;  // sorted by (who, since)

 private:
  struct Slot {
    Waiter waiter;
    bool used = false;
  };
  std::vector<Slot> slots_;
  std::vector<std::size_t> free_;
  std::size_t open_ = 0;
  std::uint64_t opened_ = 0;
};

}  // namespace kernbench
