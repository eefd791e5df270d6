// `kernbench sweep --out`: everything in a folder, and a page (spec 10.8).
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(sweep_output)

namespace {

struct Study {
  explicit Study(const std::string& text) { write(text); }
  void write(const std::string& text) const {
    folder.write("p.yaml", "bench: gemm-single-pe\ntopology: tiny\nparams: {K: 64}\n" + text);
  }
  Words sweep(const Words& more = {}) const {
    return joined({"sweep", folder.file("p.yaml"), "--out", folder.file("d")}, more);
  }
  std::string page() const { return folder.read("d/index.html"); }

  const TemporaryFolder folder;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_sweep_fills_the_folder_and_reuse_redraws_without_running) {
  const Study study("title: First\ntext: |\n  What is it?\n\n  Again.\naxes: {M: [32, 64]}\n");
  check_run(study.sweep(), {0, {"points             2: 2 ok, 0 failed", "d/index.html"}});
  for (const char* name : {"d/results.sqlite", "d/results.csv", "d/index.html"})
    BOOST_TEST(study.folder.has(name), name);
  check_contains(study.page(), {"<h1>First</h1>", "<p>What is it?</p>\n<p>Again.</p>",
                                "2 points: 2 ok", "--param M=64", "M=64</td>", "processor"});
  // The same command resumes: nothing runs, and the page is the same.
  const std::string first = study.page();
  check_run(study.sweep(), {0, {"2 done before"}});
  BOOST_TEST(study.page() == first);
  // Another title and another derived column.
  study.write("title: Second\naxes: {M: [32, 64]}\nderived: {twice: 2 * M}\n");
  const ProgramResult result = check_run(study.sweep({"--reuse"}), {0, {"d/index.html"}});
  BOOST_TEST(result.out.find("points") == std::string::npos);
  check_contains(study.page(), {"<h1>Second</h1>", "<td class=\"number\">128</td>"});
  check_contains(study.folder.read("d/results.csv"), {",twice\n"});
}

BOOST_AUTO_TEST_CASE(reuse_keeps_the_results_of_another_plan_and_counts_points_that_are_missing) {
  const Study study("axes: {M: [32, 64]}\n");
  completed(study.sweep());
  study.write("axes: {M: [32, 64, 96]}\nderived: {x: y + 1}\n");
  check_run(study.sweep({"--reuse"}), {1, {}, {"1 point of the plan is not in", "M=96"}});
  check_contains(study.page(), {"1 point of the plan is not in these results",
                                "Column left out: derived.x: no such column: y"});
  const std::string page = study.page();
  study.write("axes: {N: [32]}\n");
  check_refused(study.sweep({"--reuse"}), {"has the results of another plan"});
  BOOST_TEST(study.page() == page);
}

BOOST_AUTO_TEST_CASE(figures_are_files_and_pictures_of_the_page_and_a_wrong_one_is_reported) {
  const Study study(
      "axes: {M: [32, 64]}\nfigures:\n"
      "  - {name: time, kind: lines, title: Time of M, x: M, y: simulated_ns, text: Why.}\n"
      "  - {name: wrong, kind: lines, title: Wrong, x: M, y: simulatd_ns}\n");
  check_run(study.sweep(), {1, {"2 ok, 0 failed"}, {"figure 'wrong'", "no column 'simulatd_ns'"}});
  check_contains(study.folder.read("d/time.svg"), {"<svg", "Time of M", "Why."});
  BOOST_TEST(!study.folder.has("d/wrong.svg"));
  const std::string page = study.page();
  check_contains(page,
                 {"<svg", "Figure 1: Time of M", "<p>Why.", "No picture: figure &#39;wrong&#39;"});
  // Title and caption are texts of the page, not of the picture.
  const std::size_t picture = page.find("<svg");
  BOOST_TEST(page.substr(picture, page.find("</svg>") - picture).find("Time of M") ==
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(contradictions_are_refused_before_anything_runs) {
  const Study study("axes: {M: [32, 64]}\n");
  check_refused(study.sweep({"--results", study.folder.file("r.sqlite")}),
                {"--out and --results exclude each other"});
  check_refused(study.sweep({"--shard", "1/2"}), {"--out and --shard exclude each other"});
  check_refused(study.sweep({"--dry-run"}), {"--out and --dry-run exclude each other"});
  check_refused({"sweep", study.folder.file("p.yaml"), "--reuse"}, {"--reuse requires --out DIR"});
  check_refused(study.sweep({"--reuse"}), {"there are no results in", "results.sqlite"});
  BOOST_TEST(!study.folder.has("d"));
  study.folder.write("d", "a file");
  check_refused(study.sweep(), {"--out", "cannot create the folder"});
}

BOOST_AUTO_TEST_CASE(an_interrupted_sweep_has_a_page_of_its_finished_points) {
  const Study study("axes: {M: [32, 64], seed: {from: 1, to: 1000}}\n");
  const Signal interrupt{2, study.folder.file("d/results.sqlite-wal"), 400'000};
  const ProgramResult result = kernbench_program(study.sweep(), interrupt);
  BOOST_TEST(result.status == 1, result.err);
  check_contains(study.page(), {" of 2000 points: ", "not run: the sweep is not complete"});
}

BOOST_AUTO_TEST_CASE(a_page_that_cannot_be_written_keeps_the_earlier_one_and_the_results) {
  const Study study("axes: {M: [32, 64]}\n");
  study.folder.write("d/index.html", "earlier");
  study.folder.write("d/index.html.tmp/file", "");
  check_run(study.sweep(), {1, {"2 ok"}, {"cannot write", "index.html"}});
  BOOST_TEST(study.page() == "earlier");
  BOOST_TEST(study.folder.has("d/results.csv"));
}

BOOST_AUTO_TEST_SUITE_END()
