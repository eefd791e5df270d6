// `kernbench validate` as users call it.
#include <boost/test/unit_test.hpp>
#include <regex>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(validate_command)

BOOST_AUTO_TEST_CASE(validate_prints_expected_simulated_deviation_and_source) {
  const ProgramResult result = check_run(
      {"validate", "--group", "network"},
      {0,
       {"expected", "simulated", "deviation", "must be", "[v] PASS  network/wormhole-chain",
        "[v] PASS  network/ring-step", "NCCL tests, doc/PERFORMANCE.md, Time"}});
  std::smatch hold;
  BOOST_REQUIRE(
      std::regex_search(result.out, hold, std::regex("\n([0-9]+) of ([0-9]+) references hold\n")));
  BOOST_TEST(hold[1] == hold[2], hold[0]);
  const Words group{"validate", "--group", "hbm"};
  BOOST_TEST(kernbench_program(group).out == kernbench_program(group).out);
}

BOOST_AUTO_TEST_CASE(validate_prints_json_and_groups) {
  const Json json = json_of({"validate", "--group", "hbm"});
  BOOST_TEST(json.at("references").size() == 5u);
  for (const auto& reference : json.at("references")) {
    BOOST_TEST(reference.at("verdict") == "pass");
    BOOST_TEST(reference.at("set").size() > 0u);
    for (const char* key : {"quantity", "formula", "unit", "expected", "simulated", "deviation",
                            "tolerance", "relation", "remark", "verdict"})
      BOOST_TEST(reference.at("checks").at(0).contains(key), key);
  }
  check_refused({"validate", "--group", "x"}, {"allowed is 'network', 'hbm', 'figures'"});
}

BOOST_AUTO_TEST_SUITE_END()
