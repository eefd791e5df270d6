// `kernbench sweep --sensitivity` as users call it (spec 10.6).
#include <boost/test/unit_test.hpp>
#include <map>

#include "tests/cli/plan_file.h"
#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(sweep_sensitivity)

namespace {

constexpr const char* hbm = "cube.memory_map.hbm_channel_bw_gbs+cube.links.hbm_to_router_bw_gbs";

// Row of a key in the table of --json.
Json row_of(const Json& json, const std::string& key) {
  for (const Json& row : json.at("sensitivity"))
    if (row.at("key") == key) return row;
  return {};
}

}  // namespace

// At 0.01 GB/s for each of the 8 channels, instead of 32, a transfer of b bytes takes b / 0.08 ns,
// hundreds of microseconds here, and all else less than 1 us. Elasticity of b / bandwidth: -1.
BOOST_AUTO_TEST_CASE(the_resource_that_bounds_a_run_is_first_with_elasticity_minus_one) {
  const PlanFile plan(
      "set:\n  cube.memory_map.hbm_channel_bw_gbs: 0.01\n  cube.links.hbm_to_router_bw_gbs: 0.08\n"
      "sensitivity: [cube.links.router_link_bw_gbs, cube.components.router.attrs.overhead_ns, "
      "'" +
      std::string(hbm) + "', cube.pe_template.components.pe_gemm.attrs.macs_per_cycle]\n");
  const Json json = json_of(plan.sweep({"--sensitivity", "--json"}));
  const Json& first = json.at("sensitivity").at(0);
  BOOST_TEST(first.at("key") == hbm);
  BOOST_TEST(first.at("low") == 0.0095);
  BOOST_TEST(first.at("high") == 0.0105);
  BOOST_TEST(first.at("values") == "step");
  BOOST_TEST(first.at("elasticity").get<double>() == -1, boost::test_tools::tolerance(0.01));
  const double simulated = json_of({"run", "--bench", "gemm-single-pe", "--topology", "tiny",
                                    "--set", "cube.memory_map.hbm_channel_bw_gbs=0.0095", "--set",
                                    "cube.links.hbm_to_router_bw_gbs=0.076", "--json"})
                               .at("simulated_ns");
  BOOST_TEST(first.at("at_low").get<double>() == simulated, boost::test_tools::tolerance(1e-12));
  // The mesh has time to spare.
  BOOST_TEST(
      std::abs(row_of(json, "cube.links.router_link_bw_gbs").at("elasticity").get<double>()) <
      0.01);
  BOOST_TEST(json.at("sensitivity").size() == 4u);
  // Nothing is left to run.
  check_run(plan.sweep({"--sensitivity"}), {0, {"; 9 done before", hbm, "elasticity"}});
}

BOOST_AUTO_TEST_CASE(keys_without_a_step_take_their_neighbours) {
  const PlanFile plan("axes: {M: [32, 64]}\n");
  const Json json =
      json_of(plan.sweep({"--sensitivity", "compute", "dtype", "cube.pe_layout.pe_per_corner",
                          "cube.memory_map.hbm_channel_bw_gbs", "cube.ucie.lane_select", "--of",
                          "engines.pe_gemm.gemm.busy_ns", "--json"}));
  BOOST_TEST(json.at("base_point") == "M=32");
  const Json compute = row_of(json, "compute");
  BOOST_TEST(compute.at("base") == "composite");
  BOOST_TEST(compute.at("high") == "dot");
  BOOST_TEST(compute.at("values") == "choice");
  BOOST_TEST(compute.at("low").is_null());
  BOOST_TEST(row_of(json, "cube.ucie.lane_select").at("values") == "choice");
  // The rate of the link is that of the channels.
  BOOST_TEST(row_of(json, "cube.memory_map.hbm_channel_bw_gbs").is_null());
  check_contains(json.at("without_variation").at("cube.memory_map.hbm_channel_bw_gbs"),
                 {"cube.links.hbm_to_router_bw_gbs: found 256 GB/s"});
}

BOOST_AUTO_TEST_CASE(a_failed_variation_is_a_row_with_its_message) {
  // The operands of one PE_GEMM operation, M x 1024 and 1024 x 32 of 2 B, have 1 MiB of scratch:
  // those of M = 450 fit, those of 473 (5 % more) do not.
  const PlanFile plan(
      "params: {M: 450, N: 32, K: 1024, compute: dot}\noptions: {data: \"off\"}\n"
      "sensitivity: [M]\n");
  const ProgramResult result = kernbench_program(plan.sweep({"--sensitivity", "--json"}));
  BOOST_TEST(result.status == 1);
  const Json row = row_of(Json::parse(result.out), "M");
  BOOST_TEST(row.at("at_low").is_number());
  BOOST_TEST(row.at("elasticity").is_number());
  BOOST_TEST(row.at("high") == 473);
  BOOST_TEST(row.at("at_high").is_null());
  check_contains(row.at("message_at_high"), {"scratch: no room"});
  check_run(plan.sweep({"--sensitivity"}), {1, {"  failed  "}});
}

BOOST_AUTO_TEST_CASE(wrong_keys_and_columns_are_refused) {
  const PlanFile plan("axes: {M: [32]}\n"), without("sensitivity: [M]\n");
  check_refused(plan.sweep({"--sensitivity"}), {"without a key"});
  // No axes and no list of keys; the option may precede the plan.
  const PlanFile bare("");
  check_refused(bare.sweep(), {"axes: the key is missing", "it needs --sensitivity"});
  check_run({"sweep", "--results", bare.results, "--sensitivity", "M", bare.folder.file("p.yaml")},
            {0, {"elasticity"}});
  check_refused(plan.sweep({"--sensitivity", "cube.links.router_link_bw"}),
                {"'cube.links.router_link_bw' is no parameter", "did you mean",
                 "cube.links.router_link_bw_gbs"});
  check_refused(plan.sweep({"--sensitivity", "cube.links.hbm_to_router_bw_gbs"}),
                {"no chosen key has a different value", "hbm_channels_per_pe"});
  check_refused(plan.sweep({"--sensitivity", "M+compute"}), {"'compute'", "numbers"});
  check_refused(plan.sweep({"--sensitivity", "M+M"}), {"'M' twice"});
  check_refused(without.sweep({}), {"the plan has no axes: it needs --sensitivity"});
  BOOST_TEST(!plan.folder.has("r.sqlite"));
  const ProgramResult column =
      kernbench_program(plan.sweep({"--sensitivity", "M", "--of", "simulated_n"}));
  BOOST_TEST(column.status == 2);
  check_contains(column.err, {"--of 'simulated_n'", "did you mean 'simulated_ns'?"});
  BOOST_TEST(column.out == "");  // after the first point
}

BOOST_AUTO_TEST_SUITE_END()
