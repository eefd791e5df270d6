// `kernbench placement`, and what the guide of kernels says that programs print: its pictures of
// placements and its table of tiles (sw/README.md).
#include <boost/test/unit_test.hpp>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(placement_command)

namespace {

Words on_tiny(const Words& more) { return joined({"placement", "--topology", "tiny"}, more); }

Words lines_of_guide() { return lines_of(source_text("sw/README.md")); }

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
  const ProgramResult table = completed(
      on_tiny({"--shape", "2x5x3", "--pe", "cut(1)", "--num-cubes", "1", "--num-pes", "3"}));
  BOOST_TEST(table.out ==
             "f16{2, 5, 3} by DPPolicy{replicate, cut(1), 1, 3}\n\n"
             "PE              elements             offset       bytes  mapped on\n"
             "sip0.cube0.pe0  [0:2, 0:2, 0:3]           0          24  sip0.cube0\n"
             "sip0.cube0.pe1  [0:2, 2:4, 0:3]          24          24  sip0.cube0\n"
             "sip0.cube0.pe2  [0:2, 4:5, 0:3]          48          12  sip0.cube0\n");
  const auto row = [](const Words& more, const std::string& line) {
    check_run(on_tiny(joined({"--shape", "8", "--num-pes", "2"}, more)), {0, {line}});
  };
  row({"--cube", "row_wise", "--pe", "row_wise"},
      "sip0.cube0.pe1  [4:8]              8           8  sip0\n");
  row({}, "sip0.cube0.pe1  [0:8]              0          16  sip0.cube0.pe1\n");
}

BOOST_AUTO_TEST_CASE(wrong_shapes_and_placements_are_refused_with_what_is_allowed) {
  const auto refused = [](const Words& more, const std::string& part) {
    check_run(on_tiny(joined({"--shape"}, more)), {2, {}, {part}});
  };
  refused({"8x"}, "--shape '8x' is not a list of extents");
  refused({"0x8"}, "--shape '0x8' is not a list of extents");
  refused({"8", "--pe", "rows"}, "placement 'rows', allowed: replicate, partial, row_wise");
  refused({"8x8", "--pe", "cut(2)"}, "cut(2): axis 2, allowed: -2 to 1");
  refused({"4x8", "--pe", "row_wise"}, "cuts axis 0 into 8 parts, but its extent there is 4");
  refused({"8", "--num-cubes", "2"}, "policy names 2 cubes");
  refused({"999x999", "--svg", "/dev/null"}, "at most 4096");
}

// The guide says by which command each of its pictures is made.
BOOST_AUTO_TEST_CASE(the_pictures_of_the_guide_are_those_that_its_commands_draw) {
  int pictures = 0;
  for (const std::string& line : lines_of_guide()) {
    Words words = words_of(line);
    if (words.size() < 4 || words[0] != "kernbench" || words[1] != "placement") continue;
    const std::string picture = words.back();
    const TemporaryFolder folder;
    words.erase(words.begin());
    words.back() = folder.file("drawn.svg");
    completed(words);
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
    Words words = bench_on_tiny("matmul-composite", {"--data", "off"});
    for (const char* parameter : {"M=256", "K=256", "N=256", "variant=ref_ref"})
      words = joined(words, {"--param", parameter});
    const std::string key = "cube.pe_template.components.pe_scheduler.attrs.tile_";
    for (const std::string& set :
         {"m=" + std::to_string(row.m), "k=" + std::to_string(row.k), "n=" + std::to_string(row.n)})
      words = joined(words, {"--set", key + set});
    check_run(words, {0, {"composite window   " + row.window + "  (", "  " + row.bytes + "\n"}});
  }
}

BOOST_AUTO_TEST_SUITE_END()
