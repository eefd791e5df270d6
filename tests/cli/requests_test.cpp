// --trace-requests and --breakdown of `run` and `traffic`, and how runs fail
// (spec 4.2, 11.2, 11.3).
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(requests_test)

namespace {

Words product(const Words& more) { return bench_on_tiny("matmul-composite", more); }

// The lines of a trace, each of which has its points and adds up.
std::vector<Json> trace_in(const TemporaryFolder& folder) {
  std::vector<Json> trace;
  for (const std::string& text : lines_of(folder.read("a.jsonl"))) {
    const Json line = Json::parse(text);
    BOOST_REQUIRE(!line.at(line.at("kind") == "command" ? "events" : "hops").empty());
    BOOST_REQUIRE_CLOSE(line.at("total_ns").get<double>(),
                        line.at("last_ns").get<double>() - line.at("first_ns").get<double>(), 1e-6);
    trace.push_back(line);
  }
  return trace;
}

}  // namespace

// Two inputs to HBM, one load and one tiled product that reads the other and writes the result
// (variant load_ref).
BOOST_AUTO_TEST_CASE(a_run_traces_its_transfers_and_commands) {
  const TemporaryFolder folder;
  const Json traced = json_of(product({"--trace-requests", folder.file("a.jsonl")}));
  std::map<std::string, int> kinds;
  for (const Json& line : trace_in(folder)) ++kinds[line.at("kind").get<std::string>()];
  BOOST_TEST(kinds["command"] == 2);
  BOOST_TEST(kinds["read"] == 2);
  BOOST_TEST(kinds["write"] == 3);
  BOOST_TEST(kinds["control"] > 0);
  check_contains(folder.read("a.jsonl.config.yaml"), {"--trace-requests"});
  // Observation changes no time.
  BOOST_TEST(json_of(product({})).at("simulated_ns") == traced.at("simulated_ns"));
}

BOOST_AUTO_TEST_CASE(the_trace_of_a_stopped_run_says_what_was_in_flight) {
  const TemporaryFolder folder;
  completed(product({"--until", "450", "--trace-requests", folder.file("a.jsonl")}));
  std::set<std::string> in_flight;
  for (const Json& line : trace_in(folder)) {
    if (line.contains("complete")) in_flight.insert(line.at("kind").get<std::string>());
  }
  BOOST_TEST((in_flight == std::set<std::string>{"command", "control",
                                                 "read"}));  // a load, and the launch that made it
}

BOOST_AUTO_TEST_CASE(a_breakdown_of_a_run_adds_up_and_a_run_without_has_none) {
  const Json transfers = json_of(product({"--breakdown"})).at("transfers");
  BOOST_TEST(transfers.size() == 3U);  // reads and writes of the PE, writes of the host
  for (const Json& row : transfers) {
    double parts = 0;
    for (const Json& part : row.at("parts")) parts += part.get<double>();
    BOOST_CHECK_CLOSE(parts, row.at("latency_ns").get<double>(), 1e-6);
  }
  check_run(product({"--breakdown"}), {0, {"pe_setup"}});
  BOOST_TEST(!json_of(product({})).contains("transfers"));
}

BOOST_AUTO_TEST_CASE(traffic_traces_its_requests_in_addition_to_its_breakdown) {
  const TemporaryFolder folder;
  const std::string requests =
      folder.write("requests.csv",
                   "at_ns,initiator,op,target,offset,bytes\n"
                   "0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,256\n"
                   "5,sip0.io0.pcie_ep,write,sip0.cube0.hbm_ctrl.pe3,0,5000\n");
  // The rows of the requests say the same.
  check_run({"traffic", requests, "--topology", "tiny", "--csv", "--breakdown", "--trace-requests",
             folder.file("a.jsonl")},
            {0, {"0,0.000000,0.000000,15.000004,15.000004,256,"}});
  const std::vector<Json> lines = trace_in(folder);
  BOOST_REQUIRE(lines.size() == 2U);
  BOOST_TEST(lines.at(0).at("total_ns").get<double>() == 15.000004);
  check_run({"traffic", "--generate", "stream", "--save", folder.file("s.csv"), "--trace-requests",
             folder.file("b.jsonl")},
            {2});
  check_run({"traffic", requests, "--out", folder.file("c"), "--csv", "--trace-requests",
             folder.file("c")},
            {2});
}

// --- Failure

// 512 x 1024 f16 fill the scratch; the second operand finds no room (tests/benches).
BOOST_AUTO_TEST_CASE(
    a_failed_kernel_is_status_1_with_its_name_place_and_time_and_files_that_can_be_read) {
  const Words failing{"--param", "M=512", "--param", "K=1024",
                      "--param", "N=16",  "--param", "variant=load_load"};
  const std::string error = "kernbench: error: KernelLaunch 'matmul': sip0.cube0.pe0.pe_cpu at ";
  const TemporaryFolder folder;
  const ProgramResult result = check_run(
      joined(product(failing),
             {"--stats", folder.file("a.json"), "--trace", folder.file("a.vcd"), "--trace-requests",
              folder.file("a.jsonl"), "--op-log", folder.file("a.csv")}),
      {1, {}, {" ns: kernel 'matmul': tl.load: no room for f16{1024, 16}", "32768", "largest"}});
  BOOST_TEST(result.out == "");
  BOOST_TEST(result.err.rfind(error, 0) == 0U, result.err);
  BOOST_TEST(Json::parse(folder.read("a.json")).contains("components"));
  trace_in(folder);
  check_contains(folder.read("a.vcd"), {"$enddefinitions $end"});
  check_contains(folder.read("a.csv"), {"dma_read"});
  // One of several devices is named.
  const ProgramResult several =
      check_run(joined({"run", "--bench", "matmul-composite", "--device", "all"}, failing), {1});
  BOOST_TEST(several.err.rfind(error, 0) == 0U, several.err);
}

BOOST_AUTO_TEST_SUITE_END()
