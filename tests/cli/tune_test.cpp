// `tune-collectives`, and runs that choose by the table that it writes (spec 8.2).
#include <boost/test/unit_test.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(tune)

namespace {

const Words four_sips{"--topology", "tiny", "--set", "system.sips.count=4"};

ProgramResult program(Words words, const Words& more) {
  words.insert(words.end(), four_sips.begin(), four_sips.end());
  words.insert(words.end(), more.begin(), more.end());
  return kernbench_program(words);
}

// Rows of the table of calls of all_reduce.
nlohmann::json calls(const Words& more) {
  Words words{"--bench", "collectives", "--param", "op=all_reduce", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const ProgramResult result = program({"run"}, words);
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  return nlohmann::json::parse(result.out).at("results").at(0).at("rows");
}

}  // namespace

// What `auto` takes for each size is the fastest of the algorithms, each run by its name.
BOOST_AUTO_TEST_CASE(a_tuned_run_takes_the_fastest_algorithm_of_each_size) {
  const TemporaryFolder folder;
  const std::string table = folder.file("four.tuning.yaml");
  const Words sizes{"--min-bytes", "256", "--max-bytes", "65536", "--step-factor", "16"};
  Words words{"--out", table};
  words.insert(words.end(), sizes.begin(), sizes.end());
  const ProgramResult tuned = program({"tune-collectives"}, words);
  BOOST_TEST_REQUIRE(tuned.status == 0, tuned.err);
  BOOST_TEST(
      read_file(table).find("sip_topology: ring_1d, ranks: 4, rank_unit: sip, min_bytes: 0") !=
      std::string::npos);

  const Words swept{"--param",         "min_bytes=256", "--param",
                    "max_bytes=65536", "--param",       "step_factor=16"};
  const auto with = [&](const std::string& algorithm) {
    Words more = swept;
    more.insert(more.end(), {"--set", "ccl:defaults.algorithm=" + algorithm, "--set",
                             "ccl:tuning_table=" + table});
    return calls(more);
  };
  const nlohmann::json by_choice = with("auto");
  std::map<std::string, nlohmann::json> by_name;
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

BOOST_AUTO_TEST_CASE(a_table_stands_beside_the_file_that_names_it) {
  const TemporaryFolder folder;
  folder.write("by_hand.yaml",
               "choices:\n  - {op: all_reduce, max_bytes: 2047, algorithm: tree_allreduce}\n"
               "  - {op: all_reduce, algorithm: ring_allreduce}\n");
  const std::string ccl =
      folder.write("my.yaml", "defaults: {algorithm: auto}\ntuning_table: by_hand.yaml\n");
  const nlohmann::json rows = calls({"--ccl", ccl, "--param", "max_bytes=4096", "--verify-data"});
  BOOST_TEST(rows.at(0).at("algorithm") == "tree_allreduce");
  BOOST_TEST(rows.at(rows.size() - 1).at("algorithm") == "ring_allreduce");
}

BOOST_AUTO_TEST_CASE(all_faults_of_a_table_are_told_with_place_key_and_what_is_allowed) {
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
  const auto refused = [&](const std::string& file) {
    return program({"run"}, {"--bench", "collectives", "--set", "ccl:tuning_table=" + file});
  };
  check_refusal(refused(table),
                {table + ":2:10: choices.0.op: found 'all_reduced', allowed is one of all_reduce",
                 table + ":3:33: choices.1.algorithm: found 'ring', allowed is one of",
                 table + ":4:29: choices.2.ranks: found 0, allowed is an integer, 1 to 16384",
                 "choices.3.algorithm: ", table + ":6:22: choices.4.bytes: unknown key",
                 table + ":7:1: rows: unknown key"});
  const std::string mixed = folder.write("mixed.yaml",
                                         "choices:\n"
                                         "  - {op: all_gather, algorithm: ring_allreduce}\n"
                                         "  - {op: all_reduce, min_bytes: 9, max_bytes: 8, "
                                         "algorithm: ring_allreduce}\n");
  check_refusal(refused(mixed),
                {mixed + ":2:33: choices.0.algorithm: found ring_allreduce, an algorithm of "
                         "all_reduce, not of all_gather",
                 mixed + ":3:47: choices.1.max_bytes: found 8, which is less than min_bytes, 9"});
  check_refusal(refused(folder.file("none.yaml")), {"none.yaml"});
}

BOOST_AUTO_TEST_CASE(a_choice_without_a_table_is_refused) {
  const TemporaryFolder folder;
  check_refusal(program({"run"}, {"--bench", "collectives", "--ccl",
                                  folder.write("ccl.yaml", "defaults: {algorithm: auto}\n")}),
                {"algorithm 'auto' chooses by a tuning table, and ccl.yaml names none: its key is "
                 "tuning_table, and kernbench tune-collectives writes one"});
}

BOOST_AUTO_TEST_CASE(what_cannot_be_tuned_is_refused) {
  const TemporaryFolder folder;
  const std::string out = folder.file("t.yaml");
  check_refusal(program({"tune-collectives"}, {"--out", out, "--op", "broadcast"}),
                {"there is nothing to choose: each of these collectives has one algorithm"});
  check_refusal(program({"tune-collectives"}, {"--out", out, "--op", "all"}), {"--op"});
  check_refusal(program({"tune-collectives"}, {"--out", out, "--set", "system.sips.count=1"}),
                {"there is nothing to choose: this machine has one rank"});
  check_refusal(program({"tune-collectives"}, {"--out", out, "--step-factor", "1"}),
                {"parameter step_factor: found 1"});
}

BOOST_AUTO_TEST_SUITE_END()
