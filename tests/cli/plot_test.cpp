// `kernbench plot` as users call it (spec 10.7).
#include <boost/test/unit_test.hpp>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(plot_command)

namespace {

// Results of two points, with two figures, of which the second has a wrong column.
struct Sweep {
  Sweep() {
    folder.write("p.yaml",
                 "bench: gemm-single-pe\ntopology: tiny\nparams: {M: 32, N: 32}\n"
                 "axes: {K: [32, 64]}\n"
                 "figures:\n"
                 "  - {name: time, kind: lines, x: K, y: simulated_ns, log: x, text: Measured.}\n"
                 "  - {name: wrong, kind: bars, x: K, y: simulated}\n");
    completed({"sweep", folder.file("p.yaml"), "--results", results});
  }
  Words plot(const Words& more) const { return joined({"plot", results}, more); }

  const TemporaryFolder folder;
  const std::string results = folder.file("r.sqlite");
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(figures_of_a_plan_are_drawn_without_it, Sweep) {
  std::filesystem::remove(folder.file("p.yaml"));
  const std::string out = folder.file("figures");
  check_run(plot({"--out", out}), {1, {out + "/time.svg"}, {"figure 'wrong'", "'simulated_ns'"}});
  const std::string svg = folder.read("figures/time.svg");
  check_contains(svg, {"simulated (ns)", "Measured. bench = gemm-single-pe", ">64</text>"});
  check_run(plot({"--out", out}), {1, {}, {"wrong"}});
  BOOST_TEST(folder.read("figures/time.svg") == svg);
  BOOST_TEST(!folder.has("figures/wrong.svg"));
}

BOOST_FIXTURE_TEST_CASE(options_select_a_figure, Sweep) {
  for (const char* name : {"f.pdf", "f.svg"})
    check_run(plot({"--kind", "scatter", "--x", "K", "--y", "simulated_ns", "--pareto", "lower",
                    "--labels", "hash", "--log", "x,y", "--where", "K < 50", "--out",
                    folder.file(name)}));
  BOOST_TEST(folder.read("f.pdf").substr(0, 5) == "%PDF-");
  // A label with "..." for the one point that is selected.
  const std::string svg = folder.read("f.svg");
  BOOST_TEST(count(svg, "...") == 1U, svg);
  check_contains(svg, {">Pareto front</text>", ">16</text>"});  // marks of --log
  const std::string other = folder.file("s.sqlite"), both = folder.file("b.svg");
  std::filesystem::copy(results, other);
  check_run({"plot", results, other, "--x", "K", "--y", "simulated_ns", "--out", both});
  check_contains(folder.read("b.svg"), {">r</text>", ">s</text>"});
}

BOOST_FIXTURE_TEST_CASE(columns_are_listed_with_their_roles, Sweep) {
  const std::string all = completed(plot({"--columns"})).out;
  check_contains(all, {"K ", "axis", "simulated_ns", "summary", "setting"});
  BOOST_TEST(!contains(completed(plot({"--columns", "*_ns"})).out, "axis"));
  check_refusal(kernbench_program(plot({"--columns", "simulated_n"})),
                {"no column", "simulated_ns"});
}

BOOST_FIXTURE_TEST_CASE(wrong_use_of_plot_is_refused, Sweep) {
  const std::string file = folder.file("f.svg");
  const auto refused = [&](const Words& more, const Words& parts) {
    check_refusal(kernbench_program(plot(more)), parts);
  };
  refused({"--x", "K", "--y", "simulated_ns"}, {"--out F.svg is missing"});
  refused({"--x", "K", "--out", file}, {"--y"});
  refused({"--x", "K", "--y", "simulated", "--out", file}, {"did you mean 'simulated_ns'"});
  refused({"--x", "K", "--y", "simulated_ns", "--where", "K >", "--out", file}, {"--where"});
  refused({"--x", "K", "--y", "status", "--out", file}, {"'status' has texts, such as 'ok'"});
  refused({"--x", "K", "--y", "simulated_ns", "--out", folder.file("f.jpg")}, {".svg, .png or"});
  refused({"--x", "K", "--y", "simulated_ns", "--out", file, "--format", "png"}, {"--format"});
  refused({"--kind", "heat_map", "--x", "K", "--y", "M", "--out", file}, {"--cells"});
  refused({"--out", results}, {"cannot create the folder"});
  folder.write("t.sqlite", "text");
  check_refusal(kernbench_program({"plot", folder.file("t.sqlite")}), {"t.sqlite"});
  BOOST_TEST(!folder.has("f.svg"));
}

BOOST_AUTO_TEST_SUITE_END()
