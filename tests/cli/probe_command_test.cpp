// `kernbench route` and `kernbench probe` as users call them.
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"
#include "tests/support/every_case.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(probe_command_test)

namespace {

void check_help(const std::string& command) {
  const ProgramResult result = kernbench_program({command, "--help"});
  BOOST_TEST(result.status == 0);
  const std::size_t examples = result.out.find("Examples:");
  BOOST_TEST_REQUIRE(examples != std::string::npos, result.out);
  BOOST_TEST(contains(result.out.substr(examples), "kernbench " + command), result.out);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(route_command)

BOOST_AUTO_TEST_CASE(route_has_help_with_examples) { check_help("route"); }

BOOST_AUTO_TEST_CASE(route_prints_a_table_or_json) {
  const std::vector<std::string> words{
      "route", "sip0.cube0.pe0.pe_dma", "sip0.cube0.hbm_ctrl.pe1", "--topology", "tiny", "--bytes",
      "8192"};
  const ProgramResult text = kernbench_program(words);
  BOOST_TEST(text.status == 0, text.err);
  for (const std::string part : {"sip0.cube0.r0c1", "<-- bottleneck", "8192 bytes", "total ns"})
    BOOST_TEST(contains(text.out, part), text.out);
  std::vector<std::string> with_json = words;
  with_json.emplace_back("--json");
  const auto json = nlohmann::json::parse(kernbench_program(with_json).out);
  BOOST_TEST(json.at("bytes") == 8192);
  for (const char* key :
       {"initiator_ns", "control_leg_ns", "data_leg_ns", "memory_burst_ns", "total_ns"})
    BOOST_TEST(json.at("formula").at(0).contains(key), key);
}

BOOST_AUTO_TEST_CASE(route_follows_overrides) {
  const ProgramResult result =
      kernbench_program({"route", "sip0.cube0.pe0.pe_dma", "sip0.cube0.hbm_ctrl.pe0", "--topology",
                         "tiny", "--set", "cube.components.router.attrs.overhead_ns=7", "--json"});
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  BOOST_TEST(nlohmann::json::parse(result.out).at("hops").at(1).at("overhead_ns") == 7.0);
}

BOOST_AUTO_TEST_CASE(route_refuses_unknown_nodes_and_sizes) {
  ProgramResult result = kernbench_program(
      {"route", "sip0.cube0.pe0.pe_dna", "sip0.cube0.sram", "--topology", "tiny"});
  BOOST_TEST(result.status == 2);
  BOOST_TEST(contains(result.err, "'sip0.cube0.pe0.pe_dna'"), result.err);
  BOOST_TEST(contains(result.err, "did you mean 'sip0.cube0.pe0.pe_dma'?"), result.err);
  BOOST_TEST(kernbench_program({"route", "sip0.cube0.sram"}).status == 2);
  BOOST_TEST(kernbench_program({"route", "sip0.cube0.pe0.pe_dma", "sip0.cube0.sram", "--topology",
                                "tiny", "--bytes", "0"})
                 .status == 2);
}

BOOST_AUTO_TEST_CASE(route_without_a_way_fails_and_names_both_ends) {
  const ProgramResult result = kernbench_program(
      {"route", "sip0.cube0.pe0.pe_cpu", "sip0.cube0.pe0.pe_gemm", "--topology", "tiny"});
  BOOST_TEST(result.status == 1);
  BOOST_TEST(result.out == "");
  BOOST_TEST(contains(result.err, "from 'sip0.cube0.pe0.pe_cpu' to 'sip0.cube0.pe0.pe_gemm'"),
             result.err);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(probe_command)

BOOST_AUTO_TEST_CASE(probe_has_help_with_examples) { check_help("probe"); }

// Every invariant holds, and nothing is beyond the formula: the whole catalogue on the default
// machine, most of it on half of its cubes.
BOOST_AUTO_TEST_CASE(every_invariant_holds_on_the_default_machine) {
  const std::string rows_of_cubes = every_or({"2"}, {"4"}).front();
  const ProgramResult result = kernbench_program(
      {"probe", "--strict", "--json", "--set", "sip.cube_mesh.h=" + rows_of_cubes});
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  const auto json = nlohmann::json::parse(result.out);
  int available = 0;
  for (const auto& probe : json.at("cases")) {
    if (!probe.at("available").get<bool>()) continue;
    ++available;
    for (const auto& point : probe.at("points"))
      BOOST_TEST(point.at("beyond_formula_ns") == 0.0, probe.at("name"));
  }
  BOOST_TEST(available == (rows_of_cubes == "4" ? 14 : 10));
  BOOST_TEST(json.at("invariants").size() == 9u);
  for (const auto& invariant : json.at("invariants"))
    BOOST_TEST(invariant.at("verdict") == "pass", invariant.at("rule"));
}

BOOST_AUTO_TEST_CASE(probe_prints_tables_checks_and_routes) {
  const std::vector<std::string> words{
      "probe", "--topology", "tiny", "--case", "pe-local-hbm", "--case", "pe-cross-sip-hbm"};
  const ProgramResult result = kernbench_program(words);
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  for (const std::string part : {"actual ns", "utilisation", "formula ns", "Sweep", "256K",
                                 "pe-cross-sip-hbm: not available: the machine has one SIP",
                                 "[v] PASS", "<-- bottleneck", "142.000004 ns simulated"}) {
    BOOST_TEST(contains(result.out, part), "'" << part << "' is not in: " << result.out);
  }
  BOOST_TEST(kernbench_program(words).out == result.out);
}

BOOST_AUTO_TEST_CASE(probe_prints_csv_and_the_checks_beside_it) {
  const ProgramResult result =
      kernbench_program({"probe", "--topology", "tiny", "--case", "pe-local-hbm", "--csv"});
  BOOST_TEST(result.status == 0);
  BOOST_TEST(result.out.rfind("case,op,initiator,target,bytes,actual_ns,", 0) == 0U, result.out);
  BOOST_TEST(contains(result.out,
                      "pe-local-hbm,read,sip0.cube0.pe0.pe_dma,sip0.cube0.hbm_ctrl.pe0,32768,142."
                      "000004,5.000000,128.000000,"),
             result.out);
  BOOST_TEST(contains(result.err, "[v] PASS  simulated >= formula"), result.err);
}

// A half across the HBM rows that is nearer than the other PE of the own half: a machine on which a
// rule fails.
BOOST_AUTO_TEST_CASE(a_failed_check_changes_the_status_with_strict_only) {
  std::vector<std::string> words{"probe",
                                 "--topology",
                                 "tiny",
                                 "--case",
                                 "pe-same-half-hbm",
                                 "--case",
                                 "pe-cross-half-hbm",
                                 "--set",
                                 "cube.pe_layout.pe_per_corner=1",
                                 "--set",
                                 "cube.memory_map.hbm_slices_per_cube=4",
                                 "--set",
                                 "cube.memory_map.hbm_pseudo_channels=32",
                                 "--set",
                                 "cube.geometry.cube_mm.w=60"};
  ProgramResult result = kernbench_program(words);
  BOOST_TEST(result.status == 0, result.err);
  BOOST_TEST(contains(result.out, "[x] FAIL  same half <= cross half"), result.out);
  words.emplace_back("--strict");
  result = kernbench_program(words);
  BOOST_TEST(result.status == 1);
  BOOST_TEST(contains(result.out, "[x] FAIL  same half <= cross half"), result.out);
}

BOOST_AUTO_TEST_CASE(probe_refuses_unknown_cases_and_two_formats) {
  const ProgramResult result = kernbench_program({"probe", "--case", "h2d-5hop"});
  BOOST_TEST(result.status == 2);
  BOOST_TEST(contains(result.err, "there is no case 'h2d-5hop'"), result.err);
  BOOST_TEST(contains(result.err, "pe-cross-sip-hbm"), result.err);
  BOOST_TEST(kernbench_program({"probe", "--json", "--csv"}).status == 2);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
