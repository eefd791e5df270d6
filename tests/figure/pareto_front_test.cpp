// The Pareto front of points (spec 10.7).
#include "platform/figure/pareto_front.h"

#include <rapidcheck/boost_test.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <limits>

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(pareto_front_test)

namespace {

using Points = std::vector<std::pair<double, double>>;

bool beats(const std::pair<double, double>& a, const std::pair<double, double>& b, bool higher_y) {
  const bool y_as_good = higher_y ? a.second >= b.second : a.second <= b.second;
  return a != b && a.first <= b.first && y_as_good;
}

}  // namespace

BOOST_AUTO_TEST_CASE(lower_or_higher_y_is_better) {
  const Points points{{3, 1}, {1, 5}, {2, 6}, {2, 3}, {4, 9}};
  BOOST_CHECK((pareto_front(points, false) == Points{{1, 5}, {2, 3}, {3, 1}}));
  BOOST_CHECK((pareto_front(points, true) == Points{{1, 5}, {2, 6}, {4, 9}}));
}

BOOST_AUTO_TEST_CASE(values_that_are_not_finite_have_no_place_in_it) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN(),
                   infinite = std::numeric_limits<double>::infinity();
  BOOST_CHECK(
      (pareto_front({{none, 1}, {1, 2}, {0, none}, {-infinite, 0}}, false) == Points{{1, 2}}));
  BOOST_TEST(pareto_front({}, true).empty());
}

// A point is in the front exactly if no other one beats it, compared pair by pair.
RC_BOOST_PROP(the_front_has_the_points_that_no_other_beats, (bool higher_y)) {
  const auto coordinates = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 12), rc::gen::inRange(-6, 6)));
  Points points;
  for (const auto& [x, y] : coordinates) points.emplace_back(x, y);
  Points expected;
  for (const auto& point : points) {
    if (std::none_of(points.begin(), points.end(),
                     [&](const auto& other) { return beats(other, point, higher_y); }))
      expected.push_back(point);
  }
  std::sort(expected.begin(), expected.end());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  RC_ASSERT(pareto_front(points, higher_y) == expected);
}

BOOST_AUTO_TEST_SUITE_END()
