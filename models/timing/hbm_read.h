// Ready times of the bytes of one read from the HBM's channels, queried in ascending order (spec
// 2.5).
//
// All bursts of the read are booked at one instant in address order, so those on one channel run
// back to back: one number per channel that the read touches determines the finish of every burst.
// A byte is ready when all bursts up to its own have finished.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/timing/hbm_state.h"

namespace kernbench {

class HbmRead {
 public:
  // Books [offset, offset + bytes), bytes > 0, of the partition or of one channel. Calls
  // booked(channel, slot of its first burst, finish of its last) for each channel, in the order in
  // which the read touches them.
  template <class Booked>
  void book_all(HbmState& state, std::uint64_t offset, std::uint64_t bytes, Fs now,
                std::uint16_t channel, Booked booked) {
    bursts_ = state.bursts_of(offset, bytes);
    burst_time_ = state.burst_time;
    burst_shift_ = state.burst_shift;
    const std::uint64_t stride = state.channels_of(channel);
    const std::uint64_t used = std::min<std::uint64_t>(stride, bursts_.count());
    first_finish_.clear();
    for (std::uint64_t i = 0; i < used; ++i) {
      const std::uint64_t on_channel = (bursts_.count() - i + stride - 1) / stride;
      const std::size_t at = state.channel_of(bursts_.first + i, channel);
      const Fs finish = book(state, at, HbmDirection::read, now, on_channel);
      first_finish_.push_back(finish);
      booked(at, HbmSlot{finish - burst_time_, finish}, state.channels[at].available_at);
    }
    ready_ = now;
    next_ = bursts_.first;
    slot_ = 0;
    lap_ = 0;
  }

  void book_all(HbmState& state, std::uint64_t offset, std::uint64_t bytes, Fs now,
                std::uint16_t channel = every_channel) {
    book_all(state, offset, bytes, now, channel, [](std::size_t, const HbmSlot&, Fs) {});
  }

  // Instant at which every byte up to the one at `offset` is ready; offsets in ascending order.
  Fs ready(std::uint64_t offset) {
    for (const std::uint64_t last = offset >> burst_shift_; next_ <= last; ++next_) {
      ready_ = std::max(ready_, first_finish_[slot_] + lap_);
      if (++slot_ == first_finish_.size()) {
        slot_ = 0;
        lap_ += burst_time_;
      }
    }
    return ready_;
  }

 private:
  BurstRange bursts_;
  Fs burst_time_ = 0;
  unsigned burst_shift_ = 0;
  std::vector<Fs> first_finish_;  // per channel, in the order in which the read touches them
  Fs ready_ = 0;
  std::uint64_t next_ = 0;  // first burst that ready_ does not cover; on channel slot_, lap_ after
                            // that channel's first
  std::size_t slot_ = 0;
  Fs lap_ = 0;
};

}  // namespace kernbench
