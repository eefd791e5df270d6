// The HBM controller with banks (spec 2.5) against Ramulator 2.1, HBM2_2000Mbps, HBM2_2Gb, one
// channel of two pseudo-channels: peak 32 GB/s, 42.0 ns for a read without load, 30.4 GB/s of a
// stream with refresh. Here without the pipeline of a simulator or a fabric: links of 1 fs, no
// overhead. Found: 30.41 GB/s, 41.4 ns.
#include <boost/test/unit_test.hpp>
#include <random>

#include "models/cube/hbm_banked.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(hbm_checkpoint)

namespace {

struct Memory {
  explicit Memory(std::uint32_t flit_bytes) : machine({"a", "h"}, flit_bytes) {
    machine.add<HbmBanked>("h", {{"num_pcs", "2"}, {"pcs_per_bus", "2"}, {"refresh", "all_bank"}});
    machine.connect("a", "h");
    machine.elaborate();
  }
  MiniMachine machine;
  StubNode& a{machine.stub("a")};
};

}  // namespace

KERNBENCH_SYSTEMC_TEST(a_stream_with_refresh_reaches_the_rate_that_ramulator_reports) {
  Memory m(256);
  constexpr unsigned bytes = 4 << 20;
  m.a.send_at(m.machine.read("a", "h", 0, bytes), 0);
  m.machine.run();
  const double gbs = bytes / to_ns(m.machine.completed_at(0));
  BOOST_TEST(gbs < 32.0);
  BOOST_TEST(gbs == 30.4, boost::test_tools::tolerance(0.05));
  // Upper bound: of each tREFI = 3900 ns the refresh takes tRFC = 160 ns.
  BOOST_TEST(gbs < 32.0 * (3900 - 160) / 3900);
}

// A chain of dependent reads of random rows: mostly conflicts (44 ns), after each refresh misses
// (30 ns), and the wait for the refresh itself.
KERNBENCH_SYSTEMC_TEST(a_chain_of_random_reads_has_the_latency_that_ramulator_reports) {
  Memory m(32);
  std::minstd_rand random(1);
  constexpr int count = 2000;
  Fs time = 0;
  for (int i = 0; i < count; ++i) {
    m.a.send_at(m.machine.read("a", "h", random() % (1 << 23) * 32, 32), time);
    m.machine.run();
    time = m.machine.completed_at(static_cast<std::uint64_t>(i));
  }
  BOOST_TEST(to_ns(time) / count == 42.0, boost::test_tools::tolerance(0.05));
}

BOOST_AUTO_TEST_SUITE_END()
