// Figures as files, drawn by gnuplot (spec 10.7).
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "models/base/errors.h"
#include "platform/figure/figure.h"
#include "platform/figure/gnuplot.h"
#include "tests/figure/figures.h"
#include "tests/support/environment_variable.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(write_figure_test)

BOOST_AUTO_TEST_CASE(equal_figures_are_equal_svg) {
  for (const FigureKind kind : {FigureKind::lines, FigureKind::bars, FigureKind::stacked_bars,
                                FigureKind::scatter, FigureKind::heat_map}) {
    const Figure figure = figure_of_kind(kind);
    const std::string svg = figure_svg(figure);
    BOOST_TEST(svg == figure_svg(figure));
    check_contains(svg, {"<title>Time over K</title>", ">K (elements)</text>"});
    BOOST_TEST(!contains(svg, "<title>gnuplot"));  // a tooltip
    BOOST_TEST(contains(svg, "font-weight=\"bold\""));
  }
}

BOOST_AUTO_TEST_CASE(a_roofline_is_logarithmic_in_both_directions) {
  Figure figure = figure_of_kind(FigureKind::roofline);
  figure.x.logarithmic = figure.y.logarithmic = true;
  figure.series[0].x = {1, 10, 1000};
  figure.series[0].labels = {"gemm", "softmax", "attention"};
  const std::string svg = figure_svg(figure);
  check_contains(svg, {">100</text>", ">softmax</text>"});
}

// gnuplot leaves out rows that do not fit.
BOOST_AUTO_TEST_CASE(the_legend_has_all_series) {
  for (const char* name : {"s", "a name that is so long that the legend is below the axes "}) {
    Figure figure = figure_of_kind(FigureKind::lines);
    figure.series.clear();
    for (int i = 0; i < 48; ++i)
      figure.series.push_back(series_of(name + std::to_string(i), {0, 1}, {1, 2}));
    const std::string svg = figure_svg(figure);
    for (const FigureSeries& each : figure.series)
      BOOST_TEST(contains(svg, each.name + "</text>"), each.name);
  }
}

BOOST_AUTO_TEST_CASE(texts_of_users_are_texts_in_the_picture) {
  Figure figure = figure_of_kind(FigureKind::lines);
  figure.title = "a_b^2 {/Bold c} `touch here` @d <e> & 'f'";
  figure.series[0].name = "$data0";
  check_contains(figure_svg(figure), {"a_b^2 {/Bold c} `touch here` @d &lt;e> &amp; 'f'</text>",
                                      "<title>a_b^2", ">$data0</text>"});
  BOOST_TEST(!std::filesystem::exists("here"));
}

BOOST_AUTO_TEST_CASE(the_name_of_a_file_decides_its_format) {
  const TemporaryFolder folder;
  const Figure figure = figure_of_kind(FigureKind::lines);
  for (const char* name : {"f.svg", "f.png", "f.pdf"}) write_figure(figure, folder.file(name));
  BOOST_TEST(folder.read("f.svg") == figure_svg(figure));
  BOOST_TEST(folder.read("f.png").substr(1, 3) == "PNG");
  BOOST_TEST(folder.read("f.pdf").substr(0, 5) == "%PDF-");
  check_contains(error_of<UsageError>([&] { write_figure(figure, folder.file("f.jpg")); }),
                 {"'.jpg'", ".svg, .png or .pdf"});
}

BOOST_AUTO_TEST_CASE(a_figure_is_written_completely_or_not_at_all) {
  const TemporaryFolder folder;
  const Figure figure = figure_of_kind(FigureKind::lines);
  check_contains(error_of<Error>([&] { write_figure(figure, folder.file("none/f.svg")); }),
                 {"cannot write", "No such file"});
  folder.write("f.svg/in/the/way", "");
  check_contains(error_of<Error>([&] { write_figure(figure, folder.file("f.svg")); }),
                 {"cannot write"});
  BOOST_TEST(!folder.has("f.svg.tmp"));
}

BOOST_AUTO_TEST_CASE(without_gnuplot_its_package_is_named) {
  const TemporaryFolder folder;
  const EnvironmentVariable path("PATH", folder.root.string());
  check_contains(error_of<UsageError>([&] { figure_svg(figure_of_kind(FigureKind::lines)); }),
                 {"gnuplot", "not installed", "apt-get install gnuplot-nox"});
}

BOOST_AUTO_TEST_CASE(a_failure_of_gnuplot_has_its_message) {
  check_contains(error_of<Error>([] { run_gnuplot("set terminal svg\nno_command\n"); }),
                 {"gnuplot failed", "no_command", "invalid command"});
  // It draws nothing.
  check_contains(error_of<Error>([] { run_gnuplot("set terminal svg\n"); }), {"gnuplot failed"});
  const TemporaryFolder folder;
  const std::string program = folder.write("gnuplot", "#!/bin/sh\nkill -9 $$\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const EnvironmentVariable path("PATH", folder.root.string() + ":/usr/bin:/bin");
  check_contains(error_of<Error>([] { run_gnuplot("plot 1\n"); }), {"signal 9"});
}

BOOST_AUTO_TEST_SUITE_END()
