// What a message at zero load has beyond the formula: short flits, and bursts that wait for their
// pseudo-channel.
#include "platform/topology/zero_load_latency.h"

#include <boost/test/unit_test.hpp>

#include "platform/topology/lower_bound.h"
#include "platform/topology/machine_message.h"
#include "tests/probe/routed_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(zero_load)

namespace {

constexpr Fs ns = fs_per_ns;

// Links of the same rate both ways, without propagation; one node without overhead between two of
// them.
struct TwoLinks {
  explicit TwoLinks(std::int64_t gbs)
      : hops{{0, 0, 0, 0, 0, Rational(gbs)}, {0, 0, 0, 0, 0, Rational(gbs)}, {}},
        forward(hops, nullptr), backward(hops, &forward) {
    forward.set_reverse(&backward);
  }
  std::vector<PathHop> hops;
  Path forward;
  Path backward;
};

MemoryMessage hbm_message(bool write, std::uint64_t bytes) {
  MemoryMessage m;
  m.write = write;
  m.posted = write;
  m.bytes = bytes;
  m.memory_is_hbm = true;
  m.num_pcs = 8;
  m.burst_time = 16 * ns;
  return m;
}

}  // namespace

// 64 + 256 + 64 bytes at 64 GB/s: 1, 4, 1 ns. At the node at 1, 5, 6; over the second link by 2,
// 9, 10. The formula has 1 + 6 = 7.
BOOST_AUTO_TEST_CASE(a_short_first_flit_lets_the_longer_one_behind_it_wait) {
  const TwoLinks way(64);
  MemoryMessage m;
  m.write = m.posted = true;
  m.offset = 192;
  m.bytes = 384;
  BOOST_TEST(lower_bound(way.forward, m).total() == 7 * ns);
  BOOST_TEST(zero_load_latency(way.forward, m) == 10 * ns);
}

// 16 flits of 1 ns, 8 channels, bursts of 16 ns: 8 flits leave at 16, 8 at 32; the last is there
// after 8 + 1 more. The formula has one burst: 16 + 17.
BOOST_AUTO_TEST_CASE(bursts_of_a_read_wait_for_their_channel) {
  const TwoLinks way(256);
  const MemoryMessage m = hbm_message(false, 4096);
  BOOST_TEST(lower_bound(way.forward, m).total() == 33 * ns);
  BOOST_TEST(zero_load_latency(way.forward, m, Bursts::side_by_side) == 33 * ns);
  BOOST_TEST(zero_load_latency(way.forward, m) == 41 * ns);
}

// Flit k arrives at 2 + k and books channel k mod 8: flit 7 at 9..25, flit 15 from 25 on instead
// of 17. The formula: 17 + 16.
BOOST_AUTO_TEST_CASE(bursts_of_a_write_wait_for_their_channel) {
  const TwoLinks way(256);
  const MemoryMessage m = hbm_message(true, 4096);
  BOOST_TEST(lower_bound(way.forward, m).total() == 33 * ns);
  BOOST_TEST(zero_load_latency(way.forward, m) == 41 * ns);
}

// Two flits of 128 bytes share a burst: the second books it again. 0.5 ns a flit: they arrive at 1
// and 1.5; 1 + 16 + 16.
BOOST_AUTO_TEST_CASE(flits_that_share_a_burst_book_it_twice) {
  const TwoLinks way(256);
  MemoryMessage m = hbm_message(true, 256);
  m.flit_bytes = 128;
  BOOST_TEST(lower_bound(way.forward, m).total() == 17 * ns + ns / 2);
  BOOST_TEST(zero_load_latency(way.forward, m) == 33 * ns);
}

// HBM's overhead holds the first flit; those behind it are through at the same instant, and on
// channels of their own.
BOOST_AUTO_TEST_CASE(the_memory_overhead_of_a_write_holds_what_is_behind_the_first_flit) {
  const TwoLinks way(256);
  MemoryMessage m = hbm_message(true, 1024);
  m.memory_overhead = 10 * ns;
  BOOST_TEST(zero_load_latency(way.forward, m) == (2 + 10 + 16) * ns);
  BOOST_TEST(lower_bound(way.forward, m).total() == (2 + 10 + 16) * ns);
}

// Full flits of the default machine, whose channels keep up with the link: nothing is beyond the
// formula.
BOOST_AUTO_TEST_CASE(full_flits_on_the_default_machine_take_the_formulas_time) {
  RoutedMachine m;
  for (const std::string target :
       {"sip0.cube0.hbm_ctrl.pe0", "sip0.cube15.hbm_ctrl.pe7", "sip0.cube3.sram",
        "sip1.cube5.hbm_ctrl.pe2", "sip1.cube0.pe3.pe_tcm"}) {
    for (const std::string initiator : {"sip0.cube0.pe0.pe_dma", "sip0.io0.pcie_ep"}) {
      for (const bool write : {false, true}) {
        const Path& path = m.path(initiator, target);
        const MemoryMessage message = machine_message(m.graph, path, write, 512, 65536);
        BOOST_TEST_CONTEXT(initiator << " " << target << " " << write) {
          BOOST_TEST(zero_load_latency(path, message) == lower_bound(path, message).total());
        }
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
