// tl.device_print and tl.device_assert in a run of the program (spec 6).
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(device_messages_test)

namespace {

ProgramResult run_messages(std::vector<std::string> more) {
  std::vector<std::string> arguments{"run", "--bench", "test-messages"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return kernbench_program(arguments, {}, nullptr, KERNBENCH_NOTES_PROGRAM);
}

std::size_t place_of(const ProgramResult& result, const std::string& text) {
  const std::size_t at = result.err.find(text);
  BOOST_TEST(at != std::string::npos, "'" << text << "' is not in: " << result.err);
  return at;
}

}  // namespace

// Known values at the call, those of computations behind phase 2, by time and PE.
BOOST_AUTO_TEST_CASE(values_are_printed_when_they_are_known) {
  const ProgramResult result = run_messages({"--verify-data=ops"});
  BOOST_TEST(result.status == 0, result.err);
  const std::size_t known =
                        place_of(result, "kernel 'telling': x f16{2, 4}: [2, 2, 2, 2, 2, 2, 2, 2]"),
                    first = place_of(result, "pe0 at "),
                    sums = place_of(result, "kernel 'telling': sums f16{2, 1}: [8, 8]");
  BOOST_TEST(known < sums);
  BOOST_TEST(first < sums);
  BOOST_TEST(result.out.find("verdict: PASS") != std::string::npos);
  BOOST_TEST(result.out.find("1 scan") == std::string::npos);  // one for each of two PEs
  BOOST_TEST(result.out.find("2 scan") != std::string::npos, result.out);
}

// Without --verify-data as well: there is a phase 2 for what is printed and asserted.
BOOST_AUTO_TEST_CASE(an_assertion_that_phase_2_refutes_fails_the_run) {
  for (const bool verifies : {false, true}) {
    std::vector<std::string> arguments{"--param", "below=5", "--data", "deferred"};
    if (verifies) arguments.push_back("--verify-data");
    const ProgramResult result = run_messages(arguments);
    BOOST_TEST(result.status == 1);
    check_contains(result.err,
                   {"sip0.cube0.pe0 at ", "kernel 'telling': tl.device_assert (notes_program.cpp:",
                    "): sums are small; element {0, 0} of i8{2, 1} is 0, and 1 more"});
    if (verifies) BOOST_TEST(result.out.find("verdict: FAIL") != std::string::npos, result.out);
  }
}

BOOST_AUTO_TEST_CASE(failed_assertions_are_listed_in_json) {
  const nlohmann::json json = nlohmann::json::parse(
      run_messages({"--param", "below=5", "--data", "deferred", "--json"}).out);
  const nlohmann::json& failed = json.at("failed_assertions");
  BOOST_TEST_REQUIRE(failed.size() == 2U);  // of two PEs
  for (int pe = 0; pe < 2; ++pe) {
    const nlohmann::json& each = failed[pe];
    BOOST_TEST(each.at("pe") == "sip0.cube0.pe" + std::to_string(pe));
    BOOST_TEST(each.at("kernel") == "telling");
    BOOST_TEST(each.at("time_ns") > 0);
    BOOST_TEST(each.at("count") == 2);
    BOOST_TEST(each.at("text") == "sums are small; element {0, 0} of i8{2, 1} is 0, and 1 more");
    const std::string line = each.at("line"), source = source_text("tests/cli/notes_program.cpp");
    const std::size_t at = source.find("tl.device_assert(tl.sum(block, 1) < below");
    BOOST_TEST(line ==
               "notes_program.cpp:" +
                   std::to_string(std::count(source.begin(), source.begin() + at, '\n') + 1));
  }
  const auto right = nlohmann::json::parse(run_messages({"--data", "deferred", "--json"}).out);
  BOOST_TEST(right.count("failed_assertions") == 0U);
}

// Eager: in the launch, at the instant.
BOOST_AUTO_TEST_CASE(an_assertion_in_an_eager_run_fails_the_launch) {
  const ProgramResult result = run_messages({"--param", "below=5", "--data", "eager"});
  BOOST_TEST(result.status == 1);
  check_contains(result.err, {"pe_cpu at ", "kernel 'telling'", "sums are small"});
  // The JSON is that of other runs, with the failure.
  const auto json =
      nlohmann::json::parse(run_messages({"--param", "below=5", "--data", "eager", "--json"}).out);
  BOOST_TEST(json.at("status") == "failed");
  BOOST_TEST(contains(json.at("error").get<std::string>(), "sums are small"));
}

BOOST_AUTO_TEST_CASE(a_run_without_data_says_that_it_has_none) {
  const ProgramResult result = run_messages({"--param", "below=5"});
  BOOST_TEST(result.status == 0, result.err);
  check_contains(result.err, {"sums f16{2, 1}: no values, this run has no data",
                              "tl.device_assert is not checked"});
}

BOOST_AUTO_TEST_SUITE_END()
