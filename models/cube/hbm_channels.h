// What observers see of the pseudo-channels of an HBM controller, whatever its timing: busy times,
// a signal per channel, bookings.
//
// A channel's signal shows the direction of the last booking until the channel is idle; only an
// observed signal costs events.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/trace_signal.h"
#include "models/protocol/observation.h"
#include "models/timing/booked_ahead.h"
#include "models/timing/hbm_timing.h"

namespace kernbench {

class HbmChannels {
 public:
  HbmChannels(const FabricNode& node, std::size_t count, std::uint32_t burst_bytes,
              const AnalysisPort<HbmBooking>& bookings)
      : node_(node), burst_bytes_(burst_bytes), bookings_(bookings), channels_(count) {}

  // Statistics and signals, each channel followed by those that observe_more(channel, name) adds.
  template <class ObserveMore>
  void observe(Observables to, ObserveMore observe_more) {
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      const std::string name = "pc" + std::to_string(i);
      to.add_busy_time(name + "_busy", "time that bursts took", channels_[i].busy_fs,
                       [this, i](Fs now) { return busy_until(i, now); });
      observe_more(i, name);
      channels_[i].signal = &to.add_signal(name, "what the pseudo-channel does",
                                           SignalFormat::enumeration({"idle", "read", "write"}));
    }
  }

  // Bursts of `transaction` occupy the channel from first.start to `finish`, back to back. Throws
  // ModelError where a timing books the past, or a channel twice.
  void booked(const Transaction& transaction, std::size_t channel, HbmDirection direction, Fs now,
              const HbmSlot& first, Fs finish) {
    Channel& at = channels_[channel];
    const Fs free_at = now > at.free_at ? now : at.free_at;
    if (first.start != free_at || finish < first.start) {
      check(channel, free_at, first, finish);
      at.ahead.add_gap(now, free_at, first.start);
    }
    at.busy_fs += finish - first.start;
    at.free_at = finish;
    if (bookings_.observed()) report(transaction, channel, first, finish);
    if (at.signal->observed()) show(at, direction, now);
  }

  // When the first of the observed channels that are shown busy becomes idle.
  Fs next_due() const { return shown_until_; }
  void serve(Fs now) {
    if (shown_until_ <= now) show_idle(now);
  }

 private:
  struct Channel {
    Fs free_at = 0;
    std::uint64_t busy_fs = 0;  // booked
    BookedAhead ahead;
    TraceSignal* signal = nullptr;
  };

  Fs busy_until(std::size_t channel, Fs now) const {
    const Channel& at = channels_[channel];
    return at.busy_fs - at.ahead.after(now, at.free_at);
  }
  void check(std::size_t channel, Fs free_at, const HbmSlot& first, Fs finish) const;
  void report(const Transaction& transaction, std::size_t channel, const HbmSlot& first,
              Fs finish) const;
  void show(Channel& channel, HbmDirection direction, Fs now);
  void show_idle(Fs now);

  const FabricNode& node_;
  std::uint32_t burst_bytes_;
  const AnalysisPort<HbmBooking>& bookings_;
  std::vector<Channel> channels_;
  Fs shown_until_ = never_fs;
};

}  // namespace kernbench
