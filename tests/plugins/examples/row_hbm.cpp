// Row buffers with an open page as the timing of an HBM controller: acme.row_hbm.
//
// Timing: the bursts of a channel fill rows of row_bytes, and row r is in bank r mod banks. A burst
// goes to its bank when the one before in that bank has been moved: at once if its row is open
// (hit), after t_rcd_ns if no row is open (miss), after t_rp_ns + t_rcd_ns if another is
// (conflict). It then takes t_burst_ns on the bus of the channel, in order; opening overlaps with
// bursts of other banks. Not modelled: refresh, reordering, tRAS and tFAW, direction of the bus.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "models/base/component_registry.h"
#include "models/base/plugin.h"
#include "models/cube/hbm_controller.h"
#include "models/timing/hbm_timing.h"

namespace acme {
namespace {

using namespace kernbench;

class RowBuffers : public HbmTiming {
 public:
  static constexpr const char* description = "HBM partition with row buffers, open page";
  struct Parameters : HbmParameters {
    using HbmParameters::HbmParameters;
    Param<std::uint32_t> banks{*this,
                               Parameter::integer("banks", "banks of a channel", "", "assumption")
                                   .default_val(16)
                                   .range(1, 1024)};
    Param<std::uint32_t> row_bytes{
        *this, Parameter::integer("row_bytes", "bytes of a row", "B", "assumption")
                   .default_val(1024)
                   .range(1, 1048576)};
    Param<Fs> t_burst{
        *this, Parameter::duration_ns("t_burst_ns", "time of a burst on the bus", "assumption")
                   .default_val(8)};
    Param<Fs> t_rcd{
        *this,
        Parameter::duration_ns("t_rcd_ns", "opening of a row", "assumption").default_val(14)};
    Param<Fs> t_rp{
        *this, Parameter::duration_ns("t_rp_ns", "closing of a row", "assumption").default_val(14)};
  };
  static std::optional<ParameterFault> check(const Parameters& p) {
    if (*p.row_bytes % *p.burst_bytes == 0) return std::nullopt;
    return ParameterFault{"row_bytes", "found " + std::to_string(*p.row_bytes) +
                                           ", allowed is a multiple of burst_bytes"};
  }
  explicit RowBuffers(const Parameters& parameters)
      : parameters_(parameters),
        channels_(*parameters.num_pcs, Channel{0, std::vector<Bank>(*parameters.banks)}) {}

  HbmSlot book(const HbmBurst& burst, Fs now) {
    Channel& channel = channels_[burst.channel];
    const std::uint64_t row = burst.index / (*parameters_.row_bytes / *parameters_.burst_bytes);
    Bank& bank = channel.banks[row % channel.banks.size()];
    const Fs open_at = std::max(now, bank.free_at) + open(bank, row);
    const Fs start = std::max(open_at, channel.bus_free_at);
    bank.free_at = channel.bus_free_at = start + *parameters_.t_burst;
    return {start, channel.bus_free_at};
  }

  void observe(Observables& to) {
    to.add_statistic("row_hits", "bursts to an open row", Quantity::count, hits_);
    to.add_statistic("row_misses", "bursts to a bank without an open row", Quantity::count,
                     misses_);
    to.add_statistic("row_conflicts", "bursts to a bank with another row open", Quantity::count,
                     conflicts_);
  }

 private:
  struct Bank {
    std::optional<std::uint64_t> row;
    Fs free_at = 0;
  };
  struct Channel {
    Fs bus_free_at = 0;
    std::vector<Bank> banks;
  };

  // Time until the row is open.
  Fs open(Bank& bank, std::uint64_t row) {
    if (bank.row == row) return ++hits_, 0;
    const bool other = bank.row.has_value();
    ++(other ? conflicts_ : misses_);
    bank.row = row;
    return *parameters_.t_rcd + (other ? *parameters_.t_rp : 0);
  }

  const Parameters parameters_;
  std::vector<Channel> channels_;
  std::uint64_t hits_ = 0, misses_ = 0, conflicts_ = 0;
};

void add_all(PluginRegistries& to) {
  to.components.add(implementation_of<HbmController<RowBuffers>>("acme.row_hbm"));
}

}  // namespace
}  // namespace acme

KERNBENCH_PLUGIN("acme_hbm", acme::add_all);
