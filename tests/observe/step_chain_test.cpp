// Chains of steps: copies share, equal neighbours merge, long chains go back to the pool.
#include <boost/test/unit_test.hpp>

#include "platform/observe/latency_breakdown.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(step_chain)

namespace {

const FabricPlace router = FabricPlace::node(3), link = FabricPlace::link(3);

std::vector<Fs> lengths(const StepChain& chain) {  // newest first
  std::vector<Fs> list;
  for (const LatencyStep* step = chain.newest(); step != nullptr; step = step->previous)
    list.push_back(step->length);
  return list;
}

}  // namespace

BOOST_AUTO_TEST_CASE(steps_of_equal_place_and_part_are_one) {
  StepPool pool;
  StepChain chain(pool);
  chain.add(router, LatencyPart::noc, 2);
  chain.add(link, LatencyPart::noc, 3);
  chain.add(link, LatencyPart::noc, 4);
  chain.add(link, LatencyPart::link, 5);
  BOOST_TEST(lengths(chain) == (std::vector<Fs>{5, 7, 2}), boost::test_tools::per_element());
  BOOST_TEST(pool.size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_step_of_several_chains_does_not_change) {
  StepPool pool;
  StepChain first(pool);
  first.add(router, LatencyPart::noc, 2);
  first.add(link, LatencyPart::link, 3);
  StepChain second = first;
  second.add(link, LatencyPart::link, 4);
  BOOST_TEST(lengths(first) == (std::vector<Fs>{3, 2}), boost::test_tools::per_element());
  BOOST_TEST(lengths(second) == (std::vector<Fs>{7, 2}), boost::test_tools::per_element());
  BOOST_TEST(pool.size() == 3U);  // the router's is of both
  first = StepChain(pool);
  BOOST_TEST(pool.size() == 2U);
  BOOST_TEST(lengths(second) == (std::vector<Fs>{7, 2}), boost::test_tools::per_element());
}

// A recursion of this depth would need more than the stack.
BOOST_AUTO_TEST_CASE(a_chain_of_a_million_steps_is_freed) {
  StepPool pool;
  {
    StepChain chain(pool);
    for (int i = 0; i < 1'000'000; ++i)
      chain.add(link, i % 2 == 0 ? LatencyPart::link : LatencyPart::contention, 1);
    const StepChain copy = chain;
    chain = StepChain(pool);
    BOOST_TEST(pool.size() == 1'000'000U);
  }
  BOOST_TEST(pool.size() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
