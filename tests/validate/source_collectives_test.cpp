// All-reduce of the Python system as a sum of steps: sums by hand, and published figures.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "platform/validate/source_collective_steps.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(source_collectives)

namespace {

constexpr std::uint64_t small = 65536, large = 98304;

void check_sum(double sum, double by_hand) { BOOST_TEST(std::abs(sum - by_hand) < 1e-6, sum); }

}  // namespace

// 64 KiB: load 271; hops E 2 * (556 + 2 * 128 + 33.625 + 257) and S 2 * (555.7 + 256 + 33.325 +
// 257); exchanges 3 * (252.2 + 512 + 1024 + 512 + 256 + 180.45 + 257) + 63; store of the root 271;
// hops N 2 * (545.7 + 256 + 33.325) and W 2 * (546 + 256 + 33.625); store 271. A slot in HBM takes
// 6 + 2 * 256, in SRAM 2 + 128 + 512, where one in TCM takes 128; 22 of them.
BOOST_AUTO_TEST_CASE(each_block_one_message) {
  const double by_hand = 271 + 2205.25 + 2204.05 + 9043.95 + 271 + 1670.05 + 1671.25 + 271;
  check_sum(sum_ns(one_message_steps({small, "tcm", false})), by_hand);
  check_sum(sum_ns(one_message_steps({small, "hbm", false})), by_hand + 22 * (518 - 128));
  check_sum(sum_ns(one_message_steps({small, "sram", false})), by_hand + 22 * (642 - 128));
}

// 32 KiB more: 8 hops of 1/128, 3 exchanges of 1/32, 22 slots of 1/512, 7 additions, 1 load and 2
// stores of 1/256 ns per byte. A root in the corner: four hops with eight slots and two additions
// more, each exchange 85.4 there and 58.4 for its credit, each hop E and W 0.3 longer than S and N.
BOOST_AUTO_TEST_CASE(size_and_root) {
  const double middle = sum_ns(one_message_steps({small, "tcm", false}));
  check_sum(sum_ns(one_message_steps({large, "tcm", false})),
            middle + 8 * 256 + 3 * 1024 + 22 * 64 + (7 + 1 + 2) * 128);
  const double hops = 556 + 555.7 + 545.7 + 546 + 2 * (33.625 + 33.325) + 8 * 128 + 2 * 257;
  check_sum(sum_ns(one_message_steps({small, "tcm", true})), middle + hops + 3 * (85.4 + 58.4));
}

// 24 messages of 4 KiB: the first one crosses the whole path, the root receives four of each, and
// each exchange sends all of them sequentially, since a receive waits for its credit.
BOOST_AUTO_TEST_CASE(messages_of_slots) {
  const double to_root = 399 + 2 * 142.625 + 142.025 + 83.7,
               at_root = 24 * 58.325 + 23 * (2 * 58.625 + 58.325),
               exchanges = 3 * 388.2 + 63 + 72 * 205.45 + 24 * 31,
               back = 2 * 115.025 + 74 + 23 * 85.625 + 188.25;
  check_sum(sum_ns(chunk_steps({large, "tcm", false})), to_root + at_root + exchanges + back);
}

// 64 KiB: load 5, eight messages of 30 or 40 + 512, three of 163 + 1024, 24 slots of 128, credits
// 5 * (30.125 + 40.125) + 3 * 163.25, nine additions of 1, store 5. The bytes of the load: 256. The
// corner: four hops more, 28 more to each end point there and for the credit, nothing read late.
BOOST_AUTO_TEST_CASE(steps_of_the_source) {
  const double by_hand = 5 + 4 * 542 + 4 * 552 + 3 * 1187 + 24 * 128 + 351.25 + 489.75 + 9 + 5;
  check_sum(sum_ns(source_steps({small, "tcm", false}, false)), by_hand);
  check_sum(sum_ns(source_steps({small, "tcm", false}, true)), by_hand + 256);
  check_sum(sum_ns(source_steps({small, "hbm", false}, false)), by_hand + 24 * (518 - 128));
  check_sum(sum_ns(source_steps({small, "sram", false}, false)), by_hand + 24 * (642 - 128));
  check_sum(sum_ns(source_steps({large, "tcm", false}, false)),
            by_hand + 8 * 256 + 3 * 512 + 24 * 64);
  check_sum(sum_ns(source_steps({small, "tcm", true}, false)),
            by_hand + 2 * (542 + 552) + 6 * 128 + 70.25 + 3 * 2 * 56);
}

// Each published figure is between the sums without and with the bytes of the load.
BOOST_AUTO_TEST_CASE(published_figures_are_between_the_sums) {
  const auto check = [](const SourceAllReduce& way, double published_us) {
    BOOST_TEST(sum_ns(source_steps(way, false)) < published_us * 1000);
    BOOST_TEST(sum_ns(source_steps(way, true)) > published_us * 1000);
  };
  check({small, "tcm", false}, 12.0);
  check({small, "hbm", false}, 21.4);
  check({small, "sram", false}, 24.3);
  check({large, "tcm", false}, 17.2);
  check({large, "tcm", true}, 22.0);
}

BOOST_AUTO_TEST_SUITE_END()
