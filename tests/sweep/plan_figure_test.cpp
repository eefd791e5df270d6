// Figures of a plan (spec 10.7).
#include "platform/sweep/plan_figure.h"

#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "tests/support/error_text.h"
#include "tests/sweep/plans.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(plan_figure)

namespace {

constexpr const char* axis = "axes: {M: [1, 2]}\nfigures:\n";

std::string faults_of_figures(const std::string& figures) {
  return error_of<ConfigError>([&] { plan_of(axis + figures); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_figure_names_columns_as_a_text_or_a_list) {
  const SweepPlan plan = plan_of(std::string(axis) +
                                 "  - {name: a, kind: bars, x: M, y: t, series: [v, w]}\n"
                                 "  - name: b\n    kind: scatter\n    x: M\n    y: [t, u]\n"
                                 "    theory: u\n    log: [x, y]\n    pareto: higher\n"
                                 "    where: status = 'ok' and M > 1\n    text: two words\n");
  BOOST_TEST_REQUIRE(plan.figures.size() == 2U);
  BOOST_CHECK(plan.figures[0].kind == FigureKind::bars);
  BOOST_TEST(plan.figures[0].y == std::vector<std::string>{"t"}, boost::test_tools::per_element());
  BOOST_TEST(plan.figures[0].series.size() == 2U);
  BOOST_TEST(!plan.figures[0].log_x);
  const PlanFigure& b = plan.figures[1];
  BOOST_TEST(b.log_x);
  BOOST_TEST(b.log_y);
  BOOST_TEST(b.pareto == "higher");
  BOOST_TEST(b.where == "status = 'ok' and M > 1");
  BOOST_TEST(b.text == "two words");
}

// Results have them, so that they are drawn without the plan.
BOOST_AUTO_TEST_CASE(figures_are_stored_and_read_again) {
  const SweepPlan plan = plan_of(std::string(axis) +
                                 "  - {name: a, kind: heat_map, x: M, y: N, cells: t, "
                                 "cells_label: 'time \"t\"'}\n"
                                 "  - {name: b, kind: lines, x: M, y: [t, u], theory: [u], log: y, "
                                 "labels: v, title: A b}\n");
  const std::string stored = figures_as_json(plan.figures);
  const std::vector<PlanFigure> read = figures_from_json(stored);
  BOOST_TEST(figures_as_json(read) == stored);
  BOOST_CHECK(read.at(0).kind == FigureKind::heat_map);
  BOOST_TEST(read.at(0).cells_label == "time \"t\"");
  BOOST_TEST(read.at(1).log_y);
  BOOST_TEST(figures_from_json("").empty());
}

BOOST_AUTO_TEST_CASE(faults_of_figures_have_places) {
  check_contains(faults_of_figures("  - {name: a, kind: line, x: M, y: t}\n"),
                 {"plan.yaml:4:", "figures.0.kind: found 'line', allowed is lines, bars",
                  "did you mean 'lines'"});
  check_contains(faults_of_figures("  - {name: a, kind: lines, x: M, y: t, colour: red}\n"),
                 {"figures.0.colour: unknown key", "known here: kind, log"});
  check_contains(faults_of_figures("  - {name: a, kind: lines, x: M, y: t}\n"
                                   "  - {name: a, kind: lines, x: M, y: t}\n"),
                 {"plan.yaml:5:", "figures.1.name: another figure has the name 'a'"});
  check_contains(faults_of_figures("  - {name: a/b, kind: lines, x: M, y: [t, [u]]}\n"),
                 {"figures.0.y: found a list, allowed is a text, or a list of texts"});
  check_contains(faults_of_figures("  - {name: a/b, kind: lines}\n"),
                 {"name: found 'a/b'", "x: the key is missing", "y: the key is missing"});
  check_contains(faults_of_figures("  - {name: a, x: M, y: t}\n"), {"kind: the key is missing"});
  check_contains(faults_of_figures("  - lines\n"), {"figures.0"});
}

BOOST_AUTO_TEST_CASE(keys_that_do_not_suit_the_kind_are_faults) {
  const auto faults = [](const std::string& keys) {
    return faults_of_figures("  - {name: a, x: M, y: t, " + keys + "}\n");
  };
  check_contains(faults("kind: heat_map, series: v"),
                 {"cells: a heat_map needs", "series: a heat_map has none"});
  check_contains(faults("kind: lines, cells: v"), {"cells: only a heat_map", "'lines'"});
  check_contains(faults("kind: lines, pareto: lower"), {"pareto: a scatter has a front"});
  check_contains(faults("kind: scatter, pareto: best"), {"found 'best', allowed is 'lower'"});
  check_contains(faults("kind: bars, log: x, labels: v"),
                 {"log: bars have no scale along x", "labels: points have them"});
  check_contains(faults("kind: stacked_bars, log: y"), {"no lengths on a logarithmic axis"});
  check_contains(faults("kind: bars, log: y"), {"no lengths on a logarithmic axis"});
  check_contains(faults("kind: lines, log: z"), {"found 'z', allowed is x, y or [x, y]"});
  check_contains(faults("kind: lines, theory: u"), {"'u' is not among the columns of y"});
  check_contains(faults("kind: lines, where: 'M >'"), {"where: "});
}

BOOST_AUTO_TEST_SUITE_END()
