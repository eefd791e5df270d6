// `kernbench route` and `kernbench probe` as users call them.
#include <boost/test/unit_test.hpp>

#include "tests/cli/program.h"
#include "tests/support/every_case.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(probe_command_test)

namespace {

Words on_tiny(const std::string& command, const Words& more) {
  return joined({command, "--topology", "tiny"}, more);
}

const std::string dma = "sip0.cube0.pe0.pe_dma";

}  // namespace

// --- kernbench route

BOOST_AUTO_TEST_CASE(route_prints_a_table_or_json) {
  const Words words = on_tiny("route", {dma, "sip0.cube0.hbm_ctrl.pe1", "--bytes", "8192"});
  check_run(words, {0, {"sip0.cube0.r0c1", "<-- bottleneck", "8192 bytes", "total ns"}});
  const Json json = json_of(words);
  BOOST_TEST(json.at("bytes") == 8192);
  for (const char* key :
       {"initiator_ns", "control_leg_ns", "data_leg_ns", "memory_burst_ns", "total_ns"})
    BOOST_TEST(json.at("formula").at(0).contains(key), key);
}

BOOST_AUTO_TEST_CASE(route_follows_overrides) {
  BOOST_TEST(json_of(on_tiny("route", {dma, "sip0.cube0.hbm_ctrl.pe0", "--set",
                                       "cube.components.router.attrs.overhead_ns=7"}))
                 .at("hops")
                 .at(1)
                 .at("latency_ns") == 7.0);
}

BOOST_AUTO_TEST_CASE(route_refuses_unknown_nodes_and_sizes) {
  check_refused(on_tiny("route", {"sip0.cube0.pe0.pe_dna", "sip0.cube0.sram"}),
                {"'sip0.cube0.pe0.pe_dna'", "did you mean 'sip0.cube0.pe0.pe_dma'?"});
  check_run({"route", "sip0.cube0.sram"}, {2});
  check_run(on_tiny("route", {dma, "sip0.cube0.sram", "--bytes", "0"}), {2});
}

BOOST_AUTO_TEST_CASE(nodes_without_a_route_fail_with_both_names) {
  const ProgramResult result =
      check_run(on_tiny("route", {"sip0.cube0.pe0.pe_cpu", "sip0.cube0.pe0.pe_gemm"}),
                {1, {}, {"from 'sip0.cube0.pe0.pe_cpu' to 'sip0.cube0.pe0.pe_gemm'"}});
  BOOST_TEST(result.out == "");
}

// --- kernbench probe

// Every invariant holds, and nothing is beyond the formula: the whole catalogue on the default
// machine, most of it on half of its cubes.
BOOST_AUTO_TEST_CASE(every_invariant_holds_on_the_default_machine) {
  const std::string rows_of_cubes = every_or({"2"}, {"4"}).front();
  const Json json = json_of({"probe", "--strict", "--set", "sip.cube_mesh.h=" + rows_of_cubes});
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
  const Words words = on_tiny("probe", {"--case", "pe-local-hbm", "--case", "pe-cross-sip-hbm"});
  const ProgramResult result =
      check_run(words, {0,
                        {"actual ns", "utilisation", "formula ns", "Sweep", "256K",
                         "pe-cross-sip-hbm: not available: the machine has one SIP", "[v] PASS",
                         "<-- bottleneck", "142.000004 ns simulated"}});
  BOOST_TEST(kernbench_program(words).out == result.out);
}

BOOST_AUTO_TEST_CASE(probe_prints_csv_and_separately_the_checks) {
  const ProgramResult result =
      check_run(on_tiny("probe", {"--case", "pe-local-hbm", "--csv"}),
                {0,
                 {"pe-local-hbm,read,sip0.cube0.pe0.pe_dma,sip0.cube0.hbm_ctrl.pe0,32768,142."
                  "000004,5.000000,128.000000,"},
                 {"[v] PASS  simulated >= formula"}});
  BOOST_TEST(result.out.rfind("case,op,initiator,target,bytes,actual_ns,", 0) == 0U, result.out);
}

// A half across the HBM rows that is nearer than the other PE of the own half: a machine on which a
// rule fails.
BOOST_AUTO_TEST_CASE(a_failed_check_changes_the_status_with_strict_only) {
  Words words = on_tiny("probe", {"--case", "pe-same-half-hbm", "--case", "pe-cross-half-hbm"});
  for (const char* setting : {"pe_layout.pe_per_corner=1", "memory_map.hbm_slices_per_cube=4",
                              "memory_map.hbm_pseudo_channels=32", "geometry.cube_mm.w=60"})
    words = joined(words, {"--set", std::string("cube.") + setting});
  check_run(words, {0, {"[x] FAIL  same half <= cross half"}});
  check_run(joined(words, {"--strict"}), {1, {"[x] FAIL  same half <= cross half"}});
}

BOOST_AUTO_TEST_CASE(probe_draws_its_sweep_with_the_configuration_next_to_it) {
  const TemporaryFolder folder;
  const std::string figure = folder.file("local.svg");
  const Words words = on_tiny("probe", {"--case", "pe-local-hbm", "--figure"});
  check_run(joined(words, {figure}), {0, {"pe-local-hbm"}});
  check_contains(folder.read("local.svg"),
                 {"Effective bandwidth", "pe-local-hbm", "256 GB/s", "</svg>"});
  check_contains(folder.read("local.svg.config.yaml"), {"probe", "sips"});
  check_run(joined(words, {folder.file("local.txt")}), {2, {}, {".svg, .png or .pdf"}});
  check_run(joined(words, {folder.file("no/local.svg")}), {2, {}, {"no/local.svg"}});
}

BOOST_AUTO_TEST_CASE(probe_refuses_unknown_cases_and_two_formats) {
  check_refused({"probe", "--case", "h2d-5hop"},
                {"there is no case 'h2d-5hop'", "pe-cross-sip-hbm"});
  check_refused(on_tiny("probe", {"--case", "all", "--case", "nosuch"}),
                {"there is no case 'nosuch'"});
  check_run({"probe", "--json", "--csv"}, {2});
}

BOOST_AUTO_TEST_SUITE_END()
