// ccl.yaml on the command line: --ccl, --set ccl:, list algorithms; a wrong file is refused like a
// wrong topology (spec 1.3, 8.2).
#include <boost/test/unit_test.hpp>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(ccl)

namespace {

// ccl-allreduce on two SIPs of one cube, with more words.
Words all_reduce(const Words& more) {
  return bench_on_tiny("ccl-allreduce", joined({"--set", "system.sips.count=2"}, more));
}

// The first row of results.
Json row_of(const Words& words) { return json_of(words).at("results").at(0).at("rows").at(0); }
Json row(const Words& more) { return row_of(all_reduce(more)); }

void refused(const Words& more, const Words& parts) { check_refused(all_reduce(more), parts); }

}  // namespace

BOOST_AUTO_TEST_CASE(a_given_file_holds_and_set_goes_before_it) {
  const TemporaryFolder folder;
  const std::string file = folder.write("my.yaml",
                                        "defaults: {algorithm: ring_allreduce, n_elem: 100}\n"
                                        "algorithms: {tree_allreduce: {n_elem: 50}}\n");
  // The shipped table: of two SIPs small sizes go round the ring.
  BOOST_TEST(row({}).at("algorithm") == "ring_allreduce");
  BOOST_TEST(row({"--param", "n_elem=1024"}).at("algorithm") == "lrab_hierarchical_allreduce");
  BOOST_TEST(row({"--set", "ccl:defaults.algorithm=lrab_hierarchical_allreduce"}).at("algorithm") ==
             "lrab_hierarchical_allreduce");
  BOOST_TEST(row({}).at("bytes") == 16);
  BOOST_TEST(row({"--ccl", file}).at("algorithm") == "ring_allreduce");
  BOOST_TEST(row({"--ccl", file}).at("bytes") == 200);
  BOOST_TEST(row({"--ccl", file, "--set", "ccl:defaults.algorithm=tree_allreduce"}).at("bytes") ==
             100);
  BOOST_TEST(row({"--ccl", file, "--set", "ccl:defaults.n_elem=7", "--param",
                  "algorithm=hierarchical_allreduce"})
                 .at("bytes") == 14);
}

BOOST_AUTO_TEST_CASE(a_file_may_include_another_as_its_base) {
  const TemporaryFolder folder;
  folder.write("base.yaml", "defaults: {algorithm: ring_allreduce, n_elem: 100}\n");
  const std::string file = folder.write("my.yaml", "include: base.yaml\ndefaults: {n_elem: 3}\n");
  BOOST_TEST(row({"--ccl", file}).at("algorithm") == "ring_allreduce");
  BOOST_TEST(row({"--ccl", file}).at("bytes") == 6);
}

BOOST_AUTO_TEST_CASE(all_faults_of_a_file_are_reported_together_with_place_key_and_allowed_values) {
  const TemporaryFolder folder;
  const std::string file = folder.write("bad.yaml",
                                        "defaults:\n"
                                        "  algoritm: ring_allreduce\n"
                                        "  buffer_kind: dram\n"
                                        "  n_slots: 0\n"
                                        "  slot_size: big\n"
                                        "algorithms:\n"
                                        "  ring_allreduc: {n_slots: 2}\n"
                                        "  ring_allreduce: {root_cube: 3, chunking: yes}\n"
                                        "  lrab_hierarchical_allreduce: 7\n"
                                        "extra: 1\n");
  refused(
      {"--ccl", file},
      {file + ":2:3: defaults.algoritm: unknown key; did you mean 'algorithm'?",
       file + ":3:16: defaults.buffer_kind: found 'dram', allowed is one of tcm, sram, hbm; did "
              "you mean 'sram'?",
       file + ":4:12: defaults.n_slots: found 0, allowed is an integer, 1 to 4096",
       file + ":5:14: defaults.slot_size: found 'big', allowed is an integer, 16 to 1073741824 (B)",
       file + ":7:3: algorithms.ring_allreduc: unknown key; did you mean 'ring_allreduce'?",
       file + ":8:20: algorithms.ring_allreduce.root_cube: unknown key",
       file + ":8:44: algorithms.ring_allreduce.chunking: found 'yes', allowed is true or false",
       file + ":9:32: algorithms.lrab_hierarchical_allreduce: found '7', allowed is a section",
       file + ":10:1: extra: unknown key; known here: defaults, algorithms, tuning_table"});
}

BOOST_AUTO_TEST_CASE(settings_are_checked_like_the_file) {
  refused({"--set", "ccl:defaults.buffer_kind=tmc"},
          {"--set ccl:defaults.buffer_kind=tmc: defaults.buffer_kind: found 'tmc', allowed "
           "is one of tcm, sram, hbm"});
  // all_reduce cannot be an all-gather.
  refused({"--set", "ccl:defaults.algorithm=ring_all_gather"},
          {"allowed is one of auto, hierarchical_allreduce, lrab_hierarchical_allreduce, "
           "ring_allreduce, tree_allreduce"});
  refused({"--set", "ccl:algorithms.tree_allreduce.root_cube=1"},
          {"algorithms.tree_allreduce.root_cube: unknown key"});
  refused({"--set", "cll:defaults.n_slots=2"},
          {"reads no 'cll' file; prefixes are topology:, components:, ccl: and energy:"});
  refused({"--ccl", "cll.yaml"}, {"no file 'cll.yaml'", "did you mean 'ccl.yaml'?"});
  check_refused({"topology", "--topology", "six-sip"},
                {"no file 'six-sip'", "did you mean 'six_sip'?"});
  check_refused({"probe", "--topology", "tiny", "--set", "ccl:defaults.n_slots=2"},
                {"this command reads no 'ccl' file"});
}

BOOST_AUTO_TEST_CASE(a_file_is_no_result) {
  const TemporaryFolder folder;
  const std::string file = folder.write("my.yaml", "defaults: {}\n");
  refused({"--ccl", file, "--stats", file}, {"would overwrite the input '" + file + "'"});
}

// What does not go together with the machine is known only when the bench starts.
BOOST_AUTO_TEST_CASE(settings_that_the_machine_does_not_have_are_refused) {
  refused({"--set", "ccl:defaults.world_size=3"},
          {"error: world_size is 3, but this machine has 2 SIPs"});
  refused({"--set", "ccl:algorithms.lrab_hierarchical_allreduce.root_cube=9", "--set",
           "ccl:defaults.algorithm=lrab_hierarchical_allreduce"},
          {"root_cube 9 is none of them"});
}

BOOST_AUTO_TEST_CASE(the_resolved_values_stand_in_the_configuration) {
  check_run(all_reduce({"--print-config", "--set", "ccl:defaults.n_slots=9", "--set",
                        "ccl:defaults.algorithm=tree_allreduce"}),
            {0,
             {"# ccl        algorithm=tree_allreduce buffer_kind=tcm "
              "backpressure=sleep poll_ns=10 n_slots=9 "
              "pipelined_n_slots=6 slot_size=4096 "}});
}

// Switches of the file, those of an algorithm's own entry before those of all.
BOOST_AUTO_TEST_CASE(switches_of_a_file_hold) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("my.yaml",
                   "defaults: {algorithm: tree_allreduce, chunking: false}\n"
                   "algorithms: {tree_allreduce: {ring_capacity_check: false}}\n");
  const auto holds = [&file](const std::string& set, const std::string& expected) {
    const Words given = all_reduce({"--print-config", "--ccl", file});
    check_run(set.empty() ? given : joined(given, {"--set", set}), {0, {expected}});
  };
  holds("", " chunking=false ring_capacity_check=false ");
  holds("ccl:defaults.chunking=true", " chunking=true ring_capacity_check=false ");
  holds("ccl:algorithms.tree_allreduce.chunking=on", " chunking=true ring_capacity_check=false ");
  // A block is one message, which has to fit its slot.
  check_run(all_reduce({"--ccl", file, "--param", "n_elem=2049"}),
            {1, {}, {"f16{2049} has 4098 bytes, a slot has 4096"}});
  BOOST_TEST(row({"--ccl", file, "--param", "n_elem=2048"}).at("bytes") == 4096);
}

BOOST_AUTO_TEST_CASE(algorithms_are_listed_with_their_keys) {
  check_run(
      {"list", "algorithms"},
      {0,
       {"lrab_hierarchical_allreduce (all_reduce): ", "works on ring_1d, torus_2d, mesh_2d_no_wrap",
        "root_cube", "ring_reduce_scatter (reduce_scatter): ", "Keys of ccl.yaml for all of them:",
        "vc_chunk_size"}});
  const Json json = json_of({"list", "algorithms"});
  BOOST_TEST(json.at("algorithms").size() == 12u);
  BOOST_TEST(json.at("keys").at(0).at("name") == "buffer_kind");
}

// Any number of PEs may be the ranks, by any algorithm; without a world size all of them are.
BOOST_AUTO_TEST_CASE(ranks_that_are_pes_are_as_many_as_the_settings_say) {
  const auto run = [](const std::string& bench, const Words& more) {
    return row_of(bench_on_tiny(
        bench, joined({"--set", "ccl:defaults.rank_unit=pe", "--verify-data"}, more)));
  };
  for (const std::string size : {"1", "3", "8"}) {
    for (const std::string algorithm : {"lrab_hierarchical_allreduce", "hierarchical_allreduce",
                                        "ring_allreduce", "tree_allreduce"}) {
      const auto row = run("ccl-allreduce", {"--set", "ccl:defaults.world_size=" + size, "--param",
                                             "algorithm=" + algorithm});
      BOOST_TEST(row.at("ranks") == std::stoi(size));
      BOOST_TEST(row.at("bytes") == 16);  // n_elem 8 of the rank's one shard
    }
    BOOST_TEST(run("collectives", {"--set", "ccl:defaults.world_size=" + size}).at("ranks") ==
               std::stoi(size));
  }
  BOOST_TEST(run("ccl-allreduce", {}).at("ranks") == 8);
  // An algorithm's own entry.
  BOOST_TEST(run("ccl-allreduce", {"--param", "algorithm=tree_allreduce", "--set",
                                   "ccl:algorithms.tree_allreduce.world_size=6"})
                 .at("ranks") == 6);
}

BOOST_AUTO_TEST_SUITE_END()
