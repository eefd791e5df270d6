// The bench pe-dma-perf: its scenarios, what it reports of them, and that the data arrive (spec
// 10.3).
#include <fmt/format.h>

#include <boost/test/unit_test.hpp>

#include "tests/benches/verified_runs.h"
#include "tests/support/error_text.h"
#include "tests/support/every_case.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(pe_dma_perf)

namespace {

using Columns = std::map<std::string, double>;
using Rows = std::map<std::string, Columns>;  // numbers by scenario and column

struct Transfers {
  Rows rows;
  std::string left_out;
  std::vector<std::string> columns;
};

Transfers transfers_of(const BenchOutcome& outcome) {
  BOOST_TEST(outcome.status == "completed", outcome.error);
  BOOST_TEST(outcome.failures == "");
  BOOST_REQUIRE(outcome.results.size() >= 1u);
  const ResultTable& table = outcome.results[0];
  Transfers transfers;
  transfers.columns = table.columns();
  for (const auto& row : table.rows()) {
    const auto* scenario = std::get_if<std::string>(&row.front());
    Columns& numbers = transfers.rows[scenario != nullptr ? *scenario : ""];
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (const auto* count = std::get_if<std::int64_t>(&row[i]))
        numbers[table.columns()[i]] = static_cast<double>(*count);
      else if (const auto* number = std::get_if<double>(&row[i]))
        numbers[table.columns()[i]] = *number;
    }
  }
  if (outcome.results.size() > 1u) {
    for (const auto& row : outcome.results[1].rows())
      transfers.left_out +=
          std::get<std::string>(row[0]) + ": " + std::get<std::string>(row[1]) + "\n";
  }
  return transfers;
}

BenchRunOptions on(const std::string& topology) {
  BenchRunOptions options;
  options.topology = topology;
  return options;
}

// What holds for every scenario on every machine.
void check_rows(const Rows& rows, const std::string& what) {
  BOOST_TEST(rows.count("local") == 1u, what);
  for (const auto& [scenario, row] : rows) {
    BOOST_TEST_CONTEXT(what << ", " << scenario) {
      BOOST_TEST(row.at("bytes") == row.at("requests") * 16384);
      double parts = 0;
      for (const char* part :
           {"pe_setup_ns", "noc_ns", "ucie_ns", "fabric_ns", "link_ns", "hbm_ns", "contention_ns"})
        parts += row.at(part);
      BOOST_TEST(parts == row.at("mean_ns"), boost::test_tools::tolerance(1e-9));
      BOOST_TEST(row.at("min_ns") <= row.at("mean_ns"));
      BOOST_TEST(row.at("mean_ns") <= row.at("max_ns") * (1 + 1e-12));
      BOOST_TEST(row.at("makespan_ns") >= row.at("max_ns"));
      BOOST_TEST(row.at("gbs") == row.at("bytes") / row.at("makespan_ns"));
      BOOST_TEST(row.at("util_single") == row.at("gbs") / row.at("narrowest_gbs"));
      BOOST_TEST(row.at("util_aggregate") == row.at("gbs") / row.at("fair_gbs"));
      BOOST_TEST(row.at("util_aggregate") > 0);
      BOOST_TEST(row.at("util_aggregate") <= 1);
      if (row.at("requests") == 1) BOOST_TEST(row.at("contention_ns") == 0);
    }
  }
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(the_default_machine_has_every_scenario) {
  const Transfers transfers = transfers_of(run_bench("pe-dma-perf", {}, on("topology.yaml")));
  const std::map<std::string, double> requests{{"local", 1},
                                               {"same_cube_best", 1},
                                               {"same_cube_worst", 1},
                                               {"other_cube_best", 1},
                                               {"other_cube_worst", 1},
                                               {"other_sip", 1},
                                               {"ctrl_hot_1", 1},
                                               {"ctrl_hot_2", 2},
                                               {"ctrl_hot_3", 3},
                                               {"ucie_eastbound", 8},
                                               {"all_pe_cube0_to_pe0", 8},
                                               {"sip_local_all", 128},
                                               {"sip_hotspot_pe0", 128}};
  BOOST_REQUIRE(transfers.rows.size() == requests.size());
  for (const auto& [scenario, count] : requests)
    BOOST_TEST(transfers.rows.at(scenario).at("requests") == count, scenario);
  BOOST_TEST(transfers.left_out == "");
  check_rows(transfers.rows, "default machine");

  // Links of no length take 1 fs.
  const auto near = boost::test_tools::tolerance(1e-6);
  // Setup 1, the first flit 1, the router 2, 64 flits at 256 GB/s less the first, the last burst,
  // the acknowledgement over the router: 1 + 1 + 2 + 64 + 8 + 2.
  const Columns& local = transfers.rows.at("local");
  BOOST_TEST(local.at("max_ns") == 78, near);
  BOOST_TEST(local.at("pe_setup_ns") == 1, near);
  BOOST_TEST(local.at("noc_ns") == 4, near);
  BOOST_TEST(local.at("link_ns") == 65, near);
  BOOST_TEST(local.at("hbm_ns") == 8, near);
  BOOST_TEST(local.at("gbs") == 16384.0 / 78, near);
  BOOST_TEST(local.at("fair_gbs") == 256);
  // Partitions have links of their own: 128 transfers take the time of one.
  const Columns& all = transfers.rows.at("sip_local_all");
  BOOST_TEST(all.at("max_ns") == 78, near);
  BOOST_TEST(all.at("fair_gbs") == 128 * 256);
  BOOST_TEST(all.at("util_aggregate") == local.at("util_aggregate"), near);
  // The link of one partition limits.
  for (const char* hot : {"ctrl_hot_2", "ctrl_hot_3", "all_pe_cube0_to_pe0", "sip_hotspot_pe0"})
    BOOST_TEST(transfers.rows.at(hot).at("fair_gbs") == 256, near);
  // Two of the eight share each of four connections of 128 GB/s. The time is that of the case
  // "eastbound" of `validate`.
  const Columns& eastbound = transfers.rows.at("ucie_eastbound");
  BOOST_TEST(eastbound.at("narrowest_gbs") == 128);
  BOOST_TEST(eastbound.at("fair_gbs") == 512, near);
  BOOST_TEST(eastbound.at("makespan_ns") == 8 + 7 * 8 + 0.6 + 8 + 2 * 64 * 2 + 3 + 8 + 31.5, near);

  const auto latency = [&](const char* scenario) {
    return transfers.rows.at(scenario).at("max_ns");
  };
  BOOST_TEST(latency("local") <= latency("same_cube_best"));
  BOOST_TEST(latency("same_cube_best") < latency("same_cube_worst"));
  BOOST_TEST(latency("other_cube_best") < latency("other_cube_worst"));
  BOOST_TEST(latency("ctrl_hot_1") < latency("ctrl_hot_2"));
  BOOST_TEST(latency("ctrl_hot_2") < latency("ctrl_hot_3"));
}

// Never above 100 %: reads and writes, HBM with and without banks, meshes and SIPs of all sizes;
// the default machine: above and below.
BOOST_AUTO_TEST_CASE(no_machine_exceeds_the_sum_of_the_fair_shares) {
  for (const char* topology :
       every_or({"topology.tiny.yaml", "topology.hw.yaml"},
                {"topology.tiny.yaml", "topology.hw.yaml", "topology.six_sip.yaml"})) {
    for (const char* op : {"write", "read"}) {
      forked([&] {
        BenchRunOptions options = on(topology);
        options.data = DataMode::off;
        const Transfers transfers = transfers_of(run_bench("pe-dma-perf", {{"op", op}}, options));
        check_rows(transfers.rows, std::string(topology) + " " + op);
      });
    }
  }
}

KERNBENCH_SYSTEMC_TEST(reads_return_the_data) {
  const Transfers transfers =
      transfers_of(run_bench("pe-dma-perf", {{"op", "read"}}, on("topology.yaml")));
  check_rows(transfers.rows, "reads");
}

KERNBENCH_SYSTEMC_TEST(scenarios_that_a_machine_lacks_are_left_out_with_the_reason) {
  const Transfers transfers = transfers_of(run_bench("pe-dma-perf", {}));
  BOOST_TEST(transfers.rows.count("other_sip") == 0u);
  BOOST_TEST(transfers.rows.count("sip_local_all") == 1u);
  check_contains(transfers.left_out,
                 {"other_cube_best: a SIP has one cube", "other_sip: the machine has one SIP",
                  "ucie_eastbound: the mesh of cubes has one column"});
}

BOOST_AUTO_TEST_CASE(a_machine_of_one_pe_has_the_scenarios_of_one_transfer) {
  forked([] {
    BenchRunOptions options;
    options.overrides = {{"cube.pe_layout.corners", "[NW]"},
                         {"cube.pe_layout.pe_per_corner", "1"},
                         {"cube.memory_map.hbm_slices_per_cube", "1"},
                         {"cube.memory_map.hbm_pseudo_channels", "8"}};
    const Transfers transfers = transfers_of(run_bench("pe-dma-perf", {}, options));
    BOOST_TEST(transfers.rows.size() == 3u);  // local, sip_local_all, sip_hotspot_pe0
    check_contains(transfers.left_out,
                   {"same_cube_best: a cube has one PE", "ctrl_hot_1: a cube has no PE 1"});
  });
}

// The rows of a sweep over scenarios have the same columns.
KERNBENCH_SYSTEMC_TEST(one_scenario_has_a_row_without_its_name) {
  const Transfers transfers = transfers_of(run_bench("pe-dma-perf", {{"scenario", "ctrl_hot_2"}}));
  BOOST_TEST(transfers.columns.front() == "requests");
  BOOST_REQUIRE(transfers.rows.size() == 1u);
  BOOST_TEST(transfers.rows.at("").at("requests") == 2);
}

BOOST_AUTO_TEST_CASE(a_scenario_that_the_machine_lacks_is_a_usage_error) {
  forked([] {
    const BenchOutcome outcome = run_bench("pe-dma-perf", {{"scenario", "other_sip"}});
    BOOST_TEST(outcome.usage_error);
    check_contains(outcome.error, {"pe-dma-perf", "other_sip", "the machine has one SIP"});
  });
}

BOOST_AUTO_TEST_CASE(a_block_that_does_not_fit_the_scratch_is_named) {
  BenchRunOptions options;
  options.overrides = {{"cube.pe_template.components.pe_cpu.attrs.scratch_bytes", "524288"}};
  check_contains(failure_of("pe-dma-perf", {{"bytes", "1048576"}}, options), {"no room", "524288"});
}

BOOST_AUTO_TEST_CASE(a_bench_that_measures_transfers_needs_a_meter) {
  forked([] {
    WholeMachine machine("topology.tiny.yaml", {}, MachineOptions::Engines::builtin);
    BenchRegistry benches;
    register_benches(benches);
    const Bench& bench = benches.find("pe-dma-perf");
    BenchProgram program(bench, {resolve_parameters(bench, {})});
    const RunResult result = machine.platform->run(program);
    check_contains(result.error, {"torch.transfers", "BenchOptions::transfers"});
  });
}

BOOST_AUTO_TEST_SUITE_END()
