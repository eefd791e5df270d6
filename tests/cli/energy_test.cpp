// --energy (spec 11.8): sums reconcile for benches of one kernel and of several, and the outputs
// have the same numbers; wrong tables are refused.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/cli/program.h"
#include "tests/support/timeline/timeline_reader.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(energy)

namespace {

double sum_of(const Json& rows, const std::string& level = "") {
  double sum = 0;
  for (const Json& row : rows) {
    if (level.empty() || row.at("level") == level) sum += row.at("energy_pj").get<double>();
  }
  return sum;
}

Json with(const Json& rows, const std::string& key, const std::string& value) {
  for (const Json& row : rows) {
    if (row.at(key) == value) return row;
  }
  BOOST_FAIL("no " << key << " " << value << " in " << rows);
  return {};
}

void check_close(double a, double b, const std::string& what) {
  BOOST_TEST(std::abs(a - b) <= 1e-9 * std::abs(b), what << ": " << a << ", " << b);
}

}  // namespace

BOOST_AUTO_TEST_CASE(sums_over_kernels_places_and_actions_are_the_energy_of_the_run) {
  const std::vector<Words> runs{bench_on_tiny("gemm-single-pe"), bench_on_tiny("mlp-fused"),
                                bench_on_tiny("softmax-rows"),
                                joined({"run", "--bench", "ccl-allreduce"}, six_small_sips)};
  for (const Words& run : runs) {
    const Json energy = json_of(joined(run, {"--energy", "--json"})).at("energy");
    const double all = energy.at("energy_pj").get<double>();
    BOOST_TEST(all > 0);
    BOOST_TEST(energy.at("unknown").empty(), energy.at("unknown"));
    check_close(energy.at("dynamic_pj").get<double>() + energy.at("static_pj").get<double>(), all,
                run[2]);
    check_close(sum_of(energy.at("kinds")), all, run[2] + ", kinds");
    check_close(sum_of(energy.at("actions")), all, run[2] + ", actions");
    check_close(sum_of(energy.at("places"), "sip") + sum_of(energy.at("places"), "system"), all,
                run[2] + ", places");
    check_close(sum_of(energy.at("kernels")), all, run[2] + ", kernels");
    const Json outside = with(energy.at("kernels"), "kernel", "outside kernels");
    check_close(sum_of(energy.at("launches")) + outside.at("energy_pj").get<double>(), all,
                run[2] + ", launches");
    // 1 pJ / 1 ns is 1 mW.
    check_close(energy.at("average_w").get<double>(),
                all / energy.at("time_ns").get<double>() * 1e-3, run[2] + ", power");
    BOOST_TEST(energy.at("peak_w").get<double>() >= 0.999 * energy.at("average_w").get<double>());
  }
}

// The multiply-accumulates of the product are those of its sizes; the log has the same energy.
BOOST_AUTO_TEST_CASE(a_run_its_statistics_and_its_log_have_the_same_energy) {
  const TemporaryFolder folder;
  const std::string log = folder.file("log.sqlite"), stats = folder.file("stats.json");
  const Words run = bench_on_tiny("matmul-composite", {"--param", "M=96", "--param", "K=128",
                                                       "--param", "N=96", "--energy", "--json"});
  const Json energy = json_of(joined(run, {"--op-log", log, "--stats", stats})).at("energy");
  BOOST_TEST(with(energy.at("actions"), "action", "macs_f16").at("count") == 96 * 128 * 96);
  BOOST_TEST(energy.at("macs") == 96 * 128 * 96);
  BOOST_TEST(Json::parse(folder.read("stats.json")).at("energy") == energy);
  BOOST_TEST(json_of({"inspect", log, "--energy", "--json"}).at("energy") == energy);
  // Observed or not, the times are the same.
  BOOST_TEST(json_of(run).at("simulated_ns") ==
             json_of(bench_on_tiny("matmul-composite", {"--param", "M=96", "--param", "K=128",
                                                        "--param", "N=96", "--json"}))
                 .at("simulated_ns"));
}

// The mean of the counter over its windows is the mean power.
BOOST_AUTO_TEST_CASE(a_timeline_has_the_power_as_counters) {
  const TemporaryFolder folder;
  const Json energy = json_of(bench_on_tiny("gemm-single-pe", {"--energy", "--json", "--timeline",
                                                               folder.file("t.json")}))
                          .at("energy");
  const ReadTimeline timeline = read_timeline("t.json", folder.read("t.json"));
  const std::vector<ReadPoint>& power = timeline.counters.at("sip0 power");
  BOOST_TEST_REQUIRE(power.size() > 4U);
  double pj = 0, peak = 0;
  for (std::size_t i = 0; i + 1 < power.size(); ++i) {
    pj += power[i].value * static_cast<double>(power[i + 1].time - power[i].time) * 1e-3;
    peak = std::max(peak, power[i].value);
  }
  const double of_sip = with(energy.at("places"), "place", "sip0").at("energy_pj").get<double>();
  // The last window counts in full: of at most 512.
  BOOST_TEST(std::abs(pj / of_sip - 1) < 0.02);
  BOOST_TEST(timeline.counters.count("pe_gemm power") == 1U);
}

BOOST_AUTO_TEST_CASE(an_override_of_the_table_changes_the_energy) {
  const auto macs_pj = [](const Words& more) {
    const Json energy =
        json_of(bench_on_tiny("gemm-single-pe", joined({"--energy", "--json"}, more))).at("energy");
    return with(energy.at("actions"), "action", "macs_f16").at("energy_pj").get<double>();
  };
  BOOST_TEST(macs_pj({"--set", "energy:components.pe_gemm.macs_f16.pj=1.44"}) == 2 * macs_pj({}));
}

BOOST_AUTO_TEST_CASE(what_the_table_lacks_is_named) {
  const TemporaryFile table("energy.yaml", "components: {pe_gemm: {macs_f16: {pj: 1}}}\n");
  const Words run = bench_on_tiny("gemm-single-pe", {"--energy", "--energy-table", table.path()});
  const std::string text = completed(run).out;
  check_contains(text, {"unknown energy", "hbm_ctrl.bytes_read", "pe_gemm.static"});
  const Json unknown = json_of(joined(run, {"--json"})).at("energy").at("unknown");
  BOOST_TEST(with(unknown, "action", "look_ups").at("kind") == "pe_mmu");
}

BOOST_AUTO_TEST_CASE(without_a_known_energy_ratios_are_unknown_not_0) {
  const TemporaryFile table("energy.yaml", "{}\n");
  const Words run = bench_on_tiny("gemm-single-pe", {"--energy", "--energy-table", table.path()});
  check_contains(completed(run).out, {"energy per MAC     -\n", "energy per bit     -\n",
                                      "energy-delay       -\n", "power              -\n"});
  const Json energy = json_of(joined(run, {"--json"})).at("energy");
  for (const char* const ratio :
       {"energy_pj", "average_w", "peak_w", "pj_per_mac", "pj_per_bit", "energy_delay_js"})
    BOOST_TEST(energy.at(ratio).is_null(), ratio);
}

BOOST_AUTO_TEST_CASE(traffic_has_energy_without_kernels) {
  const Json energy =
      json_of({"traffic", "--generate", "stream", "--topology", "tiny", "--json", "--energy"})
          .at("summary")
          .at("energy");
  check_close(with(energy.at("kernels"), "kernel", "outside kernels").at("energy_pj").get<double>(),
              energy.at("energy_pj").get<double>(), "outside kernels");
  BOOST_TEST(energy.at("pj_per_mac").is_null());
  BOOST_TEST(energy.at("pj_per_bit").get<double>() > 3.9);  // HBM, and the way to it
}

BOOST_AUTO_TEST_CASE(wrong_energies_are_refused) {
  const auto refused = [](const Words& more, const Words& parts) {
    check_refused(bench_on_tiny("gemm-single-pe", more), parts);
  };
  refused({"--energy", "--energy-table", "energi.yaml"},
          {"no file 'energi.yaml'", "did you mean 'energy.yaml'?"});
  refused({"--energy", "--set", "energy:components.pe_gemm.mac_f16.pj=1"},
          {"components.pe_gemm.mac_f16: no pe_gemm of this machine has this action; did you mean "
           "'macs_f16'?"});
  refused({"--energy", "--set", "energy:components.pe_gem.macs_f16.pj=1"},
          {"components.pe_gem: unknown key; did you mean 'pe_gemm'?"});
  refused({"--energy", "--set", "energy:components.pe_gemm.macs_f16.pj=-1"},
          {"found -1, allowed is a number, 0 to"});
  refused({"--set", "energy:components.pe_gemm.macs_f16.pj=1"},
          {"--set energy:KEY goes with --energy"});
  refused({"--energy-table", "energy.yaml"}, {"--energy-table goes with --energy"});
}

BOOST_AUTO_TEST_SUITE_END()
