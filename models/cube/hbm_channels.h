// Observation of the pseudo-channels of an HBM controller, for any timing: busy times, bookings,
// signals (hbm_channel_signals.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/base/observables.h"
#include "models/cube/hbm_channel_signals.h"
#include "models/protocol/observation.h"
#include "models/timing/booked_ahead.h"
#include "models/timing/hbm_timing.h"
#include "models/timing/stall_time.h"

namespace kernbench {

class HbmChannels {
 public:
  HbmChannels(const FabricNode& node, std::size_t count, std::uint32_t burst_bytes,
              const AnalysisPort<HbmBooking>& bookings)
      : node_(node), burst_bytes_(burst_bytes), bookings_(bookings), channels_(count) {}

  // `settle` books what is due before statistics are read, with the first busy time of channels.
  void before_reading(std::function<void()> settle) { settle_ = std::move(settle); }

  // Statistics; observe_more(channel, name) adds its own after those of each channel. `rate`:
  // attribute that sets the rate of a channel; empty: that of the links.
  template <class ObserveMore>
  void observe(Observables to, ObserveMore observe_more, const char* rate = "") {
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      const std::string name = "pc" + std::to_string(i);
      to.add_busy_time(name + "_busy", "busy time of bursts", channels_[i].busy_fs,
                       [this, i](Fs now) {
                         if (settle_) settle_();
                         return busy_until(i, now);
                       },
                       {Server::Kind::rate, rate, 1, [this, i](Fs now) {
                          if (settle_) settle_();
                          return channels_[i].stalls.until(now);
                        }});
      observe_more(i, name);
    }
  }

  // Signals of the channels.
  void declare_signals(Observables to) {
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      channels_[i].signals = std::make_unique<HbmChannelSignals>(to, "pc" + std::to_string(i), i,
                                                                 channels_.size(), burst_bytes_);
    }
  }

  // Bursts of `transaction` occupy the channel from first.start to `finish`, back to back. Throws
  // ModelError if a timing books the past, or a channel twice.
  void booked(const Transaction& transaction, std::size_t channel, HbmDirection direction, Fs now,
              const HbmSlot& first, Fs finish) {
    booked(transaction, channel, direction, now, now, first, finish);
  }
  // The same for bursts that have been queued since `since`.
  void booked(const Transaction& transaction, std::size_t channel, HbmDirection direction, Fs since,
              Fs now, const HbmSlot& first, Fs finish) {
    Channel& at = channels_[channel];
    occupy(at, channel, now, first, finish);
    if (const TieKey& key = transaction.route().key; !(key == at.last)) {
      at.stalls.book(now, since, first.start);
      at.last = key;
    }
    if (bookings_.observed()) report(&transaction, channel, first, finish);
    if (at.signals != nullptr) show(at, transaction, direction, now, first, finish);
  }
  // A burst of a write that may have ended, with its id and address.
  void written(std::uint64_t id, std::uint64_t address, std::size_t channel, Fs since, Fs now,
               const HbmSlot& slot) {
    Channel& at = channels_[channel];
    occupy(at, channel, now, slot, slot.finish);
    at.stalls.book(now, since, slot.start);
    if (bookings_.observed()) report(nullptr, channel, slot, slot.finish);
    if (at.signals == nullptr || !at.signals->observed()) return;
    at.signals->booked(id, address, HbmDirection::write, slot.start, slot.finish);
    shown_until_ = now;
  }

  // Next change of the signals of an observed channel.
  Fs next_due() const { return shown_until_; }
  void serve(Fs now) {
    if (shown_until_ <= now) update_signals(now);
  }

 private:
  struct Channel {
    Fs free_at = 0;
    std::uint64_t busy_fs = 0;  // booked
    BookedStalls stalls;        // stalls of the first bursts of transactions
    TieKey last;                // transaction booked last
    BookedAhead ahead;
    std::unique_ptr<HbmChannelSignals> signals;  // null until they are requested
  };

  Fs busy_until(std::size_t channel, Fs now) const {
    const Channel& at = channels_[channel];
    return at.busy_fs - at.ahead.after(now, at.free_at);
  }
  void occupy(Channel& at, std::size_t channel, Fs now, const HbmSlot& first, Fs finish) {
    const Fs free_at = now > at.free_at ? now : at.free_at;
    if (first.start != free_at || finish < first.start) {
      check(channel, free_at, first, finish);
      at.ahead.add_gap(now, free_at, first.start);
    }
    at.busy_fs += finish - first.start;
    at.free_at = finish;
  }
  void check(std::size_t channel, Fs free_at, const HbmSlot& first, Fs finish) const;
  void report(const Transaction* transaction, std::size_t channel, const HbmSlot& first,
              Fs finish) const;
  void show(Channel& channel, const Transaction& transaction, HbmDirection direction, Fs now,
            const HbmSlot& first, Fs finish);
  void update_signals(Fs now);

  const FabricNode& node_;
  std::uint32_t burst_bytes_;
  const AnalysisPort<HbmBooking>& bookings_;
  std::vector<Channel> channels_;
  std::function<void()> settle_;
  Fs shown_until_ = never_fs;
};

}  // namespace kernbench
