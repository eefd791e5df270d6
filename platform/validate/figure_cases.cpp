// Published figures: peak rates of memory stacks and of a die-to-die link, on machines with their
// channels.
#include <fmt/format.h>

#include <algorithm>

#include "platform/validate/case_machines.h"
#include "platform/validate/validation_case.h"

namespace kernbench {
namespace {

constexpr int pes = 8;
constexpr std::uint64_t n = 1 << 20;

TrafficRequest read_of(const Platform& platform, int pe, int cube, std::uint64_t bytes, Fs issue) {
  TrafficRequest request;
  request.initiator = platform.machine().engine({0, 0, pe}, PeEngine::pe_dma);
  request.target = platform.machine().hbm({0, cube, pe});
  request.bytes = bytes;
  request.issue = issue;
  return request;
}

// Eight PEs read n bytes each from the partitions of a cube, and later twice as many: the total
// rate without latency.
double streaming_gbs(Platform& platform, int cube) {
  constexpr Fs later = 1'000'000 * fs_per_ns;
  std::vector<TrafficRequest> requests;
  for (int pe = 0; pe < pes; ++pe) requests.push_back(read_of(platform, pe, cube, n, 0));
  for (int pe = 0; pe < pes; ++pe) requests.push_back(read_of(platform, pe, cube, 2 * n, later));
  Fs once = 0, twice = 0;
  for (const TrafficResult& result : play_requests(platform, requests)) {
    Fs& longest = result.request.bytes == n ? once : twice;
    longest = std::max(longest, result.latency());
  }
  return static_cast<double>(pes * n) / to_ns(twice - once);
}

ValidationCheck rate_check(std::string quantity, std::string formula, double expected,
                           double simulated) {
  ValidationCheck check;
  check.quantity = std::move(quantity);
  check.formula = std::move(formula);
  check.unit = "GB/s";
  check.expected = expected;
  check.simulated = simulated;
  check.tolerance = expected * 1e-6;
  check.allowance = "delays are whole femtoseconds";
  return check;
}

// Memory stack from its standard: `bits` wide at `gbps` per pin, split evenly over the channels of
// the machine.
ValidationCase stack_case(std::string name, HbmStack stack, int bits, double gbps,
                          std::string statement, std::string source) {
  const auto run = [bits, gbps](Platform& platform) -> std::vector<ValidationCheck> {
    return {rate_check("8 PEs stream from all pseudo-channels",
                       fmt::format("{} * {:g} / 8", bits, gbps), bits * gbps / 8,
                       streaming_gbs(platform, 0))};
  };
  return {std::move(name),    "figures", std::move(statement), std::move(source), "tiny",
          hbm_machine(stack), run};
}

HbmStack channels(int per_pe, std::string gbs) {
  HbmStack stack;
  stack.channels_per_pe = per_pe;
  stack.channel_gbs = std::move(gbs);
  return stack;
}

// Two adjacent cubes with a seam of 256 GB/s; everything else is wider.
std::vector<Override> two_cubes() {
  std::vector<Override> overrides = hbm_machine({});
  for (const auto& [key, value] : std::vector<std::pair<const char*, const char*>>{
           {"sip.cube_mesh", "{w: 2, h: 1}"},
           {"sip.links.ucie_seam", "{bw_gbs: 256, distance_mm: 1}"},
           {"cube.ucie.n_connections", "4"},
           {"cube.ucie.per_connection_bw_gbs", "128"},
           {"cube.ucie.port.attrs.overhead_ns", "8"},
           {"cube.ucie.conn.attrs.overhead_ns", "0"}}) {
    overrides.push_back({key, value});
  }
  return overrides;
}

std::vector<ValidationCheck> play_seam(Platform& platform) {
  return {rate_check("8 PEs stream from the next cube", "64 * 32 / 8", 64 * 32 / 8,
                     streaming_gbs(platform, 1))};
}

}  // namespace

std::vector<ValidationCase> figure_cases() {
  return {
      stack_case("hbm2-stack", channels(1, "38.4"), 1024, 2.4,
                 "An HBM2 stack: 1024 bit in 8 channels at 2.4 Gb/s per pin: up to 307 GB/s",
                 "JEDEC, announcement of JESD235B, as reprinted: \"speeds up to 307 GB/s ... "
                 "across a 1024-bit wide device "
                 "interface that is "
                 "divided into 8 independent channels\", \"per-pin bandwidth to 2.4 Gbps\""),
      stack_case("hbm3-stack", channels(4, "25.6"), 1024, 6.4,
                 "An HBM3 stack: 16 channels of 2 pseudo-channels at 6.4 Gb/s per pin: 819 GB/s; "
                 "1024 bit follow from the two figures",
                 "JEDEC, announcement of JESD238 (January 2022), as reprinted: \"data rates of up "
                 "to 6.4 Gb/s, equivalent to 819 GB/s per "
                 "device\", 16 channels, \"two pseudo channels per channel\""),
      stack_case("hbm4-stack", channels(8, "32"), 2048, 8,
                 "An HBM4 stack, which the default cube has the channels of: 2048 bit, 32 channels "
                 "of 2 pseudo-channels, 8 Gb/s per pin: "
                 "up to "
                 "2 TB/s",
                 "JEDEC, announcement of JESD270-4 (16 April 2025), as reprinted: \"up to 8 Gb/s "
                 "across a 2048-bit interface\", \"total "
                 "bandwidth up to 2 TB/s\", \"32 channels with 2 pseudo-channels per channel\""),
      {"ucie-link", "figures",
       "A UCIe link of 64 lanes at 32 GT/s: 256 GB/s each way before its protocol, which the model "
       "does not have",
       "UCIe 1.0, as summarised by Wikipedia, UCIe: \"up to 32 GT/s with 16 to 64 lanes\"; the "
       "specification itself was not at "
       "hand",
       "tiny", two_cubes(), play_seam}};
}

}  // namespace kernbench
