// Scripts of figures: what is drawn, with which texts and styles (spec 10.7).
#include "platform/figure/figure_script.h"

#include <boost/test/unit_test.hpp>
#include <limits>
#include <set>

#include "models/base/errors.h"
#include "platform/figure/drawn_series.h"
#include "platform/figure/figure_layout.h"
#include "platform/figure/gnuplot.h"
#include "platform/figure/point_labels.h"
#include "tests/figure/figures.h"
#include "tests/support/error_text.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(figure_script_test)

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

std::string script_of(const Figure& figure) { return figure_script(figure, FigureFormat::svg); }

}  // namespace

// A backquote, a macro and a quote have meanings in scripts, none within single quotes.
BOOST_AUTO_TEST_CASE(texts_are_not_interpreted) {
  BOOST_TEST(gnuplot_text("it's `id` @m \\n\n_") == "'it''s `id` @m \\n _'");
  Figure figure = figure_of_kind(FigureKind::lines);
  figure.title = "a'b";
  figure.caption = "`id`";
  figure.series[0].name = "x'; system 'id";
  const std::string script = script_of(figure);
  check_contains(script, {"'a''b'", "'`id`'", "title 'x''; system ''id'", "noenhanced"});
}

BOOST_AUTO_TEST_CASE(theory_is_dashed_and_has_the_colours_of_what_it_is_for) {
  Figure figure = figure_of_kind(FigureKind::lines);
  for (int i = 1; i < 4; ++i) figure.series.push_back(figure.series[0]);
  figure.series[1].theory = figure.series[3].theory = true;
  const auto paired = series_styles(figure);
  BOOST_TEST(paired[0].colour == paired[1].colour);
  BOOST_TEST(paired[2].colour == paired[3].colour);
  BOOST_TEST(paired[0].colour != paired[2].colour);
  BOOST_TEST(paired[1].dash != "1");
  figure.series[2].theory = true;  // three of four: no pairs
  BOOST_TEST(series_styles(figure)[1].colour == figure_grey);
  BOOST_TEST(count(script_of(figure), "with lines ") == 3U);
  BOOST_TEST(count(script_of(figure), "with linespoints ") == 1U);
}

// In print without colours marks, dashes and patterns remain.
BOOST_AUTO_TEST_CASE(series_differ_without_colours) {
  Figure figure = figure_of_kind(FigureKind::lines);
  while (figure.series.size() < 40) figure.series.push_back(figure.series[0]);
  std::set<std::pair<int, std::string>> looks;
  for (const SeriesStyle& style : series_styles(figure)) looks.emplace(style.mark, style.dash);
  BOOST_TEST(looks.size() > 30U);
}

BOOST_AUTO_TEST_CASE(a_missing_value_interrupts_a_line) {
  Figure figure = figure_of_kind(FigureKind::lines);
  figure.series[0].y[1] = none;
  BOOST_TEST(contains(script_of(figure), "EOD\n0 1\n\n2 9\nEOD\n"));
}

// A point without neighbours would be no line.
BOOST_AUTO_TEST_CASE(a_single_point_of_a_theory_has_a_mark) {
  Figure figure = figure_of_kind(FigureKind::lines);
  figure.series.push_back(series_of("theory", {1, 2, 3}, {none, 5, none}));
  figure.series[1].theory = true;
  BOOST_TEST(count(script_of(figure), "with linespoints ") == 2U);
}

BOOST_AUTO_TEST_CASE(grouped_bars_share_the_place_of_their_category) {
  Figure figure = figure_of_kind(FigureKind::bars);
  figure.series.push_back(series_of("other", {0, 2}, {5, 6}));
  // Two bars of 0.8 / 2, centred at -0.2 and +0.2 of the category.
  const std::string script = script_of(figure);
  check_contains(script, {"\n-0.2 1\n", "\n0.2 5\n", "using 1:2:(0.4) with boxes", "'b' 1"});
  figure.series[1].theory = true;  // an outline around the bar
  check_contains(script_of(figure), {"\n0 5\n", "fillstyle empty", "using 1:2:(0.8)"});
}

BOOST_AUTO_TEST_CASE(stacked_bars_start_where_the_previous_ones_end) {
  Figure figure = figure_of_kind(FigureKind::stacked_bars);
  figure.series.push_back(series_of("other", {0, 2}, {5, 6}));
  check_contains(script_of(figure), {"\n0 6 -0.35 0.35 1 6\n", "\n2 15 1.65 2.35 9 15\n"});
}

BOOST_AUTO_TEST_CASE(the_front_of_a_scatter_is_a_step_line) {
  Figure figure = figure_of_kind(FigureKind::scatter);
  BOOST_TEST(!contains(script_of(figure), "with steps"));
  figure.pareto_front = true;
  check_contains(script_of(figure), {"EOD\n0 1\nEOD\n", "with steps", "'Pareto front'"});
  figure.higher_y = true;
  BOOST_TEST(contains(script_of(figure), "EOD\n0 1\n1 4\n2 9\nEOD\n"));
}

BOOST_AUTO_TEST_CASE(a_heat_map_has_a_scale_and_leaves_missing_cells_out) {
  Figure figure = figure_of_kind(FigureKind::heat_map);
  figure.cells[1][0] = none;
  const std::string script = script_of(figure);
  check_contains(script, {"set cblabel 'busy (share)'", "'cube2' 2", "set cbrange [0:1]",
                          "\n1 2 0.5 1.5 1.5 2.5 0.75\n", "set yrange [2.5:-0.5]"});
  BOOST_TEST(!contains(script, "\n0 1 -0.5"));
}

BOOST_AUTO_TEST_CASE(labels_of_points_cover_neither_points_nor_each_other) {
  // Three points in a row, 20 px apart: a label of 50 px does not fit between two of them.
  const std::vector<LabelledPoint> points{{100, 100, "label 1"}, {120, 100, ""}, {140, 100, "b"}};
  const auto places = place_labels(points, 0, 400, 0, 200, 11);
  BOOST_TEST_REQUIRE(places[0].has_value());
  BOOST_TEST(places[0]->align == "right");
  BOOST_TEST(!places[1].has_value());
  BOOST_TEST(places[2]->align == "left");
  // No room at all.
  BOOST_TEST(!place_labels({{5, 5, "a label that is long"}}, 0, 20, 0, 20, 11)[0].has_value());
}

BOOST_AUTO_TEST_CASE(long_texts_are_wrapped_or_cut_in_the_middle) {
  BOOST_TEST(figure_text_lines("one two three four", 60, 12).size() > 1U);
  BOOST_TEST(shortened_text("short", 100) == "short");
  const std::string cut = shortened_text(std::string(40, 'a') + std::string(40, 'b'), 100);
  BOOST_TEST(figure_text_width(cut) <= 100);
  BOOST_TEST(contains(cut, "a...b"));
  BOOST_TEST(figure_text_width("\xc3\xa9\xc3\xa9") == figure_text_width("ee"));
}

BOOST_AUTO_TEST_CASE(a_long_legend_is_in_columns_or_below) {
  const Figure figure = figure_of_kind(FigureKind::lines);
  const FigureLayout few(figure, {"a", "b"});
  const FigureLayout many(figure, std::vector<std::string>(50, "series"));
  BOOST_TEST(few.legend_x >= few.right);
  BOOST_TEST(many.legend_rows < 30U);
  BOOST_TEST(many.width > few.width);
  const FigureLayout below(figure, {std::string(60, 'x')});
  BOOST_TEST(below.legend_below);
  BOOST_TEST(below.legend_y > below.bottom);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_drawn_is_refused) {
  Figure figure = figure_of_kind(FigureKind::lines);
  figure.y.logarithmic = true;
  figure.series[0].y[1] = 0;
  check_contains(error_of<UsageError>([&] { script_of(figure); }),
                 {"'Time over K'", "axis y is logarithmic", "'measured'", "y = 0"});
  figure.series[0].y = {none, none, none};
  check_contains(error_of<UsageError>([&] { script_of(figure); }), {"no value to draw"});
  Figure bars = figure_of_kind(FigureKind::stacked_bars);
  bars.series[0].y[0] = -1;
  check_contains(error_of<UsageError>([&] { script_of(bars); }), {"'measured' has -1"});
}

BOOST_AUTO_TEST_SUITE_END()
