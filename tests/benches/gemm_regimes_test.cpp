// A tiled GEMM between its two limits: bound by the DMA of one operand, and bound by the MAC array.
#include <boost/test/unit_test.hpp>

#include "platform/observe/activity_windows.h"
#include "sw/benches/bench_program.h"
#include "sw/benches/bench_registry.h"
#include "tests/support/forked.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(gemm_regimes_test)

namespace {

struct Regime {
  Fs window = 0;
  double mac_utilisation = 0;
};

// matmul-composite 32 x 3072 x 32 f16 with A loaded beforehand, on PE 0 of one cube; the way to its
// HBM is `factor` times as fast.
Regime run_with_bandwidth(int factor) {
  const auto scaled = [factor](int gbs) { return std::to_string(gbs * factor); };
  BenchRegistry benches;
  register_benches(benches);
  const Bench& bench = benches.find("matmul-composite");
  BenchProgram program(
      bench, {resolve_parameters(
                  bench, {{"M", "32"}, {"K", "3072"}, {"N", "32"}, {"variant", "load_ref"}}),
              {0},
              1});
  ActivityWindows windows;
  MachineOptions options(MachineOptions::Engines::builtin);
  options.data = false;
  WholeMachine machine("topology.tiny.yaml",
                       {{"cube.links.hbm_to_router_bw_gbs", scaled(256)},
                        {"cube.memory_map.hbm_channel_bw_gbs", scaled(32)},
                        {"cube.links.pe_to_router_bw_gbs", scaled(256)}},
                       options);
  machine.platform->observation().executed_ops.bind(windows);
  BOOST_TEST(machine.platform->run(program).error == "");
  const ActivitySummary summary = windows.summary([](const std::string&) {
    return MacRate{4096, 1};
  });
  return {summary.composite.length(), *summary.mac_utilisation};
}

// With s = 1 ns / factor, the time of one 256 B flit at 256 GB/s:
// The read of a 4 KiB tile of B (64 x 32 f16, 16 flits): PE_DMA 1 ns; the command through the
// router 2 ns; 16 bursts over 8 channels, the first of which is out after 8 s; its flit takes s to
// the router, which holds it for 2 ns; then 16 flits, s each, go to PE_DMA and hide what is behind.
// 5 ns + 25 s, and 1 fs on each of the 4 links.
constexpr Fs read_round_trip(int factor) {
  return 5 * fs_per_ns + 25 * fs_per_ns / static_cast<Fs>(factor) + 4;
}
// The write of the 2 KiB result (8 flits): PE_DMA 1 ns, first flit s to the router, held 2 ns, 8
// flits of s to the HBM, a burst of 8 s, the acknowledgement through the router 2 ns. 5 ns + 17 s,
// and 4 links.
constexpr Fs write_round_trip(int factor) {
  return 5 * fs_per_ns + 17 * fs_per_ns / static_cast<Fs>(factor) + 4;
}
// A tile of A and one of B, 4 KiB each, at 512 GB/s; 32 x 64 x 32 products at 4096 per ns; 2 KiB at
// 512 GB/s.
constexpr Fs fetch = 16 * fs_per_ns;
constexpr Fs gemm = 16 * fs_per_ns;
constexpr Fs store = 4 * fs_per_ns;
constexpr Fs tiles = 3072 / 64;

}  // namespace

KERNBENCH_SYSTEMC_TEST(a_dma_bound_composite_takes_one_read_round_trip_per_tile) {
  // The read channel is held for the round trip, 30 ns, which hides FETCH and GEMM of the tile
  // before: 48 x 30 ns, then what the last tile does behind its read. 1498 ns + 196 fs.
  static_assert(read_round_trip(1) == 30 * fs_per_ns + 4);
  const Regime regime = run_with_bandwidth(1);
  BOOST_TEST(regime.window ==
             tiles * read_round_trip(1) + fetch + gemm + store + write_round_trip(1));
  BOOST_TEST(regime.mac_utilisation < 0.55);  // 16 of 30 ns
}

KERNBENCH_SYSTEMC_TEST(a_composite_just_below_the_crossover_is_still_dma_bound) {
  static_assert(read_round_trip(2) > gemm);  // 17.5 ns
  const Regime regime = run_with_bandwidth(2);
  BOOST_TEST(regime.window ==
             tiles * read_round_trip(2) + fetch + gemm + store + write_round_trip(2));
}

KERNBENCH_SYSTEMC_TEST(a_compute_bound_composite_keeps_the_mac_array_busy) {
  // Reads take 11.25 ns, less than the 16 ns of FETCH and GEMM, which run side by side on
  // consecutive tiles: the first read, then 48 x 16 ns. The crossover lies where 5 ns + 25 s = 16
  // ns, at 25 / 11 of the default bandwidth.
  static_assert(read_round_trip(4) < gemm);
  const Regime regime = run_with_bandwidth(4);
  BOOST_TEST(regime.window ==
             read_round_trip(4) + tiles * fetch + gemm + store + write_round_trip(4));
  BOOST_TEST(regime.mac_utilisation > 0.9);  // 768 of 808.5 ns
}

BOOST_AUTO_TEST_SUITE_END()
