// Plain TLM-2.0 modules of anyone (spec 2.1, 4.2): `run` without a bench plays them; what they
// report, and accesses that fail.
#include <boost/test/unit_test.hpp>

#include "tests/cli/module_runs.h"

using namespace kernbench::test;
using namespace kernbench::test::module_runs;

BOOST_AUTO_TEST_SUITE(modules)

// --- Runs

BOOST_AUTO_TEST_CASE(run_without_a_bench_plays_initiators_until_all_are_idle) {
  for (const char* name : {"width_8", "width_32", "width_64", "width_512"}) {
    BOOST_TEST_CONTEXT(name) {
      const ProgramResult result = play(name);
      check(result, 0, {});
      BOOST_TEST(result.err == "");
      check_contains(result.out, {"initiator", bridge, name, "simulated time", "links"});
    }
  }
}

BOOST_AUTO_TEST_CASE(the_summary_counts_accesses_and_bytes) {
  const ProgramResult result = play("width_64", {"--json"});
  check(result, 0, {});
  const Json json = Json::parse(result.out);
  check_members(json, {{"bench", nullptr}, {"status", "completed"}});
  BOOST_REQUIRE(json.at("initiators").size() == 1U);
  const Json& ext0 = json["initiators"][0];
  check_members(ext0, {{"initiator", bridge},
                       {"module", "test.width_64"},
                       {"reads", 1},
                       {"writes", 1},
                       {"bytes_read", 200},
                       {"bytes_written", 200},
                       {"failed", 0},
                       {"first_failure", nullptr}});
  BOOST_TEST(ext0.at("last_end_ns") == json.at("simulated_ns"));
}

BOOST_AUTO_TEST_CASE(a_module_that_only_watches_a_clock_is_idle) {
  const ProgramResult result = play("clocked", {"--json"});
  check(result, 0, {});
  const Json json = Json::parse(result.out);
  BOOST_TEST(json.at("simulated_ns").get<double>() >= 1'000'000.0);  // --deadlock-after
  BOOST_TEST(json["initiators"][0].at("last_end_ns").get<double>() < 100.0);
  const ProgramResult until = play("clocked", {"--json", "--until", "5000"});
  check(until, 0, {"stopped at 5000 ns of simulated time by --until"});
  BOOST_TEST(Json::parse(until.out).at("simulated_ns") == 5000.0);
}

BOOST_AUTO_TEST_CASE(byte_enables_choose_the_bytes_in_the_machine_and_in_a_plain_memory) {
  check(play("byte_enables"), 0, {});
  check(play("byte_enables", with_target("strobes")), 0, {});
  check(play("byte_enables", with_target("memory")), 1, {"TLM_BYTE_ENABLE_ERROR_RESPONSE"});
}

BOOST_AUTO_TEST_CASE(debug_transport_and_dmi_requests_are_answered_from_anywhere) {
  check(play("debug_and_dmi"), 0, {});
  check(play("unaligned"), 0, {});
}

BOOST_AUTO_TEST_CASE(results_are_written_as_those_of_a_bench) {
  const TemporaryFolder folder;
  check(play("width_64",
             {"--stats", folder.file("s.json"), "--trace", folder.file("w.vcd"), "--trace-requests",
              folder.file("r.jsonl"), "--timeline", folder.file("t.json")}),
        0, {});
  BOOST_TEST(Json::parse(folder.read("s.json")).at("components").size() > 50U);
  check_contains(folder.read("w.vcd"), {"outstanding"});
  check_contains(folder.read("r.jsonl"), {"\"initiator\":\"" + bridge + "\""});
  check_contains(folder.read("t.json"), {"\"" + bridge + " requests\""});
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_without_a_bench_is_refused) {
  check(kernbench_program({"run", "--topology", "tiny"}), 2,
        {"there is no --bench, and the machine has no plain TLM-2.0 initiators to play"});
  for (const Words& words :
       {Words{"--verify-data"}, Words{"--seed", "2"}, Words{"--op-log", "x.csv"},
        Words{"--param", "M=1"}, Words{"--device", "sip:0"}, Words{"--breakdown"}})
    check(play("width_64", words), 2, {"run: " + words[0] + " requires --bench"});
  check(play("width_64", {"--data", "eager"}), 2, {"--data eager requires --bench"});
}

// --- Accesses that fail

BOOST_AUTO_TEST_CASE(failing_accesses_are_counted_and_make_status_1) {
  const std::vector<Case> cases{
      {"null_pointer",
       {"the read of 64 bytes", "TLM_GENERIC_ERROR_RESPONSE: its data pointer is null"}},
      {"no_length", {"the read of 0 bytes", "TLM_BURST_ERROR_RESPONSE: its length is 0"}},
      {"four_gigabytes",
       {"the read of 4294967295 bytes",
        "TLM_BURST_ERROR_RESPONSE: its length is above max_length_bytes, 67108864"}},
      {"streaming", {"TLM_BURST_ERROR_RESPONSE: its streaming width is 4"}},
      {"no_command",
       {"the access of 64 bytes", "TLM_COMMAND_ERROR_RESPONSE: it is neither a read nor a write"}},
      {"nowhere", {"the read of 64 bytes at 0x4000000000000", "TLM_ADDRESS_ERROR_RESPONSE: "}},
      {"wrong_enables",
       {"TLM_BYTE_ENABLE_ERROR_RESPONSE: byte enable 1 is 0x1, neither 0 nor 0xff"}},
      {"enables_of_no_length",
       {"TLM_BYTE_ENABLE_ERROR_RESPONSE: it has byte enables of length 0"}}};
  for (const Case& each : cases) {
    BOOST_TEST_CONTEXT(each.module) {
      Words parts{
          "kernbench: 1 access of plain TLM-2.0 initiators failed:\n  sip0.cube0.ext0 (test." +
          each.module + "): 1, first "};
      parts.insert(parts.end(), each.parts.begin(), each.parts.end());
      const ProgramResult result = play(each.module, {"--json"});
      check(result, 1, parts);
      const Json json = Json::parse(result.out);
      check_members(json["initiators"][0], {{"failed", 1}, {"reads", 1}});  // the good one
    }
  }
}

BOOST_AUTO_TEST_CASE(what_a_target_answers_is_counted) {
  const std::string generic = "TLM_GENERIC_ERROR_RESPONSE: sip0.cube0.sram ";
  std::vector<Case> cases{
      {"incomplete", {generic + "left the response status TLM_INCOMPLETE_RESPONSE"}},
      {"refuses", {"TLM_ADDRESS_ERROR_RESPONSE"}}};
#ifndef __SANITIZE_ADDRESS__  // UBSan: 77 is outside the enumeration
  cases.push_back(
      {"no_status", {generic + "set the response status 77, which TLM-2.0 does not have"}});
#endif
  for (const Case& each : cases) {
    BOOST_TEST_CONTEXT(each.module)
    check(play("sram_read", with_target(each.module)), 1,
          {"1 access of plain TLM-2.0 initiators failed:", each.parts[0]});
  }
}

BOOST_AUTO_TEST_CASE(failing_accesses_concurrent_with_a_bench_make_status_1) {
  const ProgramResult result = play("nowhere", {"--bench", "gemm-single-pe", "--verify-data"});
  check(result, 1, {"kernbench: 1 access of plain TLM-2.0 initiators failed:"});
  BOOST_TEST(result.out.find("verdict: PASS") != std::string::npos);
  check(play("width_64", {"--bench", "gemm-single-pe", "--verify-data"}), 0, {});
}

// --- Reports

BOOST_AUTO_TEST_CASE(warnings_and_information_go_to_standard_error_with_the_process) {
  const ProgramResult result = play("words", {"--json"});
  check(result, 0,
        {"kernbench: info: " + module + "0 ns: acme/dma: starts to copy\n",
         "kernbench: warning: " + module + "0 ns: acme/dma: the FIFO is half full\n"});
  BOOST_CHECK_NO_THROW(Json::parse(result.out));
}

BOOST_AUTO_TEST_CASE(reports_of_a_module_obey_the_log_of_its_place) {
  const auto shows = [](const std::string& request, const std::string& text) {
    const ProgramResult result = play("words", {"--json", "--log", request});
    check(result, 0, {});
    return result.err.find(text) != std::string::npos;
  };
  const std::string info = "kernbench: info: " + module + "0 ns: acme/dma: starts to copy\n",
                    warning =
                        "kernbench: warning: " + module + "0 ns: acme/dma: the FIFO is half full\n",
                    high = "kernbench: debug: " + module + "0 ns: acme/dma: beat 1\n";
  BOOST_TEST(shows(bridge + "=debug", high));
  BOOST_TEST(shows(bridge + "=debug", "kernbench: debug: " + bridge + " at "));  // its access
  BOOST_TEST(!shows(bridge + "=info", high));
  BOOST_TEST(shows(bridge + "=info", info));
  BOOST_TEST(!shows(bridge + "=warning", info));
  BOOST_TEST(shows(bridge + ".module=warning", warning));
  BOOST_TEST(!shows(bridge + "=error", "acme/dma"));
  // The verbosity that another component asks for is not this module's.
  BOOST_TEST(!shows("host=debug", high));
}

BOOST_AUTO_TEST_CASE(sc_pause_of_a_module_changes_nothing) {
  const ProgramResult result = play("pauses", {"--json"});
  check(result, 0, {});
  BOOST_TEST(Json::parse(result.out)["initiators"][0].at("reads") == 1);
}

BOOST_AUTO_TEST_SUITE_END()
