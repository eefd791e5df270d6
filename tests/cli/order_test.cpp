// Order of accesses as users see it: `--check-races`, what kernels leave behind, and calls that
// touch what is under way (spec 9, 10).
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(order)

namespace {

ProgramResult run(const std::string& kernel, const Words& more = {}) {
  return kernbench_program(
      joined({"run", "--bench", "unruly", "--topology", "tiny", "--param", "kernel=" + kernel},
             more),
      {}, nullptr, KERNBENCH_UNRULY_PROGRAM);
}

nlohmann::json json_of(const ProgramResult& result) { return nlohmann::json::parse(result.out); }

}  // namespace

BOOST_AUTO_TEST_CASE(accesses_that_nothing_orders_make_status_1_with_both_calls) {
  const ProgramResult result = run("races", {"--check-races", "--json"});
  BOOST_TEST(result.status == 1);
  check_contains(result.err,
                 {"kernbench: data race on 16 bytes from 't' + 0: tl.store (unruly_program.cpp:",
                  " of kernel 'wild' on sip0.cube0.pe2 at ",
                  " ns overwrites what tl.load (unruly_program.cpp:",
                  " of kernel 'wild' on sip0.cube0.pe0 at ",
                  " ns reads; no launch, message or barrier orders them\n"});
  const nlohmann::json races = json_of(result).at("unordered_accesses");
  BOOST_TEST(races.at("pairs") == 1);
  BOOST_TEST(races.at("races").size() == 1U);
  BOOST_TEST(json_of(result).at("data") == "deferred");
  BOOST_TEST(run("races").status == 0);  // not asked for
}

// Values that agree by luck do not make a verdict.
BOOST_AUTO_TEST_CASE(a_verdict_is_pass_only_where_the_status_is_0) {
  for (const std::string kernel : {"races", "sends", "none"}) {
    const std::string expected = kernel == "none" ? "PASS" : "FAIL";
    const ProgramResult result = run(kernel, {"--check-races", "--verify-data"});
    BOOST_TEST(result.status == (kernel == "none" ? 0 : 1), kernel << ": " << result.err);
    check_contains(result.out, {"  ok    tensor 't'", "\nverdict: " + expected + "\n"});
    BOOST_TEST(json_of(run(kernel, {"--check-races", "--verify-data", "--json"})).at("verdict") ==
               expected);
    check_contains(run(kernel, {"--verify-data"}).out, {"\nverdict: PASS\n"});  // not asked for
  }
}

BOOST_AUTO_TEST_CASE(a_program_in_order_passes) {
  const ProgramResult result = run("none", {"--check-races"});
  BOOST_TEST(result.status == 0);
  BOOST_TEST(result.err == "");
  check_contains(result.out, {"\nunordered accesses 0 pairs\n"});
  BOOST_TEST(json_of(run("none", {"--json"})).count("unordered_accesses") == 0U);
}

BOOST_AUTO_TEST_CASE(it_needs_data_and_a_bench) {
  check_refusal(run("none", {"--check-races", "--data", "off"}),
                {"--check-races needs the data that --data off leaves out"});
  BOOST_TEST(json_of(run("none", {"--check-races", "--data", "eager", "--json"})).at("data") ==
             "eager");
  check_refused({"run", "--check-races"}, {"run: --check-races goes with --bench"});
}

BOOST_AUTO_TEST_CASE(messages_that_nobody_receives_are_reported_with_their_launch) {
  const std::string text = "kernel 'wild' on sip0.cube0.pe2 (launch unruly/";
  const ProgramResult result = run("sends", {"--json"});
  BOOST_TEST(result.status == 0);
  check_contains(result.err,
                 {"kernbench: warning: " + text,
                  ") has sent a message in direction 'E' to sip0.cube0.pe3 that was never "
                  "received; 3 messages in all\n"});
  const nlohmann::json left = json_of(result).at("left_behind");
  BOOST_REQUIRE(left.size() == 1U);
  BOOST_TEST(left[0].at("kernel") == "wild");
  BOOST_TEST(left[0].at("kind") == "message");
  BOOST_TEST(left[0].at("count") == 3);
  const ProgramResult checked = run("sends", {"--check-races"});
  BOOST_TEST(checked.status == 1);
  check_contains(checked.err, {"kernbench: " + text});
}

BOOST_AUTO_TEST_CASE(commands_that_are_never_waited_for_are_reported_with_their_launch) {
  for (const Words& more : {Words{}, Words{"--check-races"}}) {
    const ProgramResult result = run("never_waits", more);
    BOOST_TEST(result.status == 0);
    check_contains(result.err,
                   {"kernbench: warning: kernel 'wild' on sip0.cube0.pe2 (launch unruly/",
                    ") has never waited for 1 command, tl.composite(add) "
                    "(unruly_program.cpp:"});
  }
}

BOOST_AUTO_TEST_CASE(a_call_that_reads_what_is_under_way_fails_with_both_lines) {
  for (const std::string mode : {"off", "deferred", "eager"}) {
    const ProgramResult result = run("reads_early", {"--data", mode});
    BOOST_TEST(result.status == 1);
    check_contains(result.err,
                   {"sip0.cube0.pe2.pe_cpu at ", " ns: kernel 'wild': tl.load of 't + 32' ",
                    "(unruly_program.cpp:", ") reads what tl.composite(add) (unruly_",
                    ") writes; tl.wait for it first"});
  }
}

BOOST_AUTO_TEST_CASE(messages_say_the_line_of_the_last_call) {
  const ProgramResult result = run("abort");
  BOOST_TEST(result.status == 1);
  check_contains(result.err, {"; last call: tl.ref (unruly_program.cpp:"});
}

BOOST_AUTO_TEST_SUITE_END()
