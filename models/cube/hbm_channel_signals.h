// Signals of a pseudo-channel: its activity, the transaction served, and the number queued.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "models/base/observables.h"
#include "models/base/trace_signal.h"
#include "models/protocol/ring_buffer.h"
#include "models/protocol/transaction.h"
#include "models/timing/hbm_burst.h"

namespace kernbench {

class HbmChannelSignals final : public SignalGroup {
 public:
  // Signals of channel `index` of `channels`, with the names "pc0", "pc0_queue", ...
  HbmChannelSignals(Observables to, const std::string& name, std::size_t index,
                    std::size_t channels, std::uint32_t burst_bytes);

  // Bursts of the transaction occupy the channel from `start` to `finish`; in order.
  void booked(const Transaction& transaction, HbmDirection direction, Fs start, Fs finish) {
    if (start != finish)
      booked(transaction.route().key.number(), address_of(transaction), direction, start, finish);
  }
  // Bursts of an access that may have ended: its id, and the address at which it begins here.
  void booked(std::uint64_t id, std::uint64_t address, HbmDirection direction, Fs start,
              Fs finish) {
    accesses_.push_back({start, finish, id, address, direction});
  }
  // Shows the state at `now`; returns the instant of the next change.
  Fs update(Fs now);

 private:
  struct Access {
    Fs start = 0, finish = 0;
    std::uint64_t id = 0, address = 0;
    HbmDirection direction = HbmDirection::none;
  };

  void end_observation() override;
  std::uint64_t address_of(const Transaction& transaction) const;
  std::uint64_t address_of_run(const Transaction& transaction) const;

  std::size_t index_, channels_;
  std::uint32_t burst_bytes_;
  RingBuffer<Access> accesses_;  // in service, and booked ahead
  TraceSignal &state_, &queue_, &transaction_, &address_;
};

}  // namespace kernbench
