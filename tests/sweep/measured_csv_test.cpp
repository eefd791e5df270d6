// Measurements from outside in figures (spec 10.7).
#include "platform/sweep/measured_csv.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "models/base/errors.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(measured_csv)

namespace {

MeasuredCsv csv(const std::string& text) {
  const TemporaryFile file("board.csv", text);
  return read_measured(file.path());
}

std::string fault_of(const std::string& text) {
  return error_of<UsageError>([&] { csv(text); });
}

PlanFigure plan_over_k() {
  PlanFigure plan;
  plan.x = "K";
  plan.y = {"time_ns"};
  return plan;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_column_of_a_figure_becomes_a_series) {
  const MeasuredCsv measured = csv("# a board\nK, time_ns, power_w\n64, 20, 1\n\n32,,2\r\n");
  Figure figure;
  figure.series.emplace_back();
  BOOST_TEST(add_measured(measured, plan_over_k(), figure));
  BOOST_TEST_REQUIRE(figure.series.size() == 2U);
  BOOST_TEST(figure.series[0].name == "simulated");
  BOOST_TEST(figure.series[1].name == "board");
  BOOST_TEST(figure.series[1].x == (std::vector<double>{32, 64}), boost::test_tools::per_element());
  BOOST_TEST(std::isnan(figure.series[1].y[0]));
  BOOST_TEST(figure.series[1].y[1] == 20);
}

BOOST_AUTO_TEST_CASE(figures_over_another_column_are_left_alone) {
  PlanFigure plan = plan_over_k();
  plan.x = "M";
  Figure figure;
  BOOST_TEST(!add_measured(csv("K,time_ns\n1,2\n"), plan, figure));
  BOOST_TEST(!add_measured(csv("K,other\n1,2\n"), plan_over_k(), figure));
  BOOST_TEST(figure.series.empty());
}

BOOST_AUTO_TEST_CASE(categories_are_found_by_text_or_number) {
  Figure figure;
  figure.x.categories = {"32", "a"};
  add_measured(csv("K,time_ns\na,2\n32.0,1\n"), plan_over_k(), figure);
  BOOST_TEST(figure.series[0].x == (std::vector<double>{0, 1}), boost::test_tools::per_element());
  const MeasuredCsv other = csv("K,time_ns\n32,1\n64,1\n");
  check_contains(error_of<UsageError>([&] { add_measured(other, plan_over_k(), figure); }),
                 {"board.csv:3: 'K': found '64'", "a value that the figure has"});
  figure.x.categories.clear();
  const MeasuredCsv text = csv("K,time_ns\nx,1\n");
  check_contains(error_of<UsageError>([&] { add_measured(text, plan_over_k(), figure); }),
                 {"board.csv:2", "allowed is a number"});
}

BOOST_AUTO_TEST_CASE(bad_rows_are_refused_with_their_lines) {
  check_contains(fault_of("K,time_ns\n1,2\n1,2,3\n"), {"board.csv:3: found 3 cells", "has 2"});
  check_contains(fault_of("K,time_ns\n1,fast\n"), {"board.csv:2: 'time_ns': found 'fast'"});
  check_contains(fault_of("K,time_ns\n,1\n"), {"board.csv:2", "x is empty"});
  check_contains(fault_of("K\n1\n"), {"board.csv:1", "a column of x and one of y"});
  check_contains(fault_of("K,K\n1,2\n"), {"board.csv:1", "'K' twice"});
  check_contains(fault_of("K,\n1,2\n"), {"board.csv:1", "without a name"});
  check_contains(fault_of("# nothing\n"), {"no row"});
  BOOST_TEST(contains(error_of<UsageError>([] { read_measured("/none.csv"); }), "cannot be read"));
}

BOOST_AUTO_TEST_SUITE_END()
