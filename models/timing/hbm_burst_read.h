// Ready times of the bytes of one read whose bursts are booked one by one, by any timing (spec
// 2.5). A byte is ready when all bursts up to its own have finished.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/timing/hbm_burst.h"

namespace kernbench {

class HbmBurstRead {
 public:
  // Books [offset, offset + bytes), bytes > 0, of the partition or of one channel, in address
  // order. Calls booked(channel, slot, finish) for each burst.
  template <class Timing, class Booked>
  void book_all(Timing& timing, const HbmInterleave& interleave, std::uint64_t offset,
                std::uint64_t bytes, Fs now, std::uint16_t channel, Booked booked) {
    const BurstRange bursts = interleave.bursts_of(offset, bytes);
    first_ = bursts.first;
    burst_shift_ = interleave.burst_shift;
    ready_.clear();
    Fs latest = now;
    for (std::uint64_t burst = bursts.first; burst <= bursts.last; ++burst) {
      const std::size_t at = interleave.channel_of(burst, channel);
      const HbmSlot slot =
          timing.book({at, interleave.index_of(burst, channel), HbmDirection::read}, now);
      latest = std::max(latest, slot.finish);
      ready_.push_back(latest);
      booked(at, slot, slot.finish);
    }
  }

  // The instant at which every byte up to the one at `offset` is out.
  Fs ready(std::uint64_t offset) const {
    return ready_[static_cast<std::size_t>((offset >> burst_shift_) - first_)];
  }

 private:
  std::uint64_t first_ = 0;
  unsigned burst_shift_ = 0;
  std::vector<Fs> ready_;  // by burst
};

}  // namespace kernbench
