// Plans in configs/sweeps, and what they need of `kernbench sweep` (spec 10.3, 10.6).
#include <boost/test/unit_test.hpp>

#include "tests/cli/program.h"
#include "tests/cli/sweep_rows.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(shipped_sweeps)

namespace {

// Results of a plan in a folder of its own, whose points are all ok.
std::vector<Row> results_of(const std::string& plan) {
  const TemporaryFolder folder;
  const std::string results = folder.file("r.sqlite");
  check_run({"sweep", folder.write("p.yaml", plan), "--results", results}, {0, {" 0 failed"}});
  return rows_of(results);
}

double number(const Row& row, const std::string& column) {
  BOOST_TEST_REQUIRE(row.count(column) == 1u, "no column " << column);
  return std::stod(row.at(column));
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_shipped_plan_is_listed_and_has_valid_points) {
  const Json plans = json_of({"list", "sweeps", "--json"});
  BOOST_TEST(plans.size() >= 4u);
  for (const Json& plan : plans) {
    const std::string name = plan.at("name");
    BOOST_TEST(plan.at("title").get<std::string>() != "", name);
    BOOST_TEST(json_of({"sweep", name, "--dry-run", "--json"}).at("points") == plan.at("points"));
  }
}

// The value of each point, set, included or a default.
BOOST_AUTO_TEST_CASE(columns_of_keys_have_the_values_of_the_resolved_configuration) {
  const std::vector<Row> rows = results_of(
      "bench: gemm-single-pe\ntopology: tiny\noptions: {data: 'off'}\n"
      "axes: {cube.pe_template.components.pe_dma.attrs.rd_engines: [1, 3]}\n"
      "keys:\n"
      "  engines: cube.pe_template.components.pe_dma.attrs.rd_engines\n"
      "  depth: cube.pe_template.components.pe_gemm.attrs.queue_depth\n"
      "  side: sip.io_chiplets.io0.side\n"
      "  shared: cube.pe_template.components.pe_scheduler.attrs.shared_accel_slot\n"
      "  slot: ccl:defaults.slot_size\n"
      "derived: {both: engines * depth, first: first_value(engines) OVER (ORDER BY point)}\n");
  BOOST_TEST_REQUIRE(rows.size() == 2u);
  BOOST_TEST(number(rows[0], "engines") == 1);
  BOOST_TEST(number(rows[1], "engines") == 3);
  BOOST_TEST(rows[1].at("side") == "N");
  BOOST_TEST(number(rows[1], "shared") == 1);
  BOOST_TEST(number(rows[1], "slot") == 4096);
  BOOST_TEST(number(rows[1], "both") == 3 * number(rows[1], "depth"));
  BOOST_TEST(number(rows[1], "first") == 1);  // engines of the first row
}

// The pipeline in the plan, with the round trip of each access, is that of the model; nothing in it
// is a number of the shipped machine. Accesses of one instant on one link make up to 0.5 %.
BOOST_AUTO_TEST_CASE(theory_of_milestone_gemm_is_computed_from_the_machine) {
  const std::string reduced =
      "include: milestone-gemm\ntopology: tiny\nwhere: M * K * N <= 32 * 512 * 32\n";
  const std::string other =
      "set:\n  cube.links.pe_to_router_bw_gbs: 512\n  cube.links.hbm_to_router_bw_gbs: 512\n"
      "  cube.memory_map.hbm_channel_bw_gbs: 64\n"
      "  cube.components.router.attrs.overhead_ns: 3\n"
      "  cube.pe_template.components.pe_dma.attrs.overhead_ns: 5\n"
      "  cube.pe_template.components.pe_gemm.attrs.macs_per_cycle: 2048\n";
  for (const std::string& plan : {reduced, reduced + other}) {
    const std::vector<Row> rows = results_of(plan);
    BOOST_TEST(rows.size() == 12u);  // 4 of the 8 shapes, 3 variants
    for (const Row& row : rows) {
      const double measured = number(row, "activity.composite_window_ns");
      BOOST_TEST(number(row, "latency_ns") == measured, boost::test_tools::tolerance(5e-3));
      BOOST_TEST(number(row, "ideal_ns") < measured);
      BOOST_TEST(number(row, "stages.pe_gemm.tile/GEMM.count") == number(row, "tiles"));
    }
  }
}

// Loads, PE_MATH and stores of a PE follow each other, so the closed form of the plan is a lower
// bound; latencies add at most 2 %.
BOOST_AUTO_TEST_CASE(softmax_over_pes_follows_the_closed_form_of_its_study) {
  const std::vector<Row> rows =
      results_of("include: pe-scaling-softmax\nwhere: topology = 'tiny'\n");
  BOOST_TEST_REQUIRE(rows.size() == 5u);
  double last = 1e9;
  for (const Row& row : rows) {
    const double time = number(row, "time_us"), form = number(row, "closed_form_us");
    BOOST_TEST(time > form);
    BOOST_TEST(time < 1.02 * form, row.at("pes"));
    BOOST_TEST(time < last);
    last = time;
  }
}

BOOST_AUTO_TEST_SUITE_END()
