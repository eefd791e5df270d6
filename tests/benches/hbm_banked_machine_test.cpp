// Machines whose HBM has banks (`builtin.hbm_banked`, spec 2.5): values, the formula, the
// configuration.
#include "platform/observe/resources.h"
#include "platform/topology/lower_bound.h"
#include "platform/topology/machine_message.h"
#include "tests/benches/verified_runs.h"
#include "tests/traffic/traffic_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(hbm_banked_machine)

namespace {

constexpr const char* place = "cube.components.hbm_ctrl";

Override banked(const std::string& attributes = "preset: HBM3") {
  return {place, "{impl: builtin.hbm_banked, attrs: {" + attributes + "}}"};
}
std::vector<Override> by_channels(const std::string& attributes) {
  return {banked(attributes),
          {"cube.memory_map.address_model", "la"},
          {"cube.memory_map.hbm_mapping_mode", "one_to_one"}};
}

std::string outputs(const std::string& bench, const Parameters& parameters,
                    const BenchRunOptions& options) {
  return forked_value([&] {
    const BenchOutcome outcome = run_bench(bench, parameters, options);
    BOOST_TEST(outcome.status == "completed", outcome.error);
    BOOST_TEST(outcome.failures == "");
    BOOST_TEST(outcome.verified > 0U);
    return outcome.outputs;
  });
}

std::string refusal(const std::vector<Override>& overrides) {
  return forked_value([&] {
    try {
      TrafficMachine m("topology.tiny.yaml", overrides);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_gemm_has_the_same_values_as_with_the_simple_controller) {
  const Parameters gemm{{"M", "96"}, {"N", "80"}, {"K", "160"}};
  const std::string simple = outputs("matmul-composite", gemm, {});
  for (const char* attributes :
       {"preset: HBM2", "preset: HBM3, page: closed, refresh: per_bank",
        "preset: HBM2E, write_queue: 4, write_high: 3, write_low: 1, max_row_hits: 1"}) {
    BenchRunOptions options;
    options.overrides = {banked(attributes)};
    BOOST_TEST((outputs("matmul-composite", gemm, options) == simple), attributes);
  }
  BenchRunOptions channels;
  channels.overrides = by_channels("preset: HBM3");
  BOOST_TEST((outputs("matmul-composite", gemm, channels) == simple));
}

BOOST_AUTO_TEST_CASE(an_all_reduce_over_rings_in_hbm_has_the_right_values) {
  BenchRunOptions options;
  options.overrides = {{"system.sips", "{count: 4, topology: torus_2d, w: 2, h: 2}"},
                       {"sip.cube_mesh", "{w: 2, h: 1}"},
                       banked()};
  outputs("ccl-allreduce", {{"n_elem", "2000"}, {"buffer_kind", "hbm"}}, options);
}

// A read finds its row closed and, of HBM2, 32 B on one channel: 14 ns above the formula, which is
// a row hit. A write commits in the queue: the formula itself.
KERNBENCH_SYSTEMC_TEST(the_formula_is_a_lower_bound) {
  TrafficMachine m("topology.tiny.yaml", {banked("preset: HBM2")});
  const std::string memory = "sip0.cube0.hbm_ctrl.pe0";
  const auto results = m.play("0,sip0.cube0.pe0.pe_dma,read," + memory + ",0,32\n" +
                              "1000,sip0.cube0.pe0.pe_dma,write," + memory + ",0,32\n" +
                              "2000,sip0.cube0.pe3.pe_dma,read," + memory + ",4096,65536\n" +
                              "6000,sip0.cube0.pe3.pe_dma,write," + memory + ",4096,65536\n");
  const auto bound = [&](const char* pe, bool write, std::uint64_t offset, std::uint64_t bytes) {
    const Graph& graph = m.platform->graph();
    const Path& path = m.platform->routes().memory_path(
        graph.at(std::string("sip0.cube0.") + pe + ".pe_dma"), graph.at(memory));
    return lower_bound(path, machine_message(graph, path, write, offset, bytes)).total();
  };
  BOOST_TEST(results.at(0).latency() == bound("pe0", false, 0, 32) + 14 * fs_per_ns);
  BOOST_TEST(results.at(1).latency() == bound("pe0", true, 0, 32));
  BOOST_TEST(results.at(2).latency() > bound("pe3", false, 4096, 65536));
  BOOST_TEST(results.at(3).latency() >= bound("pe3", true, 4096, 65536));
  BOOST_TEST(m.statistic(memory, "row_hits") > 1000U);
}

// The bottleneck report names what sets the rate of its data buses.
KERNBENCH_SYSTEMC_TEST(its_data_buses_are_a_resource_of_their_own) {
  TrafficMachine m("topology.tiny.yaml", {banked()});
  Resources resources;
  int buses = 0;
  for (const Statistic& busy :
       m.platform->component(m.platform->graph().at("sip0.cube0.hbm_ctrl.pe0")).statistics()) {
    if (!busy.is_busy_time()) continue;
    const Resource& resource = resources[resources.of_busy_time(Role::hbm_ctrl, busy)];
    BOOST_TEST(resource.name == "HBM data bus");
    BOOST_TEST(resource.key == "cube.components.hbm_ctrl.attrs.data_rate_gbps");
    ++buses;
  }
  BOOST_TEST(buses == 8);
}

BOOST_AUTO_TEST_CASE(a_configuration_that_no_memory_has_is_refused_with_its_place) {
  const auto check = [](const std::vector<Override>& overrides, const std::string& text) {
    const std::string found = refusal(overrides);
    BOOST_TEST(found.find(text) != std::string::npos, text << "\n" << found);
  };
  check({banked("t_ras_ns: 15")}, "cube.components.hbm_ctrl.attrs.t_ras_ns: found 15 ns, allowed");
  check({banked("mapping: RBCG")},
        "attrs.mapping: found 'RBCG' for a partition of 48 GiB / 8: bit "
        "P0 is missing: 0 bits of the pseudo-channel, needed are 3");
  check({banked("preset: HBM9")},
        "attrs.preset: found 'HBM9', allowed is one of HBM2, HBM2E, HBM3");
  check(
      by_channels("mapping: RBPCG"),
      "attrs.mapping: found 'RBPCG', allowed with hbm_mapping_mode one_to_one are the bits of the "
      "pseudo-channel (P) as the last ones");
  BOOST_TEST(refusal(by_channels("mapping: R B C G P3")) == "");
}

BOOST_AUTO_TEST_SUITE_END()
