// Points of a plan: products, zipped axes, samples and conditions (spec 10.6).
#include <rapidcheck.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>

#include "platform/sweep/axis_values.h"
#include "tests/support/error_text.h"
#include "tests/sweep/plans.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(sweep_points)

namespace {

using Texts = std::vector<std::string>;

void check_points(const std::string& plan, const Texts& expected) {
  const Texts found = points_of(plan);
  BOOST_TEST(found == expected, boost::test_tools::per_element());
}

}  // namespace

BOOST_AUTO_TEST_CASE(points_are_the_product_in_the_order_of_nested_loops) {
  check_points("axes: {a: [1, 2], b: [x, y, z]}", {"1,x", "1,y", "1,z", "2,x", "2,y", "2,z"});
}

BOOST_AUTO_TEST_CASE(zipped_axes_advance_together_at_the_place_of_the_first) {
  check_points("axes: {a: [1, 2], b: [x, y], c: [7, 8]}\nzip: [[a, c]]",
               {"1,x,7", "1,y,7", "2,x,8", "2,y,8"});
}

BOOST_AUTO_TEST_CASE(a_condition_leaves_points_out) {
  check_points("axes: {a: [1, 2, 3], b: [1, 2]}\nwhere: a * b <= 3 AND NOT (a = 1 AND b = 1)",
               {"1,2", "2,1", "3,1"});
  // No integer division; constants, options and quoted names are values too.
  check_points(
      "params: {K: 4}\naxes: {a: [1, 2, 3]}\nwhere: a / 2 >= 1.5 AND K = 4 AND bench = 'b'", {"3"});
  check_points("axes: {a.b: [1, 2]}\nwhere: '\"a.b\" > 1'", {"2"});
  check_points("axes: {s: {sets: [M, N], values: [3, 4]}}\nwhere: M + N = 8", {"4"});
}

BOOST_AUTO_TEST_CASE(faults_of_conditions_and_counts_are_refused) {
  const std::vector<std::pair<std::string, Texts>> faulty{
      {"axes: {aa: [1]}\nwhere: ab > 0",
       {"plan.yaml:3: where: no such column: ab; did you mean 'aa'?"}},
      {"axes: {a: [1]}\nwhere: '\"b.c\" > 0'", {"no such column: b.c"}},
      {"axes: {a: [1]}\nwhere: a >", {"plan.yaml:3: where:", "syntax error"}},
      {"axes: {a: [1]}\nwhere: '1), (2'", {"more than one expression"}},
      {"axes: {a: [1]}\nwhere: (SELECT 1 FROM sqlite_master) = 1 OR load_extension('x')",
       {"where: not authorized"}},
      {"axes: {a: [1, 2]}\nwhere: a > 2", {"where: no point meets the condition a > 2"}},
      {"axes: {a: [1, 2]}\nsample: {points: 3}", {"have found 2 different points, not 3"}},
  };
  for (const auto& [text, parts] : faulty)
    check_contains(error_of<UsageError>([&] { points_of(text); }), parts);
}

BOOST_AUTO_TEST_CASE(a_billion_points_are_counted_without_being_made) {
  const std::string axis = "{from: 1, to: 1000000000}";
  check_contains(error_of<UsageError>([&] { points_of("axes: {a: " + axis + "}"); }),
                 {": 1000000000 points; --max-points, to run them, is 1000000"});
  check_contains(
      error_of<UsageError>([&] {
        points_of("axes: {a: " + axis + ", b: " + axis + ", c: " + axis + "}\nwhere: a < 3");
      }),
      {"more than 1000000000000000000 points (1000000000 x 1000000000 x 1000000000) before the "
       "condition"});
}

BOOST_AUTO_TEST_CASE(a_million_points_are_enumerated) {
  const SweepPlan plan = plan_of("axes: {a: {from: 1, to: 1000}, b: {from: 1, to: 1000}}");
  const SweepPoints points(plan, 1'000'000);
  BOOST_TEST(points.size() == 1'000'000u);
  BOOST_TEST(points.axis_values(999'999).at(0) == "1000");
}

BOOST_AUTO_TEST_CASE(random_points_are_distinct_in_range_and_repeatable) {
  const std::string plan =
      "axes: {a: {from: 1, to: 100, scale: log}, b: [x, y], c: {from: 0, to: 64, multiple_of: "
      "16}}\n"
      "sample: {points: 40, seed: 7}\nwhere: a < 50";
  const Texts points = points_of(plan);
  BOOST_TEST(points == points_of(plan), boost::test_tools::per_element());
  BOOST_TEST(points != points_of(plan.substr(0, plan.find("seed: 7")) + "seed: 8}"));
  BOOST_TEST(std::set<std::string>(points.begin(), points.end()).size() == 40u);
  std::set<std::string> c;
  for (const std::string& point : points) {
    const double a = *number_of(point.substr(0, point.find(',')));
    BOOST_TEST((a >= 1 && a < 50), point);
    c.insert(point.substr(point.rfind(',') + 1));
  }
  BOOST_TEST(c == (std::set<std::string>{"0", "16", "32", "48", "64"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_latin_hypercube_has_one_point_in_each_stratum_of_each_axis) {
  const Texts points = points_of(
      "axes: {a: {from: 0, to: 10}, b: [p, q], c: {from: 1, to: 1024, scale: log}}\n"
      "sample: {kind: latin_hypercube, points: 10}");
  BOOST_TEST_REQUIRE(points.size() == 10u);
  std::set<int> a, c;
  int p = 0;
  for (const std::string& point : points) {
    a.insert(static_cast<int>(*number_of(point.substr(0, point.find(',')))));
    // Ten strata of a factor of two.
    c.insert(static_cast<int>(std::log2(*number_of(point.substr(point.rfind(',') + 1)))));
    p += point.find('p') != std::string::npos ? 1 : 0;
  }
  BOOST_TEST(a.size() == 10u);
  BOOST_TEST(c.size() == 10u);
  BOOST_TEST(p == 5);
}

BOOST_AUTO_TEST_CASE(a_list_of_the_first_points_of_billions_is_bounded) {
  const std::uint64_t most = 1'000'000'000'000'000U;
  const auto check = [&](const std::string& text, std::uint64_t size, std::uint64_t total) {
    const SweepPlan plan = plan_of(text);
    const SweepPoints points(plan, most, 10);
    BOOST_TEST(points.size() == size, text);
    BOOST_TEST(points.total() == total, text);
    BOOST_TEST(points.is_complete() == (size == total), text);
  };
  check("axes: {a: {from: 1, to: 5000000000}, b: {from: 1, to: 1000}}", 10, 5'000'000'000'000U);
  check("axes: {a: {from: 1, to: 4000000000}}\nwhere: a < 0", 0, 4'000'000'000U);
  check("axes: {a: {from: 1, to: 4000000000}}\nsample: {points: 1000000}", 10, 1'000'000);
  check("axes: {a: {from: 1, to: 4}}", 4, 4);
}

BOOST_AUTO_TEST_CASE(the_number_of_points_is_the_product_without_those_left_out) {
  rc::check([] {
    const auto lengths = *rc::gen::container<std::vector<int>>(4, rc::gen::inRange(1, 6));
    const int least = *rc::gen::inRange(4, 12);
    std::string axes;
    for (std::size_t i = 0; i < lengths.size(); ++i)
      axes += (i == 0 ? "" : ", ") + std::string(1, static_cast<char>('a' + i)) +
              ": {from: 1, to: " + std::to_string(lengths[i]) + "}";
    Texts expected;
    for (int a = 1; a <= lengths[0]; ++a)
      for (int b = 1; b <= lengths[1]; ++b)
        for (int c = 1; c <= lengths[2]; ++c)
          for (int d = 1; d <= lengths[3]; ++d)
            if (a + b + c + d <= least)
              expected.push_back(std::to_string(a) + ',' + std::to_string(b) + ',' +
                                 std::to_string(c) + ',' + std::to_string(d));
    RC_ASSERT(points_of("axes: {" + axes + "}\nwhere: a + b + c + d <= " + std::to_string(least)) ==
              expected);
  });
}

BOOST_AUTO_TEST_SUITE_END()
