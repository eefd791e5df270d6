// `kernbench validate` as users call it.
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(validate_command)

BOOST_AUTO_TEST_CASE(validate_has_help_with_examples) {
  const ProgramResult result = kernbench_program({"validate", "--help"});
  BOOST_TEST(result.status == 0);
  BOOST_TEST(result.out.find("Examples:\n  kernbench validate") != std::string::npos, result.out);
}

BOOST_AUTO_TEST_CASE(validate_prints_expected_simulated_deviation_and_source) {
  const ProgramResult result = kernbench_program({"validate", "--group", "network"});
  BOOST_TEST(result.status == 0, result.out << result.err);
  for (const std::string part :
       {"expected", "simulated", "deviation", "must be", "[v] PASS  network/wormhole-chain",
        "[v] PASS  network/ring-step", "NCCL tests, doc/PERFORMANCE.md, Time"}) {
    BOOST_TEST(result.out.find(part) != std::string::npos,
               "'" << part << "' is not in: " << result.out);
  }
  std::smatch hold;
  BOOST_REQUIRE(
      std::regex_search(result.out, hold, std::regex("\n([0-9]+) of ([0-9]+) references hold\n")));
  BOOST_TEST(hold[1] == hold[2], hold[0]);
  const Words group{"validate", "--group", "hbm"};
  BOOST_TEST(kernbench_program(group).out == kernbench_program(group).out);
}

BOOST_AUTO_TEST_CASE(validate_prints_json_and_groups) {
  const ProgramResult result = kernbench_program({"validate", "--group", "hbm", "--json"});
  BOOST_TEST(result.status == 0);
  const auto json = nlohmann::json::parse(result.out);
  BOOST_TEST(json.at("references").size() == 5u);
  for (const auto& reference : json.at("references")) {
    BOOST_TEST(reference.at("verdict") == "pass");
    BOOST_TEST(reference.at("set").size() > 0u);
    for (const char* key : {"quantity", "formula", "unit", "expected", "simulated", "deviation",
                            "tolerance", "relation", "remark", "verdict"})
      BOOST_TEST(reference.at("checks").at(0).contains(key), key);
  }
  const ProgramResult unknown = kernbench_program({"validate", "--group", "x"});
  BOOST_TEST(unknown.status == 2);
  BOOST_TEST(unknown.err.find("allowed is 'network', 'hbm', 'figures'") != std::string::npos,
             unknown.err);
}

BOOST_AUTO_TEST_SUITE_END()
