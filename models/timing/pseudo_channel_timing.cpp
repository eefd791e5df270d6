#include "models/timing/pseudo_channel_timing.h"

#include <fmt/format.h>

#include <stdexcept>

namespace kernbench {
namespace {

Fs burst_time(const PseudoChannelTiming::Parameters& p) {
  return transfer_fs(std::uint64_t{*p.burst_bytes} * *p.num_pcs, *p.link_bw_gbs * *p.efficiency);
}

}  // namespace

std::optional<ParameterFault> PseudoChannelTiming::check(const Parameters& parameters) {
  constexpr Fs longest = 1'000'000'000 * fs_per_ns;
  try {
    if (burst_time(parameters) <= longest) return std::nullopt;
  } catch (const std::overflow_error&) {  // too long, or too many digits
  }
  return ParameterFault{
      "efficiency",
      fmt::format("found {}, allowed is that a burst of {} B on one of {} pseudo-channels of a "
                  "link of {} GB/s takes at most 1e9 ns, exactly",
                  parameters.efficiency->str(), *parameters.burst_bytes, *parameters.num_pcs,
                  parameters.link_bw_gbs->str())};
}

PseudoChannelTiming::PseudoChannelTiming(const Parameters& parameters)
    : state_(*parameters.num_pcs, *parameters.burst_bytes, burst_time(parameters),
             *parameters.switch_penalty) {}

}  // namespace kernbench
