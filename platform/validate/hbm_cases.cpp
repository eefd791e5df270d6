// Closed forms of HBM rates: all channels, one channel, one bank, changes of direction.
#include <fmt/format.h>

#include <algorithm>

#include "platform/validate/case_machines.h"
#include "platform/validate/validation_case.h"

namespace kernbench {
namespace {

constexpr double burst_bytes = 256;
constexpr double channel_gbs = 32, channels = 8;
constexpr double penalty_ns = 6;

TrafficRequest request_of(const Platform& platform, int pe, bool write, std::uint64_t offset,
                          std::uint64_t bytes, Fs issue) {
  TrafficRequest request;
  request.initiator = platform.machine().engine({0, 0, pe}, PeEngine::pe_dma);
  request.target = platform.machine().hbm({0, 0, 0});
  request.write = write;
  request.offset = offset;
  request.bytes = bytes;
  request.issue = issue;
  return request;
}

ValidationCheck rate_check(std::string quantity, std::string formula, double expected, double bytes,
                           Fs time) {
  ValidationCheck check;
  check.quantity = std::move(quantity);
  check.formula = std::move(formula);
  check.unit = "GB/s";
  check.expected = expected;
  check.simulated = bytes / to_ns(time);
  check.tolerance = expected * 1e-6;
  check.allowance = "links without length take 1 fs, PEs are at different distances";
  return check;
}

// Rate of a stream without its latency: n / (T(2n) - T(n)).
std::vector<ValidationCheck> play_streams(Platform& platform) {
  constexpr std::uint64_t n = 1 << 20;
  std::vector<ValidationCheck> checks;
  const auto results =
      play_requests(platform, {request_of(platform, 0, false, 0, n, 0),
                               request_of(platform, 0, false, 0, 2 * n, 1'000'000 * fs_per_ns),
                               request_of(platform, 0, true, 0, n, 2'000'000 * fs_per_ns),
                               request_of(platform, 0, true, 0, 2 * n, 3'000'000 * fs_per_ns)});
  for (const std::size_t first : {0, 2}) {
    checks.push_back(rate_check(first == 0 ? "streaming reads" : "streaming writes",
                                fmt::format("{:g} * {:g} * 0.5", channels, channel_gbs),
                                channels * channel_gbs * 0.5, static_cast<double>(n),
                                results.at(first + 1).latency() - results.at(first).latency()));
    checks.back().tolerance = 0;
    checks.back().allowance = "";
  }
  return checks;
}

// 512 reads of a burst, 2 KiB apart: all on one channel, issued together by eight PEs, so that the
// channel is never idle. Measured between the first and the last end.
ValidationCheck check_one_channel(Platform& platform, std::uint64_t burst, std::string formula,
                                  double expected_gbs) {
  constexpr int each = 64;
  std::vector<TrafficRequest> requests;
  for (int i = 0; i < each; ++i) {
    for (int pe = 0; pe < 8; ++pe)
      requests.push_back(request_of(platform, pe, false,
                                    static_cast<std::uint64_t>((i * 8 + pe) * 2048), burst, 0));
  }
  std::vector<Fs> ends;
  for (const TrafficResult& result : play_requests(platform, requests)) ends.push_back(result.end);
  std::sort(ends.begin(), ends.end());
  return rate_check(fmt::format("512 reads of {} B, 2 KiB apart, by 8 PEs", burst),
                    std::move(formula), expected_gbs,
                    static_cast<double>(burst * (ends.size() - 1)), ends.back() - ends.front());
}

std::vector<ValidationCheck> play_one_channel(Platform& platform) {
  return {check_one_channel(platform, 256, fmt::format("{:g}", channel_gbs), channel_gbs)};
}

// Pseudo-channel of HBM2 in gem5: 32 B in 2 ns; a row of a bank is open for tRAS and closed in tRP.
constexpr double row_cycle_ns = 28 + 14;

std::vector<ValidationCheck> play_one_bank(Platform& platform) {
  ValidationCheck peak = check_one_channel(platform, 32, "32 / 2", 16);
  ValidationCheck bank = peak;
  bank.quantity += ", each a row of one bank";
  bank.formula = "32 / (28 + 14)";
  bank.expected = 32 / row_cycle_ns;
  bank.tolerance = 0;
  bank.allowance = "";
  bank.relation = Relation::at_least;
  bank.remark =
      "the model has no banks: its excess over the bound shows how optimistic it is for such "
      "accesses";
  return {peak, bank};
}

// Time from the end of the first to the end of the last of `count` requests; if they alternate,
// every second one is a write. Request k is issued at 3k ns. A command arrives at the HBM in no
// time, a write's flit in 2 ns: they arrive in order, faster than they are served. Reads end 2 ns
// after their bursts, so differences of ends of reads are differences of bursts.
Fs time_of_requests(Platform& platform, int count, bool alternate) {
  std::vector<TrafficRequest> requests;
  for (int k = 0; k < count; ++k) {
    requests.push_back(request_of(platform, alternate ? k / 2 : k, alternate && k % 2 == 1,
                                  static_cast<std::uint64_t>(k * 2048), 256,
                                  static_cast<Fs>(3 * k) * fs_per_ns));
  }
  const auto results = play_requests(platform, requests);
  return results.back().end - results.front().end;
}

constexpr double burst_ns = burst_bytes / channel_gbs;

std::vector<ValidationCheck> play_alternation(Platform& platform) {
  return {rate_check("8 reads and 7 writes in turn, penalty 6 ns",
                     fmt::format("256 / ({:g} + {:g})", burst_ns, penalty_ns),
                     burst_bytes / (burst_ns + penalty_ns), burst_bytes * 14,
                     time_of_requests(platform, 15, true))};
}

std::vector<ValidationCheck> play_one_direction(Platform& platform) {
  return {rate_check("8 reads", fmt::format("256 / {:g}", burst_ns), burst_bytes / burst_ns,
                     burst_bytes * 7, time_of_requests(platform, 8, false))};
}

}  // namespace

std::vector<ValidationCase> hbm_cases() {
  const char* const turnaround =
      "switching time between reads and writes of a rank, tWTR and tRTW: gem5, "
      "src/mem/DRAMInterface.py (\"write-to-read, same "
      "rank "
      "turnaround penalty\"); that every change pays it is how the model uses it";
  HbmStack half, penalty, gem5;
  half.efficiency = "0.5";
  penalty.switch_penalty_ns = "6";
  gem5.channel_gbs = "16";
  gem5.burst_bytes = 32;
  return {
      {"hbm-peak-rate", "hbm",
       "A stream over all pseudo-channels reaches the number of channels times the rate of one, "
       "here at an efficiency of one half, "
       "so that no link limits it",
       "independent channels, each with a data bus of its own: JEDEC JESD235, scope (\"Each "
       "channel is completely independent of "
       "one "
       "another\"); so that rates add up",
       "tiny", hbm_machine(half), play_streams},
      {"hbm-channel-collision", "hbm",
       "Addresses that differ by multiples of channels * burst fall on one pseudo-channel: however "
       "many ask, it gives its own rate",
       "sequential interleaving: of four banks, \"bank 0 has all blocks whose address modulo 4 is "
       "0\": an excerpt that was at hand "
       "without its "
       "title, taken to be J. Hennessy, D. Patterson, Computer Architecture, at figure 2.6",
       "tiny", hbm_machine({}), play_one_channel},
      {"hbm-bank-conflict", "hbm",
       "Where every access opens another row of one bank, a burst takes a row cycle: burst / tRC, "
       "however fast the channel",
       "gem5, src/python/gem5/components/memory/dram_interfaces/hbm.py, HBM_2000_4H_1x64: 64 bit, "
       "burst length 4, tBURST 2 ns, "
       "tRAS 28 ns, "
       "tRP 14 ns; src/mem/DRAMInterface.py: \"tRC - assumed to be tRAS + tRP\"",
       "tiny", hbm_machine(gem5), play_one_bank},
      {"hbm-alternation", "hbm",
       "Reads and writes in turn on one pseudo-channel: each burst pays the change of direction: "
       "burst / (burst time + penalty)",
       turnaround, "tiny", hbm_machine(penalty), play_alternation},
      {"hbm-one-direction", "hbm",
       "The same pseudo-channel with the same penalty, in one direction: the penalty is never paid",
       turnaround, "tiny", hbm_machine(penalty), play_one_direction}};
}

}  // namespace kernbench
