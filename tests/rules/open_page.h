// A timing of an HBM controller from outside: row buffers with an open page (models/timing/
// hbm_timing.h).
//
// A burst of the open row of its bank takes t_burst (hit); of a bank without an open row t_rcd more
// (miss); of a bank with another row t_rp and t_rcd more (conflict). Rows lie bank after bank.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/trace_signal.h"
#include "models/timing/hbm_timing.h"

namespace kernbench::test {

class OpenPage : public HbmTiming {
 public:
  static constexpr const char* description = "HBM partition with row buffers, open page";
  struct Parameters : HbmParameters {
    using HbmParameters::HbmParameters;
    Param<std::uint32_t> banks{
        *this, Parameter::integer("banks", "banks per pseudo-channel", "", "assumption")
                   .default_val(4)
                   .range(1, 256)};
    Param<std::uint32_t> row_bytes{
        *this, Parameter::integer("row_bytes", "bytes of a row of a bank", "B", "assumption")
                   .default_val(1024)
                   .range(1, 1048576)};
    Param<Fs> t_burst{*this, time("t_burst_ns", "time of a burst on its channel", 8)};
    Param<Fs> t_rcd{*this, time("t_rcd_ns", "time to open a row", 14)};
    Param<Fs> t_rp{*this, time("t_rp_ns", "time to close a row", 14)};

   private:
    static Parameter time(const char* name, const char* description, int default_value) {
      return Parameter::duration_ns(name, description, "assumption").default_val(default_value);
    }
  };
  static std::optional<ParameterFault> check(const Parameters& p) {
    if (*p.row_bytes % *p.burst_bytes == 0) return std::nullopt;
    return ParameterFault{"row_bytes", fmt::format("found {}, allowed is a multiple of burst_bytes "
                                                   "({})",
                                                   *p.row_bytes, *p.burst_bytes)};
  }
  explicit OpenPage(const Parameters& p)
      : p_(p), bursts_of_a_row_(*p.row_bytes / *p.burst_bytes), channels_(*p.num_pcs) {
    for (Channel& channel : channels_) channel.rows.resize(*p.banks, no_row);
  }

  HbmSlot book(const HbmBurst& burst, Fs now) {
    Channel& channel = channels_[burst.channel];
    const std::uint64_t row = burst.index / bursts_of_a_row_;
    std::uint64_t& open = channel.rows[row % channel.rows.size()];
    const Outcome outcome = open == row ? hit : open == no_row ? miss : conflict;
    open = row;
    ++outcomes_[outcome];
    if (channel.last != nullptr) channel.last->set(outcome);
    const Fs wait = outcome == hit ? 0 : outcome == miss ? *p_.t_rcd : *p_.t_rp + *p_.t_rcd;
    const Fs start = std::max(now, channel.free_at) + wait;
    channel.free_at = start + *p_.t_burst;
    return {start, channel.free_at};
  }

  void observe(Observables& to) {
    to.add_statistic("row_hits", "bursts of the open row", Quantity::count, outcomes_[hit]);
    to.add_statistic("row_misses", "bursts of a bank without an open row", Quantity::count,
                     outcomes_[miss]);
    to.add_statistic("row_conflicts", "bursts of a bank with another row open", Quantity::count,
                     outcomes_[conflict]);
  }
  void observe_channel(Observables& to, std::size_t channel, const std::string& name) {
    channels_[channel].last =
        &to.add_signal(name + "_row", "row state found by the last booked burst",
                       SignalFormat::enumeration({"hit", "miss", "conflict"}));
  }

 private:
  enum Outcome : std::uint8_t { hit, miss, conflict };
  static constexpr std::uint64_t no_row = ~std::uint64_t{0};
  struct Channel {
    Fs free_at = 0;
    std::vector<std::uint64_t> rows;  // open, by bank
    TraceSignal* last = nullptr;
  };

  Parameters p_;
  std::uint64_t bursts_of_a_row_;
  std::vector<Channel> channels_;
  std::uint64_t outcomes_[3] = {};
};

}  // namespace kernbench::test
