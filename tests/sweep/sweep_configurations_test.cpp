// Configurations of a sweep's points in its result file (spec 10.6).
#include "platform/sweep/sweep_configurations.h"

#include <boost/test/unit_test.hpp>

#include "platform/sweep/sweep_file.h"
#include "platform/sweep/sweep_results.h"
#include "tests/support/temporary_folder.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(sweep_configurations)

namespace {

// Configuration of 12 lines; a link of a cube, attributes of a component, a word of the first line.
std::string configuration(const std::string& m, const std::string& gbs, const std::string& macs,
                          const std::string& sides = "N") {
  return "# bench gemm M=" + m +
         " K=64\n# seed 1\nsystem:\n  ns_per_mm: 0.1\nsip:\n  io_chiplets:\n"
         "    - id: io0\n      side: " +
         sides + "\ncube:\n  links:\n    hbm_bw_gbs: " + gbs +
         "\n  pe_gemm: {impl: builtin.pe_gemm, attrs: {macs: " + macs + ", kind: \"a, b\"}}\n";
}

using Texts = std::vector<std::string>;

struct StoredFile {
  TemporaryFolder folder;
  SQLite::Database database{folder.file("c.sqlite"), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(each_text_is_read_as_it_was_stored, StoredFile) {
  const std::map<std::string, std::string> texts{{"a", configuration("32", "256", "2048")},
                                                 {"b", configuration("64", "256", "2048")},
                                                 {"c", configuration("64", "512", "4096")},
                                                 {"d", "other:\n  text\n"}};
  SweepConfigurations configurations(database);
  for (const auto& [hash, text] : texts) configurations.add(hash, text);
  configurations.add("a", "ignored: the hash is known\n");
  const StoredConfigurations stored(database);
  for (const auto& [hash, text] : texts) BOOST_TEST(stored.text(hash) == text);
  BOOST_TEST(stored.base_of("a") == "a");
  BOOST_TEST(stored.base_of("c") == "a");
  BOOST_TEST(stored.base_of("d") == "d");
  BOOST_TEST(!stored.has("e"));
  // Whole texts are stored once: of b a line.
  SQLite::Statement size(database, "SELECT LENGTH(text) FROM configurations WHERE hash = 'b'");
  BOOST_TEST_REQUIRE(size.executeStep());
  BOOST_TEST(size.getColumn(0).getInt() < 30);
}

BOOST_FIXTURE_TEST_CASE(differences_are_values_with_the_paths_of_their_keys, StoredFile) {
  SweepConfigurations configurations(database);
  configurations.add("a", configuration("32", "256", "2048"));
  configurations.add("b", configuration("64", "512", "4096"));
  configurations.add("c", configuration("32", "256", "2048", "S"));
  StoredConfigurations stored(database);
  BOOST_TEST(stored.differences("a", "a").empty());
  const Texts three{"M=64", "cube.links.hbm_bw_gbs: 512", "cube.pe_gemm.attrs.macs: 4096"};
  BOOST_TEST(stored.differences("b", "a") == three, boost::test_tools::per_element());
  BOOST_TEST((stored.differences("c", "a") == Texts{"sip.io_chiplets.io0.side: S"}));
  // From one that is not the base.
  const Texts back{"M=32", "cube.links.hbm_bw_gbs: 256", "cube.pe_gemm.attrs.macs: 2048"};
  BOOST_TEST(stored.differences("a", "b") == back, boost::test_tools::per_element());
  const Texts other{"M=32", "sip.io_chiplets.io0.side: S", "cube.links.hbm_bw_gbs: 256",
                    "cube.pe_gemm.attrs.macs: 2048"};
  BOOST_TEST(stored.differences("c", "b") == other, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(lines_that_differ_in_their_keys_are_compared_as_texts, StoredFile) {
  const auto text = [](const std::string& line, const std::string& port) {
    return "cube:\n  a: 1\n  b: 2\n  c: 3\n  d: 4\n  e: 5\n  f: 6\n  g: 7\n" + line +
           "  ports:\n    - {cube: {xy: [0, 0]}, phy: " + port + "}\n";
  };
  SweepConfigurations configurations(database);
  configurations.add("a", text("  impl: x\n", "P0"));
  configurations.add("b", text("  kind: y\n", "P0"));
  configurations.add("c", text("  impl: x\n", "P1"));
  StoredConfigurations stored(database);
  BOOST_TEST((stored.differences("b", "a") == Texts{"cube.kind: y"}));
  BOOST_TEST((stored.differences("c", "a") == Texts{"cube.ports.0.phy: P1"}));
}

// Here `b` is stored relative to `a`; in the other file it is the base of `c`.
BOOST_FIXTURE_TEST_CASE(a_copied_text_does_not_depend_on_the_base_that_it_had, StoredFile) {
  StoredFile other;
  {
    SweepConfigurations configurations(other.database);
    configurations.add("b", configuration("64", "256", "2048"));
    configurations.add("c", configuration("64", "256", "4096"));
  }
  SweepConfigurations configurations(database);
  configurations.add("a", configuration("32", "256", "2048"));
  configurations.add("b", configuration("64", "256", "2048"));
  configurations.add_all(other.database, {"b", "c"});
  const StoredConfigurations stored(database);
  BOOST_TEST(stored.text("b") == configuration("64", "256", "2048"));
  BOOST_TEST(stored.text("c") == configuration("64", "256", "4096"));
  BOOST_TEST(stored.base_of("c") == "a");
}

BOOST_AUTO_TEST_CASE(a_file_that_is_opened_again_uses_its_bases) {
  const TemporaryFolder folder;
  const std::string path = folder.file("r.sqlite"), other = folder.file("s.sqlite");
  const auto store = [](const std::string& file, std::uint64_t point, const std::string& text) {
    SweepFile sweep(file);
    sweep.request({{1, "k1", "M=1"}, {2, "k2", "M=2"}});
    sweep.describe({}, {});
    SweepRow row;
    row.point = point;
    row.key = "k" + std::to_string(point);
    row.status = "ok";
    row.hash = "h" + std::to_string(point);
    row.configuration = text;
    sweep.store(row);
    sweep.define_results({});
  };
  store(path, 2, configuration("2", "256", "2048"));  // finishes first
  store(path, 1, configuration("1", "256", "2048"));
  SweepResults results = read_results(path);
  BOOST_TEST_REQUIRE(results.configurations.points.size() == 2u);
  BOOST_TEST(results.configurations.bases.size() == 1u);
  BOOST_TEST((results.configurations.points[1].differences == Texts{"M=2"}));
  // Those of a shard are copied with its rows.
  {
    SweepFile sweep(other);
    sweep.request({{1, "k1", "M=1"}, {2, "k2", "M=2"}});
    sweep.describe({}, {});
    sweep.store_all(path);
    sweep.define_results({});
  }
  results = read_results(other);
  BOOST_TEST(results.configurations.bases.size() == 1u);
  BOOST_TEST((results.configurations.points[1].differences == Texts{"M=2"}));
}

BOOST_AUTO_TEST_SUITE_END()
