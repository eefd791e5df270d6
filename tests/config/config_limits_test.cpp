// Values that a machine could not be computed or addressed with are refused while the configuration
// is read.
#include <boost/test/unit_test.hpp>

#include "tests/config/broken_file.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_FIXTURE_TEST_SUITE(config_limits, BrokenFile)

BOOST_AUTO_TEST_SUITE(config_limits_test)

// Time is 64 bits of femtoseconds, 18446 s: a single duration is at most a second (1e9 ns).
BOOST_AUTO_TEST_CASE(a_duration_is_at_most_a_second) {
  const std::string key = "cube.components.router.attrs.overhead_ns";
  BOOST_TEST(after(key, "1e9") == "0 issues");
  for (const char* value : {"1000000001", "1e13", "1e18"})
    BOOST_TEST(found_in(key, value) ==
               value + std::string(", allowed is a number, 0 to 1000000000"));
  BOOST_TEST(found_in(key, "1e99") == "'1e99', allowed is a number, 0 to 1000000000");
}

BOOST_AUTO_TEST_CASE(a_rate_is_unlimited_or_between_a_megabyte_and_a_petabyte_per_second) {
  const std::string key = "cube.links.router_link_bw_gbs";
  BOOST_TEST(after(key, "0") == "0 issues");
  BOOST_TEST(after(key, "0.001") == "0 issues");
  for (const char* value : {"0.0004", "1e-18", "-1", "1000001"})
    BOOST_TEST(found_in(key, value) ==
               value +
                   std::string(", allowed is 0 (unlimited) or a number, 0.001 to 1000000 (GB/s)"));
  BOOST_TEST(found_in("cube.links.hbm_to_router_bw_gbs", "0") ==
             "0, allowed is a number, 0.001 to 1000000 (GB/s)");
}

// --- What cannot be computed exactly

BOOST_AUTO_TEST_CASE(numbers_have_at_most_18_digits_and_decimals) {
  BOOST_TEST(found_in("system.ns_per_mm", "0.1234567890123456789") ==
             "0.1234567890123456789, which has more than 18 digits or decimals; allowed is a "
             "number, 0 to 1000 (ns/mm)");
  BOOST_TEST(after("system.ns_per_mm", "1e-19")
                 .find("system.ns_per_mm: found 1e-19, which has more than 18 digits") == 0U);
  BOOST_TEST(after("system.ns_per_mm", "0.30000000000000004") ==
             "0 issues");  // as other programs write 0.1 + 0.2
}

BOOST_AUTO_TEST_CASE(a_layout_that_cannot_be_computed_exactly_is_an_error) {
  BOOST_TEST(after("cube.placement.sram.pos_mm", "[0.00000000000000001, 1.12345678901234567]") ==
             "cube.geometry: the lengths of the cube have too many digits for its layout to be "
             "computed exactly; allowed are fewer");
}

// The cubes of a row lie 17.000000000000000001 mm from each other: 19 digits, and with halves of
// the cube the sum has to be brought to a denominator of 2 * 10^36.
BOOST_AUTO_TEST_CASE(places_that_cannot_be_computed_exactly_are_an_error) {
  MachineSpec spec = machine({{"sip.links.ucie_seam.distance_mm", "0.000000000000000001"},
                              {"cube.geometry.cube_mm.w", "999.000000000000001"}});
  BOOST_CHECK_THROW(build_graph(std::move(spec)), ConfigError);
}

// --- What a physical address reaches (spec 3.1)

BOOST_AUTO_TEST_CASE(a_sip_has_at_most_16_cubes) {
  const std::vector<ConfigIssue> found =
      issues({{"sip.cube_mesh.w", "8"}, {"sip.cube_mesh.h", "8"}});
  BOOST_REQUIRE(found.size() == 1U);
  BOOST_TEST(found[0].key == "sip.cube_mesh");
  BOOST_TEST(found[0].line == line_of("cube_mesh: {"));
  BOOST_TEST(found[0].message ==
             "found 8 x 8 = 64 cubes, allowed are at most 16, as many as a physical address "
             "distinguishes");
  BOOST_TEST(issues({{"sip.cube_mesh.w", "16"}, {"sip.cube_mesh.h", "1"}}).empty());
}

BOOST_AUTO_TEST_CASE(memories_are_at_most_as_large_as_their_windows) {
  BOOST_TEST(found_in("cube.components.sram.attrs.size_mb", "64") ==
             "64, allowed is 0 to 32, the range of a physical address");
  BOOST_TEST(found_in("cube.pe_template.components.pe_tcm.attrs.size_mb", "4") ==
             "4, allowed is 0 to 2, the range of a physical address");
  BOOST_TEST(found_in("cube.memory_map.hbm_total_gb_per_cube", "129") ==
             "129, allowed is an integer, 1 to 128 (GiB)");
}

BOOST_AUTO_TEST_CASE(a_size_is_placed_where_it_is_written) {
  change("size_mb: 32", "size_mb: 33");
  const ConfigIssue issue = only_issue();
  BOOST_TEST(issue.file == dir.file("machine.yaml"));
  BOOST_TEST(issue.line == line_of("size_mb: 33"));
  BOOST_TEST(issue.column > 60);  // of the number, not of the entry
}

// --- The TCM (spec 5, 6): the scheduler's reserve and a kernel's scratch region are parts of it

BOOST_AUTO_TEST_CASE(reserve_and_scratch_fit_into_the_tcm_together) {
  const std::string tcm = "cube.pe_template.components.pe_tcm.attrs.reserved_kb";
  const std::string cpu = "cube.pe_template.components.pe_cpu.attrs.scratch_bytes";
  const std::string fit =
      ", allowed is that the scheduler's reserve and a kernel's scratch fit into the TCM "
      "together: ";
  // 512 KiB + 1.5 MiB = 2 MiB, and a byte more.
  BOOST_TEST(after(cpu, "1572864") == "0 issues");
  BOOST_TEST(after(cpu, "1572865") ==
             cpu + ": found 1572865" + fit + "524288 + 1572865 of 2097152 B");
  BOOST_TEST(after(tcm, "1536") ==
             cpu + ": found 1048576" + fit + "1572864 + 1048576 of 2097152 B");
  BOOST_TEST(after(tcm, "2048") == tcm + ": found 2048" + fit + "2097152 + 1048576 of 2097152 B");
  BOOST_TEST(found_in(tcm, "4096") ==
             "4096, allowed is 0 to 2048, the range of a physical address");
  BOOST_TEST(found_in(cpu, "8388608") ==
             "8388608, allowed is 0 to 2097152, the range of a physical address");
}

// --- Links inside a PE (docs/decisions/component-services.md)

BOOST_AUTO_TEST_CASE(only_links_that_carry_flits_have_a_length_and_a_bandwidth) {
  const std::string links = "cube.pe_template.links.";
  BOOST_TEST(after(links + "pe_dma_to_pe_tcm", "{bw_gbs: 512, distance_mm: 0.5}") == "0 issues");
  BOOST_TEST(after(links + "pe_tcm_to_pe_dma", "{bw_gbs: 512, distance_mm: 0.5}") == "0 issues");
  BOOST_TEST(after(links + "pe_gemm_to_pe_math", "{bw_gbs: 0, distance_mm: 0}") == "0 issues");
  const std::string why =
      ", allowed is 0: communication between these engines takes no time; of the links "
      "inside a PE only pe_dma_to_pe_tcm "
      "and pe_tcm_to_pe_dma carry flits";
  BOOST_TEST(after(links + "pe_gemm_to_pe_math.distance_mm", "0.5") ==
             links + "pe_gemm_to_pe_math.distance_mm: found 0.5" + why);
  BOOST_TEST(after(links + "pe_fetch_store_to_pe_tcm.bw_gbs", "512") ==
             links + "pe_fetch_store_to_pe_tcm.bw_gbs: found 512" + why);
  BOOST_TEST(after(links + "pe_gemm_to_pe_tcm.bw_gbs", "512")
                 .find(links + "pe_gemm_to_pe_tcm: unknown key") == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
