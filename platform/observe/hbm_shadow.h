// The bookings of an HBM partition once more, by the same rule (models/timing/hbm_state.h), with
// who made them: how long a transfer waits for bursts of others.
#pragma once

#include <vector>

#include "models/timing/hbm_state.h"
#include "platform/observe/occupancy.h"

namespace kernbench {

class HbmShadow {
 public:
  // Bursts of one transfer, back to back on one channel.
  struct Bursts {
    std::size_t channel = 0;
    Fs first_finish = 0;
    Fs finish = 0;  // of the last
  };

  // The attributes of a builtin.hbm_ctrl.
  explicit HbmShadow(const Attributes& attributes);

  // In the order in which the controller books, at the instants at which it does.
  // A read: for each channel that it touches, in the order in which it does.
  std::vector<Bursts> book_read(const Transaction& transaction, Fs now);
  // One burst after the other.
  std::vector<Bursts> book_write_flit(const Transaction& transaction, std::uint32_t flit, Fs now);

  // Of [from, until), the time for which others hold a channel.
  Fs held_by_others(const Transaction& transaction, std::size_t channel, Fs from, Fs until) const {
    return occupied_[channel].held_by_others(transaction, from, until);
  }
  std::size_t channels() const { return occupied_.size(); }
  Fs burst_time() const { return state_.burst_time; }
  // Of a flit of the transaction's leg under way, counted from the first that the transaction
  // touches.
  BurstRange bursts_of(const Transaction& transaction, std::uint32_t flit) const;

 private:
  Bursts book_channel(const Transaction& transaction, std::size_t channel, HbmDirection direction,
                      Fs now, std::uint64_t bursts);

  HbmState state_;
  std::vector<Occupancy> occupied_;  // by channel
};

}  // namespace kernbench
