// Max-min fair shares: by hand, and their defining properties on random flows.
#include "platform/probe/fair_shares.h"

#include <rapidcheck/boost_test.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(fair_shares)

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

std::vector<double> used(const std::vector<double>& capacities, const std::vector<Flow>& flows,
                         const std::vector<double>& shares) {
  std::vector<double> sums(capacities.size(), 0);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    for (const std::size_t resource : flows[i].resources) sums[resource] += shares[i];
  }
  return sums;
}

}  // namespace

// Three flows share a link of 4: 4/3 each. The flow that has a link of 10 with one of them gets the
// rest, 10 - 4/3, and the one on a link of its own all of it.
BOOST_AUTO_TEST_CASE(flows_beyond_a_bottleneck_share_what_it_leaves) {
  const std::vector<double> shares =
      max_min_shares({10, 4, 7}, {{{0}}, {{0, 1}}, {{1}}, {{1}}, {{2}}});
  const std::vector<double> expected{10 - 4.0 / 3, 4.0 / 3, 4.0 / 3, 4.0 / 3, 7};
  BOOST_REQUIRE(shares.size() == expected.size());
  for (std::size_t i = 0; i < shares.size(); ++i)
    BOOST_TEST(shares[i] == expected[i], boost::test_tools::tolerance(1e-12));
}

// Weights 1 and 3 on a link of 8: 2 and 6; the second has a link of 5 as well: 5, the first 3.
BOOST_AUTO_TEST_CASE(shares_grow_in_proportion_to_weights) {
  BOOST_TEST(max_min_shares({8}, {{{0}, 1}, {{0}, 3}}) == (std::vector<double>{2, 6}),
             boost::test_tools::per_element());
  BOOST_TEST(max_min_shares({8, 5}, {{{0}, 1}, {{0, 1}, 3}}) == (std::vector<double>{3, 5}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_flow_without_a_limited_resource_has_no_bound) {
  const std::vector<double> shares = max_min_shares({unlimited, 2}, {{{0}}, {{}}, {{0, 1}}});
  BOOST_TEST(std::isinf(shares[0]));
  BOOST_TEST(std::isinf(shares[1]));
  BOOST_TEST(shares[2] == 2);
  BOOST_TEST(max_min_shares({2}, {}).empty());
}

// Max-min fairness (Bertsekas and Gallager, 6.5.2): no resource beyond its capacity, and each flow
// has a saturated resource on which no other flow has a larger share for its weight. The sum bounds
// uniform work: flows of the amounts `weight` from a common begin need at least the time of the
// most loaded resource.
RC_BOOST_PROP(every_flow_has_a_bottleneck_and_no_resource_is_overloaded, ()) {
  const std::size_t resources = *rc::gen::inRange<std::size_t>(1, 9);
  std::vector<double> capacities;
  for (std::size_t i = 0; i < resources; ++i)
    capacities.push_back(*rc::gen::inRange(1, 1000) / 8.0);
  std::vector<Flow> flows(*rc::gen::inRange<std::size_t>(1, 30));
  for (Flow& flow : flows) {
    flow.weight = *rc::gen::inRange(1, 5);
    for (std::size_t i = 0; i < resources; ++i) {
      if (*rc::gen::inRange(0, 3) == 0) flow.resources.push_back(i);
    }
    if (flow.resources.empty())
      flow.resources.push_back(*rc::gen::inRange<std::size_t>(0, resources));
  }
  const std::vector<double> shares = max_min_shares(capacities, flows);
  const std::vector<double> sums = used(capacities, flows, shares);
  constexpr double rounding = 1e-9;
  for (std::size_t i = 0; i < resources; ++i) RC_ASSERT(sums[i] <= capacities[i] * (1 + rounding));
  std::vector<double> highest(resources, 0), amounts(resources, 0);  // share for its weight
  double sum = 0, amount = 0, time = 0;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    sum += shares[i];
    amount += flows[i].weight;
    for (const std::size_t resource : flows[i].resources) {
      highest[resource] = std::max(highest[resource], shares[i] / flows[i].weight);
      amounts[resource] += flows[i].weight;
    }
  }
  for (std::size_t i = 0; i < flows.size(); ++i) {
    RC_ASSERT(std::any_of(
        flows[i].resources.begin(), flows[i].resources.end(), [&](std::size_t resource) {
          return sums[resource] >= capacities[resource] * (1 - rounding) &&
                 shares[i] / flows[i].weight >= highest[resource] * (1 - rounding);
        }));
  }
  for (std::size_t i = 0; i < resources; ++i) time = std::max(time, amounts[i] / capacities[i]);
  RC_ASSERT(amount / time <= sum * (1 + rounding));
}

BOOST_AUTO_TEST_SUITE_END()
