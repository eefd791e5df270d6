// The computed delays of IPCQ (spec 8.1).
#include "models/timing/ipcq_rules.h"

#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(ipcq_rules)

namespace {

// Nodes of the overheads given; between them links of the bandwidths, 1 ns long each.
Path chain(const std::vector<Fs>& overheads_ns, const std::vector<std::int64_t>& bw_gbs) {
  std::vector<PathHop> hops(overheads_ns.size());
  for (std::size_t i = 0; i < hops.size(); ++i) {
    hops[i].overhead_fs = overheads_ns[i] * fs_per_ns;
    if (i < bw_gbs.size()) {
      hops[i].bw_gbs = bw_gbs[i];
      hops[i].propagation_fs = fs_per_ns;
    }
  }
  return {std::move(hops), nullptr};
}

constexpr Fs ns = fs_per_ns;

}  // namespace

BOOST_AUTO_TEST_CASE(the_narrowest_link_leaves_out_unlimited_ones) {
  BOOST_TEST(narrowest_gbs(chain({0, 0, 0, 0}, {256, 128, 512})).str() == "128");
  BOOST_TEST(narrowest_gbs(chain({0, 0, 0}, {0, 256})).str() == "256");
  BOOST_TEST(narrowest_gbs(chain({0, 0, 0}, {0, 0})).is_zero());
}

// hbm: 6 ns + 512 / 256 + 512 / 256 = 10 ns. sram: 2 + 512 / 512 + 512 / 128 = 7 ns.
BOOST_AUTO_TEST_CASE(a_slot_access_pays_tier_overhead_tier_and_hop) {
  BOOST_TEST(slot_access_fs({6 * ns, 256}, 512, chain({1, 2, 0}, {256, 256})) == 10 * ns);
  BOOST_TEST(slot_access_fs({2 * ns, 512}, 512, chain({1, 2, 2}, {256, 128})) == 7 * ns);
  BOOST_TEST(slot_access_fs({2 * ns, 512}, 512, chain({1, 2, 2}, {0, 0})) ==
             3 * ns);  // no link limits it
}

// 100 / 512 = 0.1953125 ns, 100 / 96 = 1.041666.. ns: each term is rounded once, half up.
BOOST_AUTO_TEST_CASE(every_term_is_rounded_once) {
  BOOST_TEST(slot_access_fs({0, 512}, 100, chain({0, 0}, {96})) == 195'313 + 1'041'667);
}

// Overheads 1 + 2 + 2 + 1, three links of 1 ns, 16 / 128 = 0.125 ns.
BOOST_AUTO_TEST_CASE(a_credit_pays_every_node_with_both_ends_every_propagation_and_its_bytes) {
  const Path path = chain({1, 2, 2, 1}, {256, 128, 256});
  BOOST_TEST(credit_fs(path, 16) == 9 * ns + 125'000);
  BOOST_TEST(credit_fs(path, 64) == 9 * ns + 500'000);
}

RC_BOOST_PROP(more_bytes_and_narrower_links_never_take_less, ()) {
  const auto bytes = *rc::gen::inRange<std::uint64_t>(1, 1 << 20),
             more = *rc::gen::inRange<std::uint64_t>(0, 1 << 20);
  const auto bw = *rc::gen::inRange<std::int64_t>(2, 1000),
             tier = *rc::gen::inRange<std::int64_t>(1, 1000);
  const SlotTier slot{*rc::gen::inRange<Fs>(0, 10 * ns), tier};
  RC_ASSERT(slot_access_fs(slot, bytes, chain({0, 0}, {bw})) <=
            slot_access_fs(slot, bytes + more, chain({0, 0}, {bw})));
  RC_ASSERT(slot_access_fs(slot, bytes, chain({0, 0}, {bw})) <=
            slot_access_fs(slot, bytes, chain({0, 0}, {bw - 1})));
  RC_ASSERT(credit_fs(chain({1, 1}, {bw}), bytes) <= credit_fs(chain({1, 1}, {bw}), bytes + more));
}

BOOST_AUTO_TEST_SUITE_END()
