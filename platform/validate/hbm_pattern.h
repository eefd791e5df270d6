// Plays accesses to one HBM channel of two pseudo-channels with banks, without the rest of a
// machine: the published figures it is compared with (correlation_cases.cpp) are those of a
// controller alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "models/timing/hbm_address_map.h"
#include "models/timing/hbm_bank_scheduler.h"

namespace kernbench {

struct HbmPattern {
  // Pseudo-channel (0 or 1), bank, row and column of access `number`; called in ascending order.
  std::function<HbmPlace(std::uint64_t number)> place;
  Fs interval = 0;  // between accesses; 0: saturation, an access is ready whenever one fits
  bool third_writes = false;                       // every third access is a write
  std::uint64_t warm_up = 2000, accesses = 20000;  // that are not, that are measured
};

// Places of the channel's controller, as far as they hold back the next access.
struct HbmPlaces {
  std::size_t reads = 64, writes = 64;
  std::size_t of_bank = ~std::size_t{0};  // reads and writes
  // An access leaves its place when its row is opened for it, else with its read or write command.
  bool left_by_activate = false;
};

struct HbmPatternResult {
  double gbs = 0;              // accesses of 32 B taken, per time
  double read_latency_ns = 0;  // mean, from an access' entry into its place to the end of its data
};

// `policy`: queues of one pseudo-channel.
HbmPatternResult play_hbm_pattern(const HbmBankTiming& timing, const HbmQueuePolicy& policy,
                                  const HbmPlaces& places, const HbmPattern& pattern);

}  // namespace kernbench
