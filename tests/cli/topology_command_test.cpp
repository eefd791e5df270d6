// `kernbench topology` draws (spec 11.4): files, formats, wrong usage.
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(topology_command)

namespace {

Words on_tiny(const Words& more) { return joined({"topology", "--topology", "tiny"}, more); }

Words view(const std::string& name, const std::string& format, const Words& more = {}) {
  return on_tiny(joined({"--format", format, "--view", name}, more));
}

}  // namespace

BOOST_AUTO_TEST_CASE(all_views_go_to_a_folder_and_are_left_alone_if_unchanged) {
  const TemporaryFolder folder;
  const std::string out = folder.file("drawn/here");
  for (const auto& [format, extension] :
       {std::pair<const char*, const char*>{"svg", "svg"}, {"mermaid", "mmd"}, {"dot", "dot"}}) {
    const ProgramResult first = completed(on_tiny({"--format", format, "--out", out}));
    for (const std::string name : {"system", "sip", "cube", "pe"}) {
      const std::string file = out + "/" + name + "_view." + extension;
      check_contains(first.out, {file + ": written\n"});
      BOOST_TEST(std::filesystem::file_size(file) > 500U);
      const auto written = std::filesystem::last_write_time(file);
      BOOST_TEST(completed(view(name, format, {"--out", out})).out == file + ": unchanged\n");
      BOOST_TEST((std::filesystem::last_write_time(file) == written));
    }
  }
}

BOOST_AUTO_TEST_CASE(one_view_goes_to_standard_output_or_a_file) {
  const TemporaryFolder folder;
  const ProgramResult drawn = check_run(view("pe", "dot"), {0, {"graph \"pe\" {"}});
  BOOST_TEST(completed(view("pe", "dot", {"--out", folder.file("p.dot")})).out ==
             folder.file("p.dot") + ": written\n");
  BOOST_TEST(folder.read("p.dot") == drawn.out);
}

BOOST_AUTO_TEST_CASE(statistics_of_a_run_colour_a_view) {
  const TemporaryFolder folder;
  const std::string stats = folder.file("stats.json");
  completed(bench_on_tiny("matmul-composite", {"--stats", stats}));
  check_run(view("cube", "svg", {"--heat", stats}),
            {0, {"busiest links:", "sip0.cube0.r0c0 &gt; sip0.cube0.hbm_ctrl.pe0"}});
  const std::string links = folder.file("links.json");
  completed({"traffic", "--generate", "stream", "--topology", "tiny", "--links", links});
  completed(view("cube", "svg", {"--heat", links}));
  const std::string other = folder.write(
      "other.json",
      R"({"links": [{"src": "sip1.io0.pcie_ep", "dst": "fabric.switch0", "utilisation": 0}]})");
  check_refused(view("cube", "svg", {"--heat", other}),
                {"other.json: this machine has no node 'sip1.io0.pcie_ep'; --heat"});
}

BOOST_AUTO_TEST_CASE(statistics_that_are_none_are_refused_by_name) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& file, const std::string& text) {
    check_refused(view("pe", "dot", {"--heat", file}), {file + ": " + text});
  };
  refused(folder.file("."), "is a folder; --heat accepts");
  refused(folder.write("a.json", R"({"links": [{"src": 1, "dst": "b"}]})"),
          "this machine has no node ''");
  const std::string other = folder.write(
      "b.json", R"({"links": [], "elapsed_ns": 5, "components": [{"name": 5, "stats": {}}]})");
  check_run(view("pe", "dot", {"--heat", other}), {0, {"colours and numbers: utilisation"}});
}

BOOST_AUTO_TEST_CASE(json_goes_to_a_file_too) {
  const TemporaryFolder folder;
  const std::string file = folder.file("new/machine.json");
  BOOST_TEST(completed(on_tiny({"--out", file})).out == file + ": written\n");
  BOOST_TEST(completed(on_tiny({"--out", file})).out == file + ": unchanged\n");
  BOOST_TEST(folder.read("new/machine.json") == completed(on_tiny({})).out);
}

BOOST_AUTO_TEST_CASE(options_that_change_nothing_are_refused) {
  const TemporaryFolder folder;
  const auto refused = [](const Words& words, const std::string& text) {
    check_refused(on_tiny(words), {text});
  };
  refused({"--view", "cube"}, "topology: --view requires a diagram");
  refused({"--heat", "s.json"}, "topology: --heat requires a diagram");
  refused({"--format", "svg"}, "four diagrams do not go to standard output");
  refused({"--format", "svg", "--view", "system", "--instance", "sip0"},
          "--instance has no effect in the system view");
  refused({"--format", "svg", "--view", "cube", "--instance", "sip0.cube7"},
          "there is no SIP, cube or PE 'sip0.cube7' in this machine; did you mean 'sip0.cube0'?");
  refused({"--format", "svg", "--view", "board"}, "board");
  refused({"--format", "svg", "--view", "cube", "--heat", folder.file("none.json")},
          "none.json: cannot be read");
  const std::string file = folder.write("t.json", "{}");
  refused({"--format", "svg", "--view", "cube", "--heat", file, "--out", file}, "t.json");
}

BOOST_AUTO_TEST_SUITE_END()
