// The bookings of an HBM partition once more, by the same rule (models/timing/hbm_state.h), with who made them: how long a transfer
// waits for bursts of others.
#pragma once

#include <vector>

#include "models/timing/hbm_state.h"
#include "platform/observe/occupancy.h"

namespace kernbench {

class HbmShadow {
 public:
  // Of one transfer, the bursts that end last.
  struct Last {
    Fs end = 0;
    std::size_t channel = 0;
  };

  // The attributes of a builtin.hbm_ctrl.
  explicit HbmShadow(const Attributes& attributes);

  // In the order in which the controller books, at the instants at which it does.
  void book_read(const Transaction& transaction, Fs now, Last& last);
  void book_write_flit(const Transaction& transaction, std::uint32_t flit, Fs now, Last& last);
  // From `now`, when the transfer has just booked, to the end of its last bursts: the time for which others hold their channel.
  Fs held_by_others(const Transaction& transaction, Fs now, const Last& last) const {
    return occupied_[last.channel].held_by_others(transaction, now, last.end);
  }

 private:
  void book_channel(const Transaction& transaction, std::size_t channel, HbmDirection direction, Fs now, std::uint64_t bursts,
                    Last& last);

  HbmState state_;
  std::vector<Occupancy> occupied_;  // by channel
};

}  // namespace kernbench
