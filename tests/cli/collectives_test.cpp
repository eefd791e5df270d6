// Collectives on the command line: tables of results, tables of tuning.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>

#include "tests/cli/program.h"

using namespace kernbench::test;

// What `run --bench collectives` prints and writes: the tables of nccl-tests (spec 8.4).
BOOST_AUTO_TEST_SUITE(collectives)

namespace {

Words on_two_sips(const Words& more) {
  return bench_on_tiny("collectives", joined({"--set", "system.sips.count=2"}, more));
}

// The lines behind the name of a table.
Words table_of(const std::string& text, const std::string& name) {
  Words lines = lines_of(text);
  const auto at = std::find(lines.begin(), lines.end(), name);
  BOOST_TEST_REQUIRE((at != lines.end()), name << " is not in " << text);
  return {at + 1, std::find(at, lines.end(), "")};
}

Json table_in(const Json& report, const std::string& name) {
  for (const auto& table : report.at("results")) {
    if (table.at("name") == name) return table;
  }
  return nullptr;
}

}  // namespace

BOOST_AUTO_TEST_CASE(tables_have_the_lines_and_columns_of_nccl_tests) {
  const ProgramResult result =
      completed(on_two_sips({"--param", "max_bytes=4096", "--verify-data"}));
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
    const Json table =
        table_in(json_of(on_two_sips(
                     joined({"--param", "op=reduce_scatter", "--param", "max_bytes=1024"}, more))),
                 "reduce_scatter");
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
  const auto written = [&](const std::string& name) {
    return json_of(on_two_sips(
        {"--param", "max_bytes=1024", "--param", "op=all_gather", "--results", folder.file(name)}));
  };
  const Json report = written("r.json");
  BOOST_TEST((Json::parse(folder.read("r.json")) == report.at("results")));
  BOOST_TEST(folder.has("r.json.config.yaml"));
  written("r.csv");
  const Words lines = lines_of(folder.read("r.csv"));
  BOOST_TEST_REQUIRE(lines.size() == 1U + 2U + 1U);
  BOOST_TEST(lines[0].rfind("table,op,ranks,algorithm,", 0) == 0U);
  check_contains(lines[0], {",size_bytes,count,type,redop,root,time_us,algbw_gbs,busbw_gbs,wrong,"
                            "in_place_time_us,"});
  BOOST_TEST(lines[1].rfind("collectives,all_gather,2,ring_all_gather,,f16,1024,", 0) == 0U);
  BOOST_TEST(lines[3].rfind("all_gather,,,,,,,,,,1024,256,f16,none,-1,", 0) == 0U, lines[3]);
  check_refused({"run", "--bench", "collectives", "--results", folder.file("r.txt")},
                {"r.txt' end in '.txt': .csv or .json"});
}

BOOST_AUTO_TEST_SUITE_END()

// `tune-collectives`, and runs that choose by the table that it writes (spec 8.2).
BOOST_AUTO_TEST_SUITE(tune)

namespace {

const Words four_sips{"--topology", "tiny", "--set", "system.sips.count=4"};

Words with_four_sips(const Words& words, const Words& more) {
  return joined(joined(words, four_sips), more);
}

// Rows of the table of calls of all_reduce.
Json calls(const Words& more) {
  return json_of(
             with_four_sips({"run", "--bench", "collectives", "--param", "op=all_reduce"}, more))
      .at("results")
      .at(0)
      .at("rows");
}

}  // namespace

// What `auto` takes for each size is the fastest of the algorithms, each run by its name.
BOOST_AUTO_TEST_CASE(a_tuned_run_takes_the_fastest_algorithm_of_each_size) {
  const TemporaryFolder folder;
  const std::string table = folder.file("four.tuning.yaml");
  completed(with_four_sips({"tune-collectives", "--out", table},
                           {"--min-bytes", "256", "--max-bytes", "65536", "--step-factor", "16"}));
  check_contains(read_file(table),
                 {"sip_topology: ring_1d, ranks: 4, rank_unit: sip, min_bytes: 0"});

  const auto with = [&](const std::string& algorithm) {
    return calls({"--param", "min_bytes=256", "--param", "max_bytes=65536", "--param",
                  "step_factor=16", "--set", "ccl:defaults.algorithm=" + algorithm, "--set",
                  "ccl:tuning_table=" + table});
  };
  const Json by_choice = with("auto");
  std::map<std::string, Json> by_name;
  for (const char* name : {"lrab_hierarchical_allreduce", "ring_allreduce", "tree_allreduce"})
    by_name[name] = with(name);
  BOOST_TEST_REQUIRE(by_choice.size() == 6U);  // three sizes, out of place and in place
  std::set<std::string> taken;
  for (std::size_t i = 1; i < by_choice.size(); i += 2) {
    double fastest = 1e9;
    for (const auto& [name, rows] : by_name)
      fastest = std::min(fastest, rows.at(i).at("time_ns").get<double>());
    BOOST_TEST(by_choice.at(i).at("time_ns").get<double>() == fastest);
    taken.insert(by_choice.at(i).at("algorithm").get<std::string>());
  }
  BOOST_TEST(taken.size() > 1U);  // a small and a large size differ
}

BOOST_AUTO_TEST_CASE(the_path_of_a_table_is_relative_to_the_file_that_names_it) {
  const TemporaryFolder folder;
  folder.write("by_hand.yaml",
               "choices:\n  - {op: all_reduce, max_bytes: 2047, algorithm: tree_allreduce}\n"
               "  - {op: all_reduce, algorithm: ring_allreduce}\n");
  const std::string ccl =
      folder.write("my.yaml", "defaults: {algorithm: auto}\ntuning_table: by_hand.yaml\n");
  const Json rows = calls({"--ccl", ccl, "--param", "max_bytes=4096", "--verify-data"});
  BOOST_TEST(rows.at(0).at("algorithm") == "tree_allreduce");
  BOOST_TEST(rows.at(rows.size() - 1).at("algorithm") == "ring_allreduce");
}

BOOST_AUTO_TEST_CASE(all_faults_of_a_table_are_reported_with_place_key_and_allowed_values) {
  const TemporaryFolder folder;
  const std::string table =
      folder.write("bad.yaml",
                   "choices:\n"
                   "  - {op: all_reduced, algorithm: ring_allreduce}\n"
                   "  - {op: all_reduce, algorithm: ring}\n"
                   "  - {op: all_reduce, ranks: 0, algorithm: ring_allreduce}\n"
                   "  - {op: all_reduce}\n"
                   "  - {op: all_reduce, bytes: 3, algorithm: ring_allreduce}\n"
                   "rows: []\n");
  const auto refused = [&](const std::string& file, const Words& parts) {
    check_refused(
        with_four_sips({"run"}, {"--bench", "collectives", "--set", "ccl:tuning_table=" + file}),
        parts);
  };
  refused(table, {table + ":2:10: choices.0.op: found 'all_reduced', allowed is one of all_reduce",
                  table + ":3:33: choices.1.algorithm: found 'ring', allowed is one of",
                  table + ":4:29: choices.2.ranks: found 0, allowed is an integer, 1 to 16384",
                  "choices.3.algorithm: ", table + ":6:22: choices.4.bytes: unknown key",
                  table + ":7:1: rows: unknown key"});
  const std::string mixed = folder.write("mixed.yaml",
                                         "choices:\n"
                                         "  - {op: all_gather, algorithm: ring_allreduce}\n"
                                         "  - {op: all_reduce, min_bytes: 9, max_bytes: 8, "
                                         "algorithm: ring_allreduce}\n");
  refused(mixed, {mixed + ":2:33: choices.0.algorithm: found ring_allreduce, an algorithm of "
                          "all_reduce, not of all_gather",
                  mixed + ":3:47: choices.1.max_bytes: found 8, which is less than min_bytes, 9"});
  refused(folder.file("none.yaml"), {"none.yaml"});
}

BOOST_AUTO_TEST_CASE(a_choice_without_a_table_is_refused) {
  const TemporaryFolder folder;
  check_refused(
      with_four_sips({"run"}, {"--bench", "collectives", "--ccl",
                               folder.write("ccl.yaml", "defaults: {algorithm: auto}\n")}),
      {"algorithm 'auto' chooses by a tuning table, and ccl.yaml names none: its key is "
       "tuning_table, and kernbench tune-collectives writes one"});
}

BOOST_AUTO_TEST_CASE(what_cannot_be_tuned_is_refused) {
  const TemporaryFolder folder;
  const auto refused = [&folder](const Words& more, const std::string& part) {
    check_refused(with_four_sips({"tune-collectives", "--out", folder.file("t.yaml")}, more),
                  {part});
  };
  refused({"--op", "broadcast"},
          "there is nothing to choose: each of these collectives has one algorithm");
  refused({"--op", "all"}, "--op");
  refused({"--set", "system.sips.count=1"},
          "there is nothing to choose: this machine has one rank");
  refused({"--step-factor", "1"}, "parameter step_factor: found 1");
}

BOOST_AUTO_TEST_SUITE_END()
