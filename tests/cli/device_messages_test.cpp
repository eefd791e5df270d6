// tl.device_print and tl.device_assert in a run of the program (spec 6).
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(device_messages_test)

namespace {

ProgramResult check_messages(const Words& more, const Ending& ending) {
  return check_run(joined({"run", "--bench", "test-messages"}, more), ending,
                   KERNBENCH_NOTES_PROGRAM);
}

std::size_t place_of(const ProgramResult& result, const std::string& text) {
  const std::size_t at = result.err.find(text);
  BOOST_TEST(at != std::string::npos, "'" << text << "' is not in: " << result.err);
  return at;
}

}  // namespace

// Known values at the call, those of computations behind phase 2, by time and PE.
BOOST_AUTO_TEST_CASE(values_are_printed_when_they_are_known) {
  // One scan for each of two PEs.
  const ProgramResult result =
      check_messages({"--verify-data=ops"}, {0, {"verdict: PASS", "2 scan"}});
  BOOST_TEST(!contains(result.out, "1 scan"));
  const std::size_t known =
                        place_of(result, "kernel 'telling': x f16{2, 4}: [2, 2, 2, 2, 2, 2, 2, 2]"),
                    first = place_of(result, "pe0 at "),
                    sums = place_of(result, "kernel 'telling': sums f16{2, 1}: [8, 8]");
  BOOST_TEST(known < sums);
  BOOST_TEST(first < sums);
}

// Without --verify-data as well: there is a phase 2 for what is printed and asserted.
BOOST_AUTO_TEST_CASE(an_assertion_that_phase_2_refutes_fails_the_run) {
  for (const bool verifies : {false, true}) {
    const Words words{"--param", "below=5", "--data", "deferred"};
    const ProgramResult result = check_messages(
        verifies ? joined(words, {"--verify-data"}) : words,
        {1,
         {},
         {"sip0.cube0.pe0 at ", "kernel 'telling': tl.device_assert (notes_program.cpp:",
          "): sums are small; element {0, 0} of i8{2, 1} is 0, and 1 more"}});
    BOOST_TEST(contains(result.out, "verdict: FAIL") == verifies, result.out);
  }
}

BOOST_AUTO_TEST_CASE(failed_assertions_are_listed_in_json) {
  const auto json_of_run = [](const Words& more) {
    return Json::parse(
        kernbench_program(
            joined({"run", "--bench", "test-messages", "--data", "deferred", "--json"}, more), {},
            nullptr, KERNBENCH_NOTES_PROGRAM)
            .out);
  };
  const Json json = json_of_run({"--param", "below=5"});
  const Json& failed = json.at("failed_assertions");
  BOOST_TEST_REQUIRE(failed.size() == 2U);  // of two PEs
  for (int pe = 0; pe < 2; ++pe) {
    const Json& each = failed[pe];
    check_members(each, {{"pe", "sip0.cube0.pe" + std::to_string(pe)},
                         {"kernel", "telling"},
                         {"count", 2},
                         {"text", "sums are small; element {0, 0} of i8{2, 1} is 0, and 1 more"}});
    BOOST_TEST(each.at("time_ns") > 0);
    const std::string line = each.at("line"), source = source_text("tests/cli/notes_program.cpp");
    const std::size_t at = source.find("tl.device_assert(tl.sum(block, 1) < below");
    BOOST_TEST(line ==
               "notes_program.cpp:" +
                   std::to_string(std::count(source.begin(), source.begin() + at, '\n') + 1));
  }
  BOOST_TEST(json_of_run({}).count("failed_assertions") == 0U);
}

// Eager: in the launch, at the instant.
BOOST_AUTO_TEST_CASE(an_assertion_in_an_eager_run_fails_the_launch) {
  check_messages({"--param", "below=5", "--data", "eager"},
                 {1, {}, {"pe_cpu at ", "kernel 'telling'", "sums are small"}});
}

BOOST_AUTO_TEST_CASE(a_run_without_data_says_that_it_has_none) {
  check_messages({"--param", "below=5"}, {0,
                                          {},
                                          {"sums f16{2, 1}: no values, this run has no data",
                                           "tl.device_assert is not checked"}});
}

BOOST_AUTO_TEST_SUITE_END()
