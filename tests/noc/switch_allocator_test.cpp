// Policies of switch allocation (models/noc/switch_allocator.h), cycle by cycle.
#include "models/noc/switch_allocator.h"

#include <boost/test/unit_test.hpp>

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(switch_allocator)

namespace {

constexpr std::uint32_t none = SwitchAllocator::none;
using Matches = SwitchMatches;

// Pairs that request; all flits have the same id.
Matches match(SwitchAllocator& allocator,
              const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
  SwitchRequests requests(3, 3);
  for (const auto& [input, output] : pairs) requests.add(input, output, 0, {});
  Matches matches(3, none);
  allocator.match(requests, matches);
  return matches;
}

const std::vector<std::pair<std::uint32_t, std::uint32_t>> all_pairs{
    {0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}};

void check(const Matches& matches, const Matches& expected) {
  BOOST_TEST(matches == expected, boost::test_tools::per_element());
}

}  // namespace

BOOST_AUTO_TEST_CASE(ports_in_rotation_begin_at_the_start_and_wrap) {
  BOOST_TEST(first_from(0b1010, 0) == 1U);
  BOOST_TEST(first_from(0b1010, 2) == 3U);
  BOOST_TEST(first_from(0b1010, 4) == 1U);
  BOOST_TEST(first_from(std::uint64_t{1} << 63, 63) == 63U);
  BOOST_TEST(first_from(0b1, 64) == 0U);
}

// All pointers at 0: every output grants input 0, which accepts output 0. Then output 0 prefers
// input 1, and input 0 output 1. From the third cycle on each output grants a different input.
BOOST_AUTO_TEST_CASE(islip_desynchronises) {
  IslipAllocator islip(1);
  check(match(islip, all_pairs), {0, none, none});
  check(match(islip, all_pairs), {1, 0, none});
  check(match(islip, all_pairs), {2, 1, 0});
  check(match(islip, all_pairs), {0, 2, 1});
  check(match(islip, all_pairs), {1, 0, 2});
  check(match(islip, all_pairs), {2, 1, 0});
}

// Two more iterations match the inputs and outputs that are left: output 1 and input 1 (pointers at
// 0), then output 2 and input 2.
BOOST_AUTO_TEST_CASE(iterations_of_islip_fill_the_match) {
  IslipAllocator islip(3);
  check(match(islip, all_pairs), {0, 1, 2});
  // Only the pointers of (0, 0) have moved: output 0 grants input 1, outputs 1 and 2 grant input 0,
  // which accepts 1; then output 2 and input 2.
  check(match(islip, all_pairs), {1, 0, 2});
}

// Output 1 grants input 0, which accepts output 0: the pointer of output 1 stays, although its
// second iteration matches input 1.
BOOST_AUTO_TEST_CASE(a_grant_of_a_later_iteration_moves_no_pointer) {
  IslipAllocator islip(2);
  check(match(islip, {{0, 0}, {0, 1}, {1, 1}}), {0, 1, none});
  check(match(islip, {{0, 1}, {1, 1}}), {1, none, none});
  check(match(islip, {{0, 1}, {1, 1}}), {none, 1, none});  // accepted in the first: it moves
}

// Every input proposes output 0; input 0 is accepted, the others keep their priority for output 0.
BOOST_AUTO_TEST_CASE(round_robin_moves_priorities_with_matches_only) {
  RoundRobinAllocator round_robin;
  check(match(round_robin, all_pairs), {0, none, none});
  check(match(round_robin, all_pairs), {1, 0, none});
  check(match(round_robin, all_pairs), {2, 1, 0});
  check(match(round_robin, all_pairs), {0, 2, 1});
}

// An input proposes one output only: input 1 has none left, though output 1 is free.
BOOST_AUTO_TEST_CASE(round_robin_is_separable) {
  RoundRobinAllocator round_robin;
  check(match(round_robin, {{0, 0}, {1, 0}, {1, 1}}), {0, none, none});
}

// The oldest is (2, 1); of the rest that needs neither, (1, 0) is older than (0, 0).
BOOST_AUTO_TEST_CASE(age_matches_the_oldest_first) {
  AgeAllocator age;
  SwitchRequests requests(3, 3);
  requests.add(0, 0, 0, {30, 0, 0});
  requests.add(0, 1, 0, {11, 0, 1});
  requests.add(1, 0, 0, {20, 0, 2});
  requests.add(2, 1, 0, {10, 0, 3});
  Matches matches(3, none);
  age.match(requests, matches);
  check(matches, {none, 0, 1});
  BOOST_TEST(age.oldest_first());
}

BOOST_AUTO_TEST_SUITE_END()
