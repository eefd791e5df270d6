// The shipped machine `hw` (configs/topology.hw.yaml) under every bench.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(hw_machine)

BOOST_AUTO_TEST_CASE(every_bench_is_verified) {
  const auto benches = nlohmann::json::parse(kernbench_program({"list", "--json"}).out);
  BOOST_TEST(benches.size() >= 23U);
  for (const auto& bench : benches) {
    const auto name = bench.at("name").get<std::string>();
    const ProgramResult result =
        kernbench_program({"run", "--bench", name, "--topology", "hw", "--verify-data"});
    BOOST_TEST(result.status == 0, name << ": " << result.err);
  }
}

// Each next value is a faster resource: eight PEs read 4 MiB of the next cube.
BOOST_AUTO_TEST_CASE(a_faster_resource_does_not_slow_a_stream) {
  const auto end_of = [](const std::string& key, const std::string& value) {
    const ProgramResult result = kernbench_program(
        {"traffic", "--topology", "hw", "--generate", "stream", "--initiators",
         "sip0.cube0.pe*.pe_dma", "--targets", "sip0.cube1.hbm_ctrl.pe*", "--requests", "32",
         "--size", "16384", "--set", key + "=" + value, "--json"});
    BOOST_TEST_REQUIRE(result.status == 0, result.err);
    double end = 0;
    const auto report = nlohmann::json::parse(result.out);
    for (const auto& row : report.at("requests"))
      end = std::max(end, row.at("end_ns").get<double>());
    return end;
  };
  const std::vector<std::vector<std::string>> resources{
      {"cube.components.router.attrs.latency_ns", "4", "2", "1", "0.5"},
      {"cube.components.router.attrs.occupancy_ns", "2", "1", "0.5", "0"},
      {"cube.ucie.port.attrs.latency_ns", "8", "4", "1.75", "1"},
      {"cube.ucie.per_connection_bw_gbs", "30", "60", "120", "240"},
      {"cube.components.hbm_ctrl.attrs.data_rate_gbps", "1.6", "3.2", "6.4", "8"},
      {"cube.components.hbm_ctrl.attrs.t_rfc_ns", "900", "450", "225"}};
  for (const auto& values : resources) {
    double before = 0;
    for (std::size_t i = 1; i < values.size(); ++i) {
      const double end = end_of(values[0], values[i]);
      if (before > 0) BOOST_TEST(end <= before * 1.01, values[0] << " " << values[i]);
      before = end;
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
