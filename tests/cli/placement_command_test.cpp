// `kernbench placement`, and what the guide of kernels says that programs print: its pictures of
// placements and its table of tiles (sw/README.md).
#include <boost/test/unit_test.hpp>
#include <sstream>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(placement_command)

namespace {

ProgramResult placement(const Words& more) {
  return kernbench_program(joined({"placement", "--topology", "tiny"}, more));
}

std::string error_of(const Words& more) {
  const ProgramResult result = placement(more);
  BOOST_TEST(result.status == 2);
  return result.err;
}

std::vector<std::string> lines_of_guide() {
  std::vector<std::string> lines;
  std::istringstream guide(source_text("sw/README.md"));
  for (std::string line; std::getline(guide, line);) lines.push_back(line);
  return lines;
}

Words split(const std::string& text) {
  std::istringstream in(text);
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// "| 64 x 32 x 128 | 5.412 us | 768.0 KiB | ...": of the table of tiles.
struct TileRow {
  int m = 0, k = 0, n = 0;
  std::string window, bytes;
};

std::vector<TileRow> tile_rows() {
  std::vector<TileRow> rows;
  for (const std::string& line : lines_of_guide()) {
    TileRow row;
    char window[32] = {}, bytes[32] = {};
    if (std::sscanf(line.c_str(), "| %d x %d x %d | %30[^|] | %30[^|] |", &row.m, &row.k, &row.n,
                    window, bytes) != 5)
      continue;
    const auto trimmed = [](std::string text) {
      return text.substr(0, text.find_last_not_of(' ') + 1);
    };
    row.window = trimmed(window);
    row.bytes = trimmed(bytes);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_table_has_the_elements_and_the_mappings_of_each_pe) {
  const ProgramResult table =
      placement({"--shape", "2x5x3", "--pe", "cut(1)", "--num-cubes", "1", "--num-pes", "3"});
  BOOST_TEST_REQUIRE(table.status == 0, table.err);
  BOOST_TEST(table.out ==
             "f16{2, 5, 3} by DPPolicy{replicate, cut(1), 1, 3}\n\n"
             "PE              elements             offset       bytes  mapped on\n"
             "sip0.cube0.pe0  [0:2, 0:2, 0:3]           0          24  sip0.cube0\n"
             "sip0.cube0.pe1  [0:2, 2:4, 0:3]          24          24  sip0.cube0\n"
             "sip0.cube0.pe2  [0:2, 4:5, 0:3]          48          12  sip0.cube0\n");
  const ProgramResult everywhere =
      placement({"--shape", "8", "--cube", "row_wise", "--pe", "row_wise", "--num-pes", "2"});
  BOOST_TEST(contains(everywhere.out, "sip0.cube0.pe1  [4:8]              8           8  sip0\n"),
             everywhere.out);
  BOOST_TEST(contains(placement({"--shape", "8", "--num-pes", "2"}).out,
                      "sip0.cube0.pe1  [0:8]              0          16  sip0.cube0.pe1\n"));
}

BOOST_AUTO_TEST_CASE(wrong_shapes_and_placements_are_refused_with_what_is_allowed) {
  BOOST_TEST(contains(error_of({"--shape", "8x"}), "--shape '8x' is no list of extents"));
  BOOST_TEST(contains(error_of({"--shape", "0x8"}), "--shape '0x8' is no list of extents"));
  BOOST_TEST(contains(error_of({"--shape", "8", "--pe", "rows"}),
                      "placement 'rows', allowed: replicate, partial, row_wise"));
  BOOST_TEST(
      contains(error_of({"--shape", "8x8", "--pe", "cut(2)"}), "cut(2): axis 2, allowed: -2 to 1"));
  BOOST_TEST(contains(error_of({"--shape", "4x8", "--pe", "row_wise"}),
                      "cuts axis 0 into 8 parts, but its extent there is 4"));
  BOOST_TEST(contains(error_of({"--shape", "8", "--num-cubes", "2"}), "policy names 2 cubes"));
  BOOST_TEST(contains(error_of({"--shape", "999x999", "--svg", "/dev/null"}), "at most 4096"));
}

// The guide says by which command each of its pictures is made.
BOOST_AUTO_TEST_CASE(the_pictures_of_the_guide_are_those_that_its_commands_draw) {
  int pictures = 0;
  for (const std::string& line : lines_of_guide()) {
    Words words = split(line);
    if (words.size() < 4 || words[0] != "kernbench" || words[1] != "placement") continue;
    const std::string picture = words.back();
    const TemporaryFolder folder;
    words.erase(words.begin());
    words.back() = folder.file("drawn.svg");
    const ProgramResult drawn = kernbench_program(words);
    BOOST_TEST_REQUIRE(drawn.status == 0, drawn.err);
    BOOST_TEST((folder.read("drawn.svg") == source_text(picture)),
               picture << " is not what is drawn by: " << line);
    ++pictures;
  }
  BOOST_TEST(pictures >= 8);
}

BOOST_AUTO_TEST_CASE(the_times_of_tiles_in_the_guide_are_those_of_a_run) {
  const std::vector<TileRow> rows = tile_rows();
  BOOST_TEST(rows.size() >= 5U);
  for (const TileRow& row : rows) {
    Words words{"run",        "--bench", "matmul-composite",
                "--topology", "tiny",    "--data",
                "off",        "--param", "M=256",
                "--param",    "K=256",   "--param",
                "N=256",      "--param", "variant=ref_ref"};
    const std::string key = "cube.pe_template.components.pe_scheduler.attrs.tile_";
    for (const std::string& set : {"m=" + std::to_string(row.m), "k=" + std::to_string(row.k),
                                   "n=" + std::to_string(row.n)}) {
      words.push_back("--set");
      words.push_back(key + set);
    }
    const ProgramResult run = kernbench_program(words);
    BOOST_TEST_REQUIRE(run.status == 0, run.err);
    BOOST_TEST(contains(run.out, "composite window   " + row.window + "  ("), run.out);
    BOOST_TEST(contains(run.out, "  " + row.bytes + "\n"), row.bytes << " is not in:\n" << run.out);
  }
}

BOOST_AUTO_TEST_SUITE_END()
