// The built-in timing of an HBM controller: pseudo-channels with a penalty for a change of
// direction (spec 2.5; policy in hbm_state.h).
//
// burst_time = burst_bytes / pc_bw, pc_bw = link_bw_gbs * efficiency / num_pcs, rounded once. All
// bursts of a read on one channel run back to back, so they are booked by one call per channel
// (hbm_read.h). Not modelled: banks, rows, refresh, reordering, a write buffer (spec 2.10).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/timing/hbm_read.h"
#include "models/timing/hbm_state.h"
#include "models/timing/hbm_timing.h"

namespace kernbench {

class PseudoChannelTiming : public HbmTiming {
 public:
  static constexpr const char* description = "HBM partition with pseudo-channels";
  struct Parameters : HbmParameters {
    using HbmParameters::HbmParameters;
    Param<Fs> switch_penalty{
        *this, Parameter::duration_ns(
                   "switch_penalty_ns",
                   "time for which a pseudo-channel changes between reading and writing",
                   "spec 2.5, ADR-0034")
                   .default_val(0)};
    Param<Rational> efficiency{
        *this, Parameter::decimal("efficiency",
                                  "share of the link rate that all pseudo-channels together reach",
                                  "", "spec 2.5")
                   .default_val(1)
                   .range(Rational::fraction(1, 1000), 1)};
    Param<Rational> link_bw_gbs{
        *this, Parameter::rate_gbs("link_bw_gbs", "rate of the link to the router", "spec 2.5")
                   .or_unlimited()
                   .from_machine()};
  };
  static std::optional<ParameterFault> check(const Parameters& parameters);  // the time of a burst

  // All bursts of a read, by one booking per channel.
  class Read {
   public:
    template <class Booked>
    void book_all(PseudoChannelTiming& timing, const HbmInterleave& /*interleave*/,
                  std::uint64_t offset, std::uint64_t bytes, Fs now, std::uint16_t channel,
                  Booked booked) {
      read_.book_all(timing.state_, offset, bytes, now, channel, booked);
    }
    Fs ready(std::uint64_t offset) { return read_.ready(offset); }

   private:
    HbmRead read_;
  };

  explicit PseudoChannelTiming(const Parameters& parameters);

  HbmSlot book(const HbmBurst& burst, Fs now) {
    const Fs finish = kernbench::book(state_, burst.channel, burst.direction, now);
    return {finish - state_.burst_time, finish};
  }

  void observe_channel(Observables& to, std::size_t channel, const std::string& name) {
    to.add_statistic(name + "_switches", "changes of direction", Quantity::count,
                     state_.channels[channel].direction_switches);
  }

 private:
  HbmState state_;
};

}  // namespace kernbench
