// Windows, MAC utilisation and useful efficiency from reported operations (spec 10).
#include "platform/observe/activity_windows.h"

#include "tests/observe/fake_machine.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(activity_windows_test)

namespace {

ExecutedOp record(const FakeEngine& node, OpKind kind, Fs start_ns, Fs end_ns, std::int64_t tile,
                  std::uint64_t macs = 0) {
  ExecutedOp op;
  op.node = &node;
  op.kind = kind;
  op.name = "";
  op.t_start = start_ns * fs_per_ns;
  op.t_end = end_ns * fs_per_ns;
  op.tile_id = tile;
  op.macs = macs;
  return op;
}

MacRate default_rate(const std::string&) { return {4096, Rational(1)}; }

}  // namespace

// One PE: a load 10..20 without a tile; tiles: read 20..60, GEMM 60..76 and 80..96 (65536 MACs
// each), write 96..120. Composite window 20..120 = 100 ns; PE window 10..120. GEMM 32 ns:
// utilisation 0.32. Ideal: 131072 / 4096 = 32 cycles = 32 ns. A copy outside the tiles (120..130)
// widens only the PE window; the record of the composite itself is no product.
KERNBENCH_SYSTEMC_TEST(the_composite_window_spans_records_with_a_tile_stage) {
  FakeMachine machine;
  ActivityWindows windows;
  windows.write(record(*machine.dma, OpKind::memory, 10, 20, -1));
  windows.write(record(*machine.dma, OpKind::memory, 20, 60, 0));
  windows.write(record(*machine.gemm, OpKind::gemm, 60, 76, 0, 65536));
  windows.write(record(*machine.gemm, OpKind::gemm, 80, 96, 1, 65536));
  windows.write(record(*machine.dma, OpKind::memory, 96, 120, 1));
  ExecutedOp composite = record(*machine.gemm, OpKind::gemm, 15, 120, -1);
  composite.name = "composite_gemm";
  windows.write(composite);
  windows.write(record(*machine.dma, OpKind::copy, 120, 130, -1));
  const ActivitySummary summary = windows.summary(default_rate);
  BOOST_REQUIRE(summary.pes.size() == 1U);
  BOOST_TEST(summary.pes[0].pe == "sip0.pe0");
  BOOST_TEST(summary.composite.begin == 20 * fs_per_ns);
  BOOST_TEST(summary.composite.length() == 100 * fs_per_ns);
  BOOST_TEST(summary.all.begin == 10 * fs_per_ns);
  BOOST_TEST(summary.all.length() == 120 * fs_per_ns);
  BOOST_TEST(*summary.mac_utilisation == 0.32);
  BOOST_TEST(*summary.useful_efficiency == 0.32);
  BOOST_TEST(windows.operations() == 7U);
}

// A tile that fills a quarter of its one cycle: busy 1 ns of 10, useful 0.25 ns of 10.
KERNBENCH_SYSTEMC_TEST(useful_efficiency_counts_multiply_accumulates_not_cycles) {
  FakeMachine machine;
  ActivityWindows windows;
  windows.write(record(*machine.dma, OpKind::memory, 0, 9, 0));
  windows.write(record(*machine.gemm, OpKind::gemm, 9, 10, 0, 1024));
  const ActivitySummary summary = windows.summary(default_rate);
  BOOST_TEST(*summary.mac_utilisation == 0.1);
  BOOST_TEST(*summary.useful_efficiency == 0.025);
}

// sip0 represents a second PE here, by its direct child ucie-N. Windows 10 and 30 ns, GEMM 5 and
// 15: 20 / 40.
KERNBENCH_SYSTEMC_TEST(several_pes_weigh_by_their_windows) {
  FakeMachine machine;
  ActivityWindows windows;
  windows.write(record(*machine.gemm, OpKind::gemm, 0, 5, 0, 4096));
  windows.write(record(*machine.gemm, OpKind::memory, 5, 10, 0));
  windows.write(record(*machine.port, OpKind::gemm, 100, 115, 0, 4096));
  windows.write(record(*machine.port, OpKind::memory, 115, 130, 0));
  const ActivitySummary summary = windows.summary(default_rate);
  BOOST_TEST(summary.pes.size() == 2U);
  BOOST_TEST(*summary.mac_utilisation == 0.5);
  BOOST_TEST(summary.composite.length() == 130 * fs_per_ns);
}

// Load 0..10, dot 10..20 of 40960 MACs = 10 cycles, store 20..40: 10 ns of 40.
KERNBENCH_SYSTEMC_TEST(dots_count_in_the_window_of_their_pe) {
  FakeMachine machine;
  ActivityWindows windows;
  windows.write(record(*machine.dma, OpKind::memory, 0, 10, -1));
  windows.write(record(*machine.gemm, OpKind::gemm, 10, 20, -1, 40960));
  windows.write(record(*machine.dma, OpKind::memory, 20, 40, -1));
  const ActivitySummary summary = windows.summary(default_rate);
  BOOST_TEST(*summary.mac_utilisation == 0.25);
  BOOST_TEST(*summary.useful_efficiency == 0.25);
  BOOST_TEST(summary.pes.at(0).mac_window().length() == 40 * fs_per_ns);
  BOOST_TEST(summary.pes.at(0).macs == 40960U);
  BOOST_TEST(summary.composite.empty());
}

// A dot of 8 ns that does half of what fits (16384 MACs = 4 ns) and tiles of 12 ns (49152 MACs), in
// 100 ns: 20 busy, 16 useful. A second PE, with tiles alone, has its composite window, 10 of 20.
KERNBENCH_SYSTEMC_TEST(dots_and_composites_count_together) {
  FakeMachine machine;
  ActivityWindows windows;
  windows.write(record(*machine.dma, OpKind::memory, 0, 50, -1));
  windows.write(record(*machine.gemm, OpKind::gemm, 50, 58, -1, 16384));
  windows.write(record(*machine.gemm, OpKind::gemm, 60, 72, 0, 49152));
  windows.write(record(*machine.dma, OpKind::memory, 80, 100, 0));
  BOOST_TEST(*windows.summary(default_rate).mac_utilisation == 0.2);
  BOOST_TEST(*windows.summary(default_rate).useful_efficiency == 0.16);
  windows.write(record(*machine.port, OpKind::memory, 0, 80, -1));
  windows.write(record(*machine.port, OpKind::gemm, 80, 90, 0, 40960));
  windows.write(record(*machine.port, OpKind::memory, 90, 100, 0));
  BOOST_TEST(*windows.summary(default_rate).mac_utilisation == (20 + 10) / (100.0 + 20));
}

KERNBENCH_SYSTEMC_TEST(without_a_product_there_is_no_utilisation) {
  FakeMachine machine;
  ActivityWindows windows;
  windows.write(record(*machine.dma, OpKind::memory, 0, 5, -1));
  windows.write(record(*machine.gemm, OpKind::math, 5, 9, 0));
  const ActivitySummary summary = windows.summary(default_rate);
  BOOST_TEST(!summary.mac_utilisation.has_value());
  BOOST_TEST(!summary.useful_efficiency.has_value());
  BOOST_TEST(summary.composite.length() == 4 * fs_per_ns);
}

// Stopped at 20: a GEMM since 10 counts 10 ns of 20, and reaches to the end of the window; its
// multiply-accumulates are not done.
KERNBENCH_SYSTEMC_TEST(what_is_in_flight_counts_as_if_it_ended_now) {
  FakeMachine machine;
  ActivityWindows windows;
  windows.write(record(*machine.dma, OpKind::memory, 0, 10, 0));
  const ActivitySummary summary =
      windows.summary(default_rate, {record(*machine.gemm, OpKind::gemm, 10, 20, 0)});
  BOOST_TEST(summary.composite.length() == 20 * fs_per_ns);
  BOOST_TEST(summary.all.length() == 20 * fs_per_ns);
  BOOST_TEST(*summary.mac_utilisation == 0.5);
  BOOST_TEST(*summary.useful_efficiency == 0.0);
  BOOST_TEST(windows.operations() == 1U);
  BOOST_TEST(windows.summary(default_rate).composite.length() == 10 * fs_per_ns);  // asked again
}

BOOST_AUTO_TEST_SUITE_END()
