// What `run --bench collectives` prints and writes: the tables of nccl-tests (spec 8.4).
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(collectives)

namespace {

ProgramResult run(const Words& more) {
  Words words{"run",  "--bench", "collectives",        "--topology",
              "tiny", "--set",   "system.sips.count=2"};
  words.insert(words.end(), more.begin(), more.end());
  const ProgramResult result = kernbench_program(words);
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  return result;
}

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

Words words_of(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()};
}

// The lines behind the name of a table.
Words table_of(const std::string& text, const std::string& name) {
  Words lines = lines_of(text);
  const auto at = std::find(lines.begin(), lines.end(), name);
  BOOST_TEST_REQUIRE((at != lines.end()), name << " is not in " << text);
  return {at + 1, std::find(at, lines.end(), "")};
}

nlohmann::json table_in(const nlohmann::json& report, const std::string& name) {
  for (const auto& table : report.at("results")) {
    if (table.at("name") == name) return table;
  }
  return nullptr;
}

}  // namespace

BOOST_AUTO_TEST_CASE(tables_have_the_lines_and_columns_of_nccl_tests) {
  const ProgramResult result = run({"--param", "max_bytes=4096", "--verify-data"});
  const Words table = table_of(result.out, "all_reduce");
  BOOST_TEST_REQUIRE(table.size() == 3U + 2U + 2U);
  BOOST_TEST(words_of(table[0]) == (Words{"#", "out-of-place", "in-place"}),
             boost::test_tools::per_element());
  BOOST_TEST(
      words_of(table[1]) == (Words{"#", "size", "count", "type", "redop", "root", "time", "algbw",
                                   "busbw", "#wrong", "time", "algbw", "busbw", "#wrong"}),
      boost::test_tools::per_element());
  BOOST_TEST(words_of(table[2]) == (Words{"#", "(B)", "(elements)", "(us)", "(GB/s)", "(GB/s)",
                                          "(us)", "(GB/s)", "(GB/s)"}),
             boost::test_tools::per_element());
  const Words row = words_of(table[3]);
  BOOST_TEST_REQUIRE(row.size() == 13U);
  BOOST_TEST(Words(row.begin(), row.begin() + 5) == (Words{"1024", "512", "f16", "sum", "-1"}),
             boost::test_tools::per_element());
  BOOST_TEST(row[8] == "0");
  BOOST_TEST(row[12] == "0");
  BOOST_TEST(table[5].rfind("  # Out of bounds values : 0", 0) == 0U);
  BOOST_TEST(table[6].rfind("  # Avg bus bandwidth    : ", 0) == 0U);
  BOOST_TEST(words_of(table_of(result.out, "gather")[3])[4] == "0");  // the root
  // No form in place.
  BOOST_TEST(words_of(table_of(result.out, "send_recv")[3])[9] == "-");
}

// Counted where there are data, with verdicts or without.
BOOST_AUTO_TEST_CASE(wrong_elements_are_those_of_the_data_of_the_run) {
  const auto wrong = [](const Words& more) {
    Words words{"--param", "op=reduce_scatter", "--param", "max_bytes=1024", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const auto report = nlohmann::json::parse(run(words).out);
    const auto table = table_in(report, "reduce_scatter");
    BOOST_TEST((table.at("rows").at(0).at("wrong") == table.at("summary").at("out_of_bounds")));
    return table.at("rows").at(0).at("in_place_wrong");
  };
  BOOST_TEST(wrong({}).is_null());
  BOOST_TEST(wrong({"--verify-data"}) == 0);
  BOOST_TEST(wrong({"--data", "deferred"}) == 0);
  BOOST_TEST(wrong({"--data", "eager"}) == 0);
}

BOOST_AUTO_TEST_CASE(tables_are_written_as_csv_or_json) {
  const TemporaryFolder folder;
  const Words sizes{"--param", "max_bytes=1024", "--param", "op=all_gather"};
  const auto written = [&](const std::string& name) {
    Words words = sizes;
    words.insert(words.end(), {"--results", folder.file(name), "--json"});
    return nlohmann::json::parse(run(words).out);
  };
  const auto report = written("r.json");
  BOOST_TEST((nlohmann::json::parse(folder.read("r.json")) == report.at("results")));
  BOOST_TEST(folder.has("r.json.config.yaml"));
  written("r.csv");
  const Words lines = lines_of(folder.read("r.csv"));
  BOOST_TEST_REQUIRE(lines.size() == 1U + 2U + 1U);
  BOOST_TEST(lines[0].rfind("table,op,algorithm,", 0) == 0U);
  BOOST_TEST(lines[0].find(",size_bytes,count,type,redop,root,time_us,algbw_gbs,busbw_gbs,wrong,"
                           "in_place_time_us,") != std::string::npos);
  BOOST_TEST(lines[1].rfind("collectives,all_gather,ring_all_gather,,f16,2,1024,", 0) == 0U);
  BOOST_TEST(lines[3].rfind("all_gather,,,,,,,,,,1024,256,f16,none,-1,", 0) == 0U, lines[3]);
  check_refused({"run", "--bench", "collectives", "--results", folder.file("r.txt")},
                {"r.txt' end in '.txt': .csv or .json"});
}

BOOST_AUTO_TEST_SUITE_END()
