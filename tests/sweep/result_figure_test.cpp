// Figures from result files (spec 10.7).
#include "platform/sweep/result_figure.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "models/base/errors.h"
#include "platform/sweep/figure_caption.h"
#include "platform/sweep/sweep_file.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(result_figure)

namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<double>;

// Results over K of two variants: time_ns = K * (1 or 2) + `more`; the last point has failed.
// `macs`: a setting.
std::string results_of(const TemporaryFolder& folder, const std::string& name, double more = 0,
                       double macs = 2048) {
  SweepFile file(folder.file(name));
  std::vector<RequestedPoint> requested;
  std::vector<SweepRow> rows;
  std::uint64_t number = 0;
  for (const char* variant : {"slow", "fast"}) {
    for (const double k : {64.0, 32.0, 128.0}) {
      ++number;
      const std::string key = "k" + std::to_string(number);
      requested.push_back({number, key, key});
      SweepRow row;
      row.point = number;
      row.key = key;
      row.status = number == 6 ? "failed" : "ok";
      row.version = "1";
      row.command = "kernbench run --bench b --set min_macs=1 --set macs=" + std::to_string(macs);
      row.settings = {{"variant", variant}, {"K", k}, {"macs", macs}, {"text", "t"}};
      const double factor = variant == std::string("slow") ? 2 : 1;
      if (number != 6) row.summary = {{"time_ns", k * factor + more}, {"bound_ns", k}};
      rows.push_back(row);
    }
  }
  file.request(requested);
  for (const SweepRow& row : rows) file.store(row);
  file.describe({{"version", "1"}}, {"variant", "K"});
  file.define_results({});
  return file.path();
}

PlanFigure lines(Texts y = {"time_ns"}) {
  PlanFigure figure;
  figure.name = "f";
  figure.x = "K";
  figure.y = std::move(y);
  return figure;
}

void check_numbers(const Numbers& found, const Numbers& expected) {
  BOOST_TEST(found == expected, boost::test_tools::per_element());
}

std::string refusal_of(const PlanFigure& figure, const Texts& paths) {
  return error_of<UsageError>([&] { figure_of(figure, paths); });
}

struct Results {
  const TemporaryFolder folder;
  const std::string path = results_of(folder, "r.sqlite");
};

}  // namespace

// K repeats, so the other axis separates series; the failed point is not drawn.
BOOST_FIXTURE_TEST_CASE(axes_that_are_not_along_x_separate_series, Results) {
  const Figure figure = figure_of(lines(), {path});
  BOOST_TEST_REQUIRE(figure.series.size() == 2U);
  BOOST_TEST(figure.series[0].name == "slow");
  check_numbers(figure.series[0].x, {32, 64, 128});
  check_numbers(figure.series[0].y, {64, 128, 256});
  check_numbers(figure.series[1].y, {32, 64});
  BOOST_TEST(figure.title == "time_ns over K");
  BOOST_TEST(figure.y.label == "time (ns)");
  check_contains(figure.caption, {"macs = 2048", "1 failed point is not drawn"});
  BOOST_TEST(!contains(figure.caption, "text"));  // a default
  BOOST_TEST(!contains(figure.caption, "variant"));
}

BOOST_FIXTURE_TEST_CASE(where_selects_points, Results) {
  PlanFigure plan = lines();
  plan.where = "variant = 'fast'";
  const Figure figure = figure_of(plan, {path});
  BOOST_TEST_REQUIRE(figure.series.size() == 1U);
  BOOST_TEST(figure.series[0].name == "");
  check_contains(figure.caption, {"variant = fast"});
}

BOOST_FIXTURE_TEST_CASE(theory_that_is_equal_for_all_series_is_drawn_once, Results) {
  PlanFigure plan = lines({"time_ns", "bound_ns"});
  plan.theory = {"bound_ns"};
  const Figure figure = figure_of(plan, {path});
  BOOST_TEST_REQUIRE(figure.series.size() == 3U);
  BOOST_TEST(figure.series[0].name == "slow: time_ns");
  BOOST_TEST(figure.series[2].name == "bound_ns");
  BOOST_TEST(figure.series[2].theory);
  check_numbers(figure.series[2].x, {32, 64, 128});
  // Its values differ by file: one each.
  const std::string other = results_of(folder, "s.sqlite", 5);
  plan.y = {"bound_ns", "time_ns"};
  plan.theory = {"time_ns"};
  BOOST_TEST(figure_of(plan, {path, other}).series.size() == 8U);
}

BOOST_FIXTURE_TEST_CASE(several_files_are_named_and_what_differs_is_in_the_caption, Results) {
  const std::string after = results_of(folder, "after.sqlite", 7, 4096);
  PlanFigure plan = lines();
  plan.where = "variant = 'fast'";
  const Figure figure = figure_of(plan, {path, after});
  BOOST_TEST_REQUIRE(figure.series.size() == 2U);
  BOOST_TEST(figure.series[0].name == "r");
  BOOST_TEST(figure.series[1].name == "after");
  check_numbers(figure.series[1].y, {39, 71});
  check_contains(figure.caption, {"macs: r 2048, after 4096", "2 failed points are not drawn"});
}

// `macs` is not set in one file, whose points have a default in their configuration; the axis
// `size` is named instead of the key that it sets.
BOOST_AUTO_TEST_CASE(captions_name_defaults_and_each_axis_once) {
  const TemporaryFolder folder;
  const auto results = [&folder](const std::string& name, bool sets_macs) {
    SweepFile file(folder.file(name));
    file.request({{1, "k1", "K=1"}, {2, "k2", "K=2"}});
    file.describe({{"version", "1"}, {"axis_keys", R"({"size": ["N"]})"}}, {});
    for (const double k : {1.0, 2.0}) {
      SweepRow row;
      row.point = static_cast<std::uint64_t>(k);
      row.key = "k" + std::to_string(row.point);
      row.status = k == 1 ? "ok" : "until";
      row.hash = name + row.key;
      row.configuration = "# bench b\ncube:\n  macs: 2048\n";
      row.command =
          "run --param K=1 --param N=8" + std::string(sets_macs ? " --set cube.macs=9" : "");
      row.settings = {{"K", k}, {"size", 8}, {"N", 8}};
      if (sets_macs) row.settings.emplace_back("cube.macs", 9);
      row.summary = {{"time_ns", k}, {"part", 1}};
      if (k == 2) row.summary.erase(row.summary.begin());
      file.store(row);
    }
    file.describe({}, {"K", "size"});
    file.define_results({});
    return file.path();
  };
  const Figure figure = figure_of(lines(), {results("a.sqlite", true), results("b.sqlite", false)});
  BOOST_TEST(figure.caption ==
             "cube.macs: a 9, b 2048 (default); size = 8; 2 points are stopped by until; 2 points "
             "have no value.");
}

BOOST_FIXTURE_TEST_CASE(bars_have_categories_in_the_order_of_numbers, Results) {
  PlanFigure plan = lines();
  plan.kind = FigureKind::bars;
  const Figure figure = figure_of(plan, {path});
  BOOST_TEST(figure.x.categories == (Texts{"32", "64", "128"}), boost::test_tools::per_element());
  check_numbers(figure.series[0].x, {0, 1, 2});
}

BOOST_FIXTURE_TEST_CASE(texts_along_x_are_categories_in_the_order_of_the_plan, Results) {
  PlanFigure plan = lines();
  plan.x = "variant";
  const Figure figure = figure_of(plan, {path});
  BOOST_TEST(figure.x.categories == (Texts{"slow", "fast"}), boost::test_tools::per_element());
  BOOST_TEST(figure.series[0].name == "K = 64");
  plan.log_x = true;
  check_contains(refusal_of(plan, {path}), {"'variant' has texts, such as 'slow'"});
}

BOOST_FIXTURE_TEST_CASE(a_heat_map_has_a_cell_per_point, Results) {
  PlanFigure plan = lines({"variant"});
  plan.kind = FigureKind::heat_map;
  plan.cells = "time_ns";
  const Figure figure = figure_of(plan, {path});
  BOOST_TEST_REQUIRE(figure.cells.size() == 2U);
  check_numbers(figure.cells[0], {64, 128, 256});
  BOOST_TEST(std::isnan(figure.cells[1][2]));  // failed
  BOOST_TEST(figure.cells_label == "time (ns)");
  plan.y = {"text"};
  check_contains(refusal_of(plan, {path}), {"points have text = t", "axes: variant, K"});
}

BOOST_FIXTURE_TEST_CASE(points_of_a_scatter_have_labels, Results) {
  PlanFigure plan = lines();
  plan.kind = FigureKind::scatter;
  plan.series = {"variant"};
  plan.labels = "K";
  plan.pareto = "lower";
  const Figure figure = figure_of(plan, {path});
  BOOST_TEST(figure.series[1].labels == (Texts{"32", "64"}), boost::test_tools::per_element());
  BOOST_TEST(figure.pareto_front);
  BOOST_TEST(!figure.higher_y);
}

BOOST_FIXTURE_TEST_CASE(what_cannot_be_selected_is_refused, Results) {
  check_contains(refusal_of(lines({"time_n"}), {path}),
                 {"figure 'f'", "no column 'time_n'", "did you mean 'time_ns'", "--columns"});
  PlanFigure plan = lines();
  plan.where = "kk = 1";
  check_contains(refusal_of(plan, {path}), {"where 'kk = 1'", "no column 'kk'"});
  plan.where = "K = 1; DROP TABLE points";
  BOOST_TEST(refusal_of(plan, {path}) != "");
  plan.where = "K = 7";
  check_contains(refusal_of(plan, {path}),
                 {"no finished point meets 'K = 7'", "5 finished, 1 failed and 0 missing"});
  check_contains(refusal_of(lines({"text"}), {path}), {"column 'text' has texts, such as 't'"});
  plan.where = "";
  plan.series = {"text"};
  check_contains(refusal_of(plan, {path}), {"points have K = ", "in a series", "axes: variant, K"});
}

BOOST_FIXTURE_TEST_CASE(files_without_results_are_refused, Results) {
  const std::string text = folder.write("t.sqlite", "no database");
  check_contains(refusal_of(lines(), {text}), {"'" + text + "'"});
  check_contains(refusal_of(lines(), {folder.file("none.sqlite")}), {"does not exist"});
  const std::string empty = folder.file("e.sqlite");
  {
    SweepFile file(empty);
    file.request({{1, "k", "l"}});
    file.describe({}, {"K"});
    file.define_results({});
  }
  check_contains(refusal_of(lines(), {path, empty}),
                 {"no finished point", "e.sqlite' has 0 finished, 0 failed and 1 missing points"});
  {
    SweepFile file(folder.file("v.sqlite"));
    file.describe({{"schema_version", "99"}}, {});
  }
  check_contains(refusal_of(lines(), {folder.file("v.sqlite")}), {"schema version '99'"});
  BOOST_TEST(figures_of_results(path).empty());
}

BOOST_FIXTURE_TEST_CASE(reading_leaves_no_file_next_to_the_results, Results) {
  const std::string odd = folder.file("50%?#.sqlite");
  std::filesystem::copy(path, odd);
  BOOST_TEST(figure_of(lines(), {odd}).series.size() == 2U);
  BOOST_TEST(!folder.has("50%?#.sqlite-wal"));
  BOOST_TEST(!folder.has("50%?#.sqlite-shm"));
}

BOOST_AUTO_TEST_CASE(units_of_columns_are_in_labels) {
  BOOST_TEST(column_label("simulated_ns") == "simulated (ns)");
  BOOST_TEST(column_label("links.pcie.bandwidth_gbs") == "links.pcie.bandwidth (GB/s)");
  BOOST_TEST(column_label("_ns") == "_ns");
  BOOST_TEST(column_label("ratio") == "ratio");
  BOOST_TEST(column_label("tflops") == "TFLOP/s");
  BOOST_TEST(column_label("peak_tflops") == "peak (TFLOP/s)");
  BOOST_TEST(columns_label({"noc_ns", "hbm_ns"}) == "time (ns)");
  BOOST_TEST(columns_label({"noc_ns", "hbm_bytes"}) == "");
  BOOST_TEST(columns_label({"noc", "hbm"}) == "");
}

BOOST_AUTO_TEST_SUITE_END()
