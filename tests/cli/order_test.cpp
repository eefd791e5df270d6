// Order of accesses as users see it: `--check-races`, what kernels leave behind, and calls that
// touch operands in flight (spec 9, 10).
#include <boost/test/unit_test.hpp>

#include "tests/cli/program.h"
#include "tests/support/temporary_folder.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(order)

namespace {

Words unruly(const std::string& kernel, const Words& more = {}) {
  return bench_on_tiny("unruly", joined({"--param", "kernel=" + kernel}, more));
}

ProgramResult check_unruly(const std::string& kernel, const Words& more, const Ending& ending) {
  return check_run(unruly(kernel, more), ending, KERNBENCH_UNRULY_PROGRAM);
}

Json unruly_json(const std::string& kernel, const Words& more, int status = 0) {
  return Json::parse(check_unruly(kernel, joined(more, {"--json"}), {status}).out);
}

}  // namespace

BOOST_AUTO_TEST_CASE(accesses_that_nothing_orders_make_status_1_with_both_calls) {
  const ProgramResult result =
      check_unruly("races", {"--check-races", "--json"},
                   {1,
                    {},
                    {"kernbench: data race on 16 bytes from 't' + 0: tl.store (unruly_program.cpp:",
                     " of kernel 'wild' on sip0.cube0.pe2 at ",
                     " ns overwrites what tl.load (unruly_program.cpp:",
                     " of kernel 'wild' on sip0.cube0.pe0 at ",
                     " ns reads; no launch, message or barrier orders them\n"}});
  const Json json = Json::parse(result.out);
  BOOST_TEST(json.at("unordered_accesses").at("pairs") == 1);
  BOOST_TEST(json.at("unordered_accesses").at("races").size() == 1U);
  BOOST_TEST(json.at("data") == "deferred");
  check_unruly("races", {}, {0});  // not asked for
}

// Values that agree by luck do not make a verdict.
BOOST_AUTO_TEST_CASE(a_verdict_is_pass_only_where_the_status_is_0) {
  for (const auto& [kernel, status, verdict] :
       {std::tuple("races", 1, "FAIL"), {"sends", 1, "FAIL"}, {"none", 0, "PASS"}}) {
    const Words checked{"--check-races", "--verify-data"};
    const std::string line = std::string("\nverdict: ") + verdict + "\n";
    check_unruly(kernel, checked, {status, {"  ok    tensor 't'", line}});
    BOOST_TEST(unruly_json(kernel, checked, status).at("verdict") == verdict);
    check_unruly(kernel, {"--verify-data"}, {0, {"\nverdict: PASS\n"}});  // not asked for
  }
}

BOOST_AUTO_TEST_CASE(a_program_in_order_passes) {
  const ProgramResult result =
      check_unruly("none", {"--check-races"}, {0, {"\nunordered accesses 0 pairs\n"}});
  BOOST_TEST(result.err == "");
  BOOST_TEST(unruly_json("none", {}).count("unordered_accesses") == 0U);
}

BOOST_AUTO_TEST_CASE(it_needs_data_and_a_bench) {
  check_unruly("none", {"--check-races", "--data", "off"},
               {2, {}, {"--check-races needs the data that --data off leaves out"}});
  BOOST_TEST(unruly_json("none", {"--check-races", "--data", "eager"}).at("data") == "eager");
  check_refused({"run", "--check-races"}, {"run: --check-races requires --bench"});
}

BOOST_AUTO_TEST_CASE(unreceived_messages_are_reported_with_their_launch) {
  const std::string text = "kernel 'wild' on sip0.cube0.pe2 (launch unruly/";
  const ProgramResult result =
      check_unruly("sends", {"--json"},
                   {0,
                    {},
                    {"kernbench: warning: " + text,
                     ") has sent a message in direction 'E' to sip0.cube0.pe3 that was never "
                     "received; 3 messages in all\n"}});
  const Json left = Json::parse(result.out).at("left_behind");
  BOOST_REQUIRE(left.size() == 1U);
  check_members(left[0], {{"kernel", "wild"}, {"kind", "message"}, {"count", 3}});
  check_unruly("sends", {"--check-races"}, {1, {}, {"kernbench: " + text}});
}

BOOST_AUTO_TEST_CASE(commands_that_are_never_waited_for_are_reported_with_their_launch) {
  for (const Words& more : {Words{}, Words{"--check-races"}}) {
    check_unruly("never_waits", more,
                 {0,
                  {},
                  {"kernbench: warning: kernel 'wild' on sip0.cube0.pe2 (launch unruly/",
                   ") has never waited for 1 command, tl.composite(add) "
                   "(unruly_program.cpp:"}});
  }
}

BOOST_AUTO_TEST_CASE(a_call_that_reads_what_is_outstanding_fails_with_both_lines) {
  for (const std::string mode : {"off", "deferred", "eager"}) {
    check_unruly("reads_early", {"--data", mode},
                 {1,
                  {},
                  {"sip0.cube0.pe2.pe_cpu at ", " ns: kernel 'wild': tl.load of 't + 32' ",
                   "(unruly_program.cpp:", ") reads what tl.composite(add) (unruly_",
                   ") writes; tl.wait for it first"}});
  }
}

BOOST_AUTO_TEST_CASE(messages_say_the_line_of_the_last_call) {
  check_unruly("abort", {}, {1, {}, {"; last call: tl.ref (unruly_program.cpp:"}});
}

// Two ranks overlap all-reduces with products of the same PEs. Statistics and the checker switch
// off direct routes, and so change the delta cycles of messages of the host.
BOOST_AUTO_TEST_CASE(an_observer_changes_no_time_of_concurrent_kernels) {
  const TemporaryFolder folder;
  const auto simulated_ns = [](const Words& observer) {
    const Words layer =
        bench_on_tiny("llama-layer", {"--set", "system.sips.count=2", "--param", "phase=prefill",
                                      "--param", "context=64", "--param", "chunks=2", "--json"});
    return Json::parse(completed(joined(layer, observer)).out).at("simulated_ns");
  };
  const Json alone = simulated_ns({});
  BOOST_TEST(alone == simulated_ns({"--stats", folder.file("stats.json")}));
  BOOST_TEST(alone == simulated_ns({"--check-protocol"}));
}

BOOST_AUTO_TEST_SUITE_END()
