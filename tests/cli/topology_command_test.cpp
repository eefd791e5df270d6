// `kernbench topology` draws (spec 11.4): files, formats, wrong usage.
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(topology_command)

namespace {

ProgramResult topology(const Words& more) {
  return kernbench_program(joined({"topology", "--topology", "tiny"}, more));
}

}  // namespace

BOOST_AUTO_TEST_CASE(all_views_go_to_a_folder_and_are_left_alone_if_unchanged) {
  const TemporaryFolder folder;
  const std::string out = folder.file("drawn/here");
  for (const auto& [format, extension] :
       {std::pair<const char*, const char*>{"svg", "svg"}, {"mermaid", "mmd"}, {"dot", "dot"}}) {
    const ProgramResult first = topology({"--format", format, "--out", out});
    BOOST_TEST_REQUIRE(first.status == 0, first.err);
    for (const char* view : {"system", "sip", "cube", "pe"}) {
      const std::string file = out + "/" + view + "_view." + extension;
      BOOST_TEST(contains(first.out, file + ": written\n"), first.out);
      BOOST_TEST(std::filesystem::file_size(file) > 500U);
      const auto written = std::filesystem::last_write_time(file);
      const ProgramResult again = topology({"--format", format, "--view", view, "--out", out});
      BOOST_TEST(again.out == file + ": unchanged\n");
      BOOST_TEST((std::filesystem::last_write_time(file) == written));
    }
  }
}

BOOST_AUTO_TEST_CASE(one_view_goes_to_standard_output_or_a_file) {
  const TemporaryFolder folder;
  const ProgramResult drawn = topology({"--format", "dot", "--view", "pe"});
  BOOST_TEST_REQUIRE(drawn.status == 0, drawn.err);
  BOOST_TEST(contains(drawn.out, "graph \"pe\" {"));
  BOOST_TEST(topology({"--format", "dot", "--view", "pe", "--out", folder.file("p.dot")}).out ==
             folder.file("p.dot") + ": written\n");
  BOOST_TEST(folder.read("p.dot") == drawn.out);
}

BOOST_AUTO_TEST_CASE(statistics_of_a_run_colour_a_view) {
  const TemporaryFolder folder;
  const std::string stats = folder.file("stats.json");
  BOOST_TEST_REQUIRE(kernbench_program({"run", "--bench", "matmul-composite", "--topology", "tiny",
                                        "--stats", stats})
                         .status == 0);
  const ProgramResult heat = topology({"--format", "svg", "--view", "cube", "--heat", stats});
  BOOST_TEST_REQUIRE(heat.status == 0, heat.err);
  BOOST_TEST(contains(heat.out, "busiest links:"));
  BOOST_TEST(contains(heat.out, "sip0.cube0.r0c0 &gt; sip0.cube0.hbm_ctrl.pe0"));
  const std::string links = folder.file("links.json");
  BOOST_TEST_REQUIRE(
      kernbench_program({"traffic", "--generate", "stream", "--topology", "tiny", "--links", links})
          .status == 0);
  BOOST_TEST(topology({"--format", "svg", "--view", "cube", "--heat", links}).status == 0);
  const std::string other = folder.write(
      "other.json",
      R"({"links": [{"src": "sip1.io0.pcie_ep", "dst": "fabric.switch0", "utilisation": 0}]})");
  check_refusal(topology({"--format", "svg", "--view", "cube", "--heat", other}),
                {"other.json: this machine has no node 'sip1.io0.pcie_ep'; --heat"});
}

BOOST_AUTO_TEST_CASE(statistics_that_are_none_are_refused_by_name) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& file, const std::string& text) {
    check_refusal(topology({"--format", "dot", "--view", "pe", "--heat", file}),
                  {file + ": " + text});
  };
  refused(folder.file("."), "is a folder; --heat takes");
  refused(folder.write("a.json", R"({"links": [{"src": 1, "dst": "b"}]})"),
          "this machine has no node ''");
  const ProgramResult other = topology(
      {"--format", "dot", "--view", "pe", "--heat",
       folder.write(
           "b.json",
           R"({"links": [], "elapsed_ns": 5, "components": [{"name": 5, "stats": {}}]})")});
  BOOST_TEST(other.status == 0, other.err);
  BOOST_TEST(contains(other.out, "colours and numbers: utilisation"), other.out);
}

BOOST_AUTO_TEST_CASE(json_goes_to_a_file_too) {
  const TemporaryFolder folder;
  const std::string file = folder.file("new/machine.json");
  BOOST_TEST(topology({"--out", file}).out == file + ": written\n");
  BOOST_TEST(topology({"--out", file}).out == file + ": unchanged\n");
  BOOST_TEST(folder.read("new/machine.json") == topology({}).out);
}

BOOST_AUTO_TEST_CASE(options_that_change_nothing_are_refused) {
  const TemporaryFolder folder;
  const auto refused = [](const Words& words, const std::string& text) {
    check_refusal(topology(words), {text});
  };
  refused({"--view", "cube"}, "topology: --view goes with a diagram");
  refused({"--heat", "s.json"}, "topology: --heat goes with a diagram");
  refused({"--format", "svg"}, "four diagrams do not go to standard output");
  refused({"--format", "svg", "--view", "system", "--instance", "sip0"},
          "--instance changes nothing in the system view");
  refused({"--format", "svg", "--view", "cube", "--instance", "sip0.cube7"},
          "there is no SIP, cube or PE 'sip0.cube7' in this machine; did you mean 'sip0.cube0'?");
  refused({"--format", "svg", "--view", "board"}, "board");
  refused({"--format", "svg", "--view", "cube", "--heat", folder.file("none.json")},
          "none.json: cannot be read");
  const std::string file = folder.write("t.json", "{}");
  refused({"--format", "svg", "--view", "cube", "--heat", file, "--out", file}, "t.json");
}

BOOST_AUTO_TEST_SUITE_END()
