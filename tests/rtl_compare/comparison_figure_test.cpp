// The figure of a comparison.
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "platform/rtl_compare/time_comparison.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(comparison_figure_test)

namespace {

TimeComparison comparison(std::size_t works, double largest) {
  TimeComparison comparison{"rtl.pe_gemm", "tile", {"macs", "systolic"}, "", {}};
  for (std::size_t i = 0; i < works; ++i) {
    ComparedWork work;
    work.name = "tile" + std::to_string(i);
    work.group = i < works / 2 ? "alone" : "together";
    work.time = 1000;
    work.models = {static_cast<Fs>(1000 / largest), 1000};
    comparison.works.push_back(work);
  }
  return comparison;
}

std::size_t named(const Figure& figure) {
  const auto& names = figure.x.categories;
  return names.size() - static_cast<std::size_t>(std::count(names.begin(), names.end(), ""));
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_work_has_a_mark_per_model) {
  const Figure figure = comparison_figure(comparison(5, 8));
  BOOST_TEST_REQUIRE(figure.series.size() == 4U);  // and lines
  BOOST_TEST(figure.series[0].name == "macs");
  BOOST_TEST(figure.series[0].y[3] == 8);
  BOOST_TEST(figure.series[1].y[3] == 1);
  BOOST_TEST(figure.x.categories[3] == "tile3");
  BOOST_TEST(figure.series[2].theory);
  BOOST_TEST(figure.caption.find("macs: median 8, p95 8, 8 to 8; systolic: median 1") == 0U);
}

// From 0.9 to 8 is more than a factor of eight.
BOOST_AUTO_TEST_CASE(wide_ratios_have_a_logarithmic_axis) {
  BOOST_TEST(comparison_figure(comparison(2, 8)).y.logarithmic);
  BOOST_TEST(!comparison_figure(comparison(2, 1.7)).y.logarithmic);
}

// A work that takes no time has a mark at the end of a finite axis.
BOOST_AUTO_TEST_CASE(a_work_without_time_is_drawn) {
  TimeComparison found = comparison(3, 2);
  found.works[1].time = 0;
  const Figure figure = comparison_figure(found);
  BOOST_TEST(figure.series[0].y[1] > 0);
  BOOST_TEST(*figure.y.low > 0);
}

BOOST_AUTO_TEST_CASE(of_many_works_groups_are_named_unless_they_take_turns) {
  TimeComparison found = comparison(500, 3);
  BOOST_TEST(named(comparison_figure(found)) == 2U);
  BOOST_TEST(comparison_figure(found).x.categories[250] == "together");
  for (std::size_t i = 0; i < found.works.size(); ++i) found.works[i].group = i % 2 ? "b" : "a";
  BOOST_TEST(named(comparison_figure(found)) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
