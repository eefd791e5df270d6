// The figure of a comparison.
#include <boost/test/unit_test.hpp>

#include "platform/rtl_compare/time_comparison.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(comparison_figure)

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

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_work_has_a_mark_per_model_that_names_it) {
  const std::string svg = comparison_svg(comparison(5, 8));
  BOOST_TEST(svg.find("<svg") != std::string::npos);
  BOOST_TEST(count(svg, "class=\"ratio\"") == 10U);
  BOOST_TEST(svg.find("tile3, macs: 8.0000") != std::string::npos);
  BOOST_TEST(svg.find("tile3, systolic: 1.0000") != std::string::npos);
  BOOST_TEST(comparison_svg(comparison(5, 8)) == svg);
}

// Equal times still have an axis with ticks.
BOOST_AUTO_TEST_CASE(ratios_of_one_are_drawn) {
  const std::string svg = comparison_svg(comparison(1, 1));
  BOOST_TEST(svg.find("nan") == std::string::npos);
  BOOST_TEST(svg.find(">1</text>") != std::string::npos, svg);
}

// A work that takes no time has a mark at the end of a finite axis.
BOOST_AUTO_TEST_CASE(a_work_without_time_is_drawn) {
  TimeComparison found = comparison(3, 2);
  found.works[1].time = 0;
  const std::string svg = comparison_svg(found);
  BOOST_TEST(count(svg, "class=\"ratio\"") == 6U);
  BOOST_TEST(svg.find("inf") == std::string::npos);
}

// Beyond some ninety works names would lie over each other.
BOOST_AUTO_TEST_CASE(many_works_are_drawn_without_their_names) {
  const std::string svg = comparison_svg(comparison(500, 3));
  BOOST_TEST(count(svg, "class=\"ratio\"") == 1000U);
  BOOST_TEST(svg.find(">tile3</text>") == std::string::npos);
  BOOST_TEST(count(svg, ">alone</text>") == 1U);
  BOOST_TEST(count(svg, ">together</text>") == 1U);
}

// Where groups take turns their names would lie over each other.
BOOST_AUTO_TEST_CASE(groups_that_take_turns_are_not_named) {
  TimeComparison found = comparison(500, 3);
  for (std::size_t i = 0; i < found.works.size(); ++i) found.works[i].group = i % 2 ? "b" : "a";
  BOOST_TEST(comparison_svg(found).find(">a</text>") == std::string::npos);
}

// From 0.8 to 1.7, from 0.9 to 8.
BOOST_AUTO_TEST_CASE(an_axis_has_several_ticks) {
  TimeComparison found = comparison(2, 1.7);
  found.works[1].time = 800;
  for (const char* tick : {">0.8</text>", ">1</text>", ">1.2</text>", ">1.6</text>"})
    BOOST_TEST(comparison_svg(found).find(tick) != std::string::npos, tick);
  for (const char* tick : {">1</text>", ">2</text>", ">4</text>", ">8</text>"})
    BOOST_TEST(comparison_svg(comparison(2, 8)).find(tick) != std::string::npos, tick);
}

BOOST_AUTO_TEST_SUITE_END()
