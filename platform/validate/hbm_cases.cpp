// Closed forms of HBM rates: all channels, one channel, changes of direction.
#include <fmt/format.h>

#include <algorithm>

#include "platform/validate/played_requests.h"
#include "platform/validate/validation_case.h"

namespace kernbench {
namespace {

constexpr double burst_bytes = 256;
constexpr double channel_gbs = 32, channels = 8;
constexpr double penalty_ns = 6;

// Every number that these cases rest on: a topology that users edit lends the rest. Nothing on the way delays: routers without
// overhead, mesh without limit, no lengths. What is left is the same for every PE.
std::vector<Override> hbm_machine(const char* efficiency, const char* switch_penalty_ns) {
  return {
      {"system.ns_per_mm", "0"},
      {"system.flit_bytes", "256"},
      {"cube.pe_layout.corners", "[NW, NE, SW, SE]"},
      {"cube.pe_layout.pe_per_corner", "2"},
      {"cube.components.router", "{impl: builtin.forwarding, attrs: {overhead_ns: 0}}"},
      {"cube.links.router_link_bw_gbs", "0"},
      {"cube.links.pe_to_router_bw_gbs", "256"},
      {"cube.links.hbm_to_router_bw_gbs", "256"},
      {"cube.memory_map",
       "{address_model: va, hbm_mapping_mode: n_to_one, hbm_pseudo_channels: 64, hbm_channels_per_pe: 8, hbm_channel_bw_gbs: 32, "
       "hbm_slices_per_cube: 8, hbm_total_gb_per_cube: 48}"},
      {"cube.components.hbm_ctrl", fmt::format("{{impl: builtin.hbm_ctrl, attrs: {{overhead_ns: 0, num_pcs: 8, burst_bytes: 256, "
                                               "switch_penalty_ns: {}, efficiency: {}}}}}",
                                               switch_penalty_ns, efficiency)},
      {"cube.pe_template.components.pe_dma", "{impl: builtin.pe_dma, attrs: {overhead_ns: 1}}"}};
}

TrafficRequest request_of(const Platform& platform, int pe, bool write, std::uint64_t offset, std::uint64_t bytes, Fs issue) {
  TrafficRequest request;
  request.initiator = platform.machine().engine({0, 0, pe}, PeEngine::pe_dma);
  request.target = platform.machine().hbm({0, 0, 0});
  request.write = write;
  request.offset = offset;
  request.bytes = bytes;
  request.issue = issue;
  return request;
}

ValidationCheck rate_check(std::string quantity, std::string formula, double expected, double bytes, Fs time) {
  ValidationCheck check;
  check.quantity = std::move(quantity);
  check.formula = std::move(formula);
  check.unit = "GB/s";
  check.expected = expected;
  check.simulated = bytes / to_ns(time);
  check.tolerance = expected * 1e-6;
  check.allowance = "wires without length take 1 fs, PEs are at different distances";
  return check;
}

// The rate of a stream, without its latency: n / (T(2n) - T(n)).
std::vector<ValidationCheck> play_streams(Platform& platform) {
  constexpr std::uint64_t n = 1 << 20;
  std::vector<ValidationCheck> checks;
  const auto results = play_requests(
      platform,
      {request_of(platform, 0, false, 0, n, 0), request_of(platform, 0, false, 0, 2 * n, 1'000'000 * fs_per_ns),
       request_of(platform, 0, true, 0, n, 2'000'000 * fs_per_ns), request_of(platform, 0, true, 0, 2 * n, 3'000'000 * fs_per_ns)});
  for (const std::size_t first : {0, 2}) {
    checks.push_back(rate_check(first == 0 ? "streaming reads" : "streaming writes",
                                fmt::format("{:g} * {:g} * 0.5", channels, channel_gbs), channels * channel_gbs * 0.5,
                                static_cast<double>(n), results.at(first + 1).latency() - results.at(first).latency()));
    checks.back().tolerance = 0;
    checks.back().allowance = "";
  }
  return checks;
}

// All at once from eight PEs, so that the channel is never idle; between the first and the last end.
std::vector<ValidationCheck> play_one_channel(Platform& platform) {
  constexpr int each = 64;
  std::vector<TrafficRequest> requests;
  for (int i = 0; i < each; ++i) {
    for (int pe = 0; pe < 8; ++pe)
      requests.push_back(request_of(platform, pe, false, static_cast<std::uint64_t>((i * 8 + pe) * 2048), 256, 0));
  }
  std::vector<Fs> ends;
  for (const TrafficResult& result : play_requests(platform, requests)) ends.push_back(result.end);
  std::sort(ends.begin(), ends.end());
  return {rate_check("512 reads of 256 B, 2 KiB apart, by 8 PEs", fmt::format("{:g}", channel_gbs), channel_gbs,
                     burst_bytes * static_cast<double>(ends.size() - 1), ends.back() - ends.front())};
}

// The time from the end of the first to the end of the last of so many requests, every second one a write if they alternate.
// Request k is issued at 3k ns. A command is at the HBM in no time, a write's flit in 2 ns: they come in order, faster than they
// are served. Reads end 2 ns behind their bursts, so differences of ends of reads are differences of bursts.
Fs time_of_requests(Platform& platform, int count, bool alternate) {
  std::vector<TrafficRequest> requests;
  for (int k = 0; k < count; ++k) {
    requests.push_back(request_of(platform, alternate ? k / 2 : k, alternate && k % 2 == 1, static_cast<std::uint64_t>(k * 2048),
                                  256, static_cast<Fs>(3 * k) * fs_per_ns));
  }
  const auto results = play_requests(platform, requests);
  return results.back().end - results.front().end;
}

constexpr double burst_ns = burst_bytes / channel_gbs;

std::vector<ValidationCheck> play_alternation(Platform& platform) {
  return {rate_check("8 reads and 7 writes in turn, penalty 6 ns", fmt::format("256 / ({:g} + {:g})", burst_ns, penalty_ns),
                     burst_bytes / (burst_ns + penalty_ns), burst_bytes * 14, time_of_requests(platform, 15, true))};
}

std::vector<ValidationCheck> play_one_direction(Platform& platform) {
  return {rate_check("8 reads", fmt::format("256 / {:g}", burst_ns), burst_bytes / burst_ns, burst_bytes * 7,
                     time_of_requests(platform, 8, false))};
}

}  // namespace

std::vector<ValidationCase> hbm_cases() {
  const char* const turnaround =
      "bus turnaround of a shared data bus (tRTW, tWTR): B. Jacob, S. Ng, D. Wang, Memory Systems (2008), chapter 11";
  return {
      {"hbm-peak-rate", "hbm",
       "A stream over all pseudo-channels reaches the number of channels times the rate of one, here at an efficiency of one half, "
       "so that no link limits it",
       "peak bandwidth of a memory with independent channels: JEDEC JESD235 (pseudo-channel mode), J. Hennessy, D. Patterson, "
       "Computer Architecture, 6th ed. (2017), 2.2",
       "tiny", hbm_machine("0.5", "0"), play_streams},
      {"hbm-channel-collision", "hbm",
       "Addresses that differ by multiples of channels * burst fall on one pseudo-channel: however many ask, it gives its own rate",
       "low-order interleaving: J. Hennessy, D. Patterson, Computer Architecture, 6th ed. (2017), 4.2: a stride that is a multiple "
       "of the number of banks has the rate of one bank",
       "tiny", hbm_machine("1", "0"), play_one_channel},
      {"hbm-alternation", "hbm",
       "Reads and writes in turn on one pseudo-channel: each burst pays the change of direction: burst / (burst time + penalty)",
       turnaround, "tiny", hbm_machine("1", "6"), play_alternation},
      {"hbm-one-direction", "hbm", "The same pseudo-channel with the same penalty, in one direction: the penalty is never paid",
       turnaround, "tiny", hbm_machine("1", "6"), play_one_direction}};
}

}  // namespace kernbench
