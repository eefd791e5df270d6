// --trace-requests and --breakdown of `run` and `traffic`, and how runs fail
// (spec 4.2, 11.2, 11.3).
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/cli/program.h"

using namespace kernbench::test;
using Json = nlohmann::json;

BOOST_AUTO_TEST_SUITE(requests_test)

namespace {

Words on_tiny(const Words& more) {
  Words words{"run", "--bench", "matmul-composite", "--topology", "tiny"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
  return lines;
}

void check_lines(const std::vector<Json>& lines) {
  for (const Json& line : lines) {
    BOOST_REQUIRE(!line.at(line.at("kind") == "command" ? "events" : "hops").empty());
    BOOST_REQUIRE_CLOSE(line.at("total_ns").get<double>(),
                        line.at("last_ns").get<double>() - line.at("first_ns").get<double>(), 1e-6);
  }
}

}  // namespace

// Two inputs to HBM, one load and one tiled product that reads the other and writes the result
// (variant load_ref).
BOOST_AUTO_TEST_CASE(a_run_traces_its_transfers_and_commands) {
  const TemporaryFolder folder;
  const ProgramResult result =
      kernbench_program(on_tiny({"--trace-requests", folder.file("a.jsonl"), "--json"}));
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  const std::vector<Json> lines = lines_of(folder.read("a.jsonl"));
  check_lines(lines);
  std::map<std::string, int> kinds;
  for (const Json& line : lines) ++kinds[line.at("kind").get<std::string>()];
  BOOST_TEST(kinds["command"] == 2);
  BOOST_TEST(kinds["read"] == 2);
  BOOST_TEST(kinds["write"] == 3);
  BOOST_TEST(kinds["control"] > 0);
  BOOST_TEST(contains(folder.read("a.jsonl.config.yaml"), "--trace-requests"));
  // Watching changes nothing.
  const ProgramResult unwatched = kernbench_program(on_tiny({"--json"}));
  BOOST_TEST(Json::parse(unwatched.out).at("simulated_ns") ==
             Json::parse(result.out).at("simulated_ns"));
}

BOOST_AUTO_TEST_CASE(equal_runs_write_equal_traces) {
  const TemporaryFolder folder;
  for (const char* name : {"a.jsonl", "b.jsonl"}) {
    BOOST_TEST(kernbench_program({"run", "--bench", "qkv-gemm-multi-pe", "--topology", "tiny",
                                  "--trace-requests", folder.file(name)})
                   .status == 0);
  }
  BOOST_TEST(folder.read("a.jsonl").size() > 10'000U);
  BOOST_TEST((folder.read("a.jsonl") == folder.read("b.jsonl")));
}

BOOST_AUTO_TEST_CASE(a_run_that_is_stopped_has_a_trace_that_says_what_was_under_way) {
  const TemporaryFolder folder;
  BOOST_TEST(
      kernbench_program(on_tiny({"--until", "450", "--trace-requests", folder.file("a.jsonl")}))
          .status == 0);
  const std::vector<Json> lines = lines_of(folder.read("a.jsonl"));
  check_lines(lines);
  std::set<std::string> under_way;
  for (const Json& line : lines) {
    if (line.contains("complete")) under_way.insert(line.at("kind").get<std::string>());
  }
  BOOST_TEST((under_way == std::set<std::string>{"command", "control",
                                                 "read"}));  // a load, and the launch that made it
}

BOOST_AUTO_TEST_CASE(a_breakdown_of_a_run_adds_up_and_a_run_without_has_none) {
  const ProgramResult result = kernbench_program(on_tiny({"--breakdown", "--json"}));
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  const Json transfers = Json::parse(result.out).at("transfers");
  BOOST_TEST(transfers.size() == 3U);  // reads and writes of the PE, writes of the host
  for (const Json& row : transfers) {
    double parts = 0;
    for (const Json& part : row.at("parts")) parts += part.get<double>();
    BOOST_CHECK_CLOSE(parts, row.at("latency_ns").get<double>(), 1e-6);
  }
  BOOST_TEST(contains(kernbench_program(on_tiny({"--breakdown"})).out, "pe_setup"));
  BOOST_TEST(!Json::parse(kernbench_program(on_tiny({"--json"})).out).contains("transfers"));
}

BOOST_AUTO_TEST_CASE(traffic_traces_its_requests_beside_its_breakdown) {
  const TemporaryFolder folder;
  const std::string requests =
      folder.write("requests.csv",
                   "at_ns,initiator,op,target,offset,bytes\n"
                   "0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,256\n"
                   "5,sip0.io0.pcie_ep,write,sip0.cube0.hbm_ctrl.pe3,0,5000\n");
  const ProgramResult result =
      kernbench_program({"traffic", requests, "--topology", "tiny", "--csv", "--breakdown",
                         "--trace-requests", folder.file("a.jsonl")});
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  const std::vector<Json> lines = lines_of(folder.read("a.jsonl"));
  check_lines(lines);
  BOOST_REQUIRE(lines.size() == 2U);
  BOOST_TEST(lines.at(0).at("total_ns").get<double>() == 15.000004);
  // The rows of the requests say the same.
  BOOST_TEST(contains(result.out, "0,0.000000,0.000000,15.000004,15.000004,256,"), result.out);
  BOOST_TEST(kernbench_program({"traffic", "--generate", "stream", "--save", folder.file("s.csv"),
                                "--trace-requests", folder.file("b.jsonl")})
                 .status == 2);
  BOOST_TEST(kernbench_program({"traffic", requests, "--out", folder.file("c"), "--csv",
                                "--trace-requests", folder.file("c")})
                 .status == 2);
}

// --- Failure

// 512 x 1024 f16 fill the scratch; the second operand finds no room (tests/benches).
BOOST_AUTO_TEST_CASE(
    a_failed_kernel_is_status_1_with_its_name_place_and_time_and_files_that_can_be_read) {
  const TemporaryFolder folder;
  const Words failing{"--param", "M=512", "--param", "K=1024",
                      "--param", "N=16",  "--param", "variant=load_load"};
  Words words = on_tiny(failing);
  words.insert(words.end(),
               {"--stats", folder.file("a.json"), "--trace", folder.file("a.vcd"),
                "--trace-requests", folder.file("a.jsonl"), "--op-log", folder.file("a.csv")});
  const ProgramResult result = kernbench_program(words);
  BOOST_TEST(result.status == 1);
  BOOST_TEST(result.out == "");
  BOOST_TEST(result.err.rfind("kernbench: error: KernelLaunch 'matmul': sip0.cube0.pe0.pe_cpu at ",
                              0) == 0U,
             result.err);
  for (const std::string part :
       {" ns: kernel 'matmul': tl.load: no room for f16{1024, 16}", "32768", "largest"}) {
    BOOST_TEST(contains(result.err, part), result.err);
  }
  BOOST_TEST(Json::parse(folder.read("a.json")).contains("components"));
  check_lines(lines_of(folder.read("a.jsonl")));
  BOOST_TEST(contains(folder.read("a.vcd"), "$enddefinitions $end"));
  BOOST_TEST(contains(folder.read("a.csv"), "dma_read"));
}

BOOST_AUTO_TEST_CASE(one_of_several_devices_that_fails_is_named) {
  const ProgramResult result = kernbench_program(
      {"run", "--bench", "matmul-composite", "--device", "all", "--param", "M=512", "--param",
       "K=1024", "--param", "N=16", "--param", "variant=load_load"});
  BOOST_TEST(result.status == 1);
  BOOST_TEST(result.err.rfind("kernbench: error: KernelLaunch 'matmul': sip0.cube0.pe0.pe_cpu at ",
                              0) == 0U,
             result.err);
}

BOOST_AUTO_TEST_SUITE_END()
