// Benches on a machine of which only the declared cubes are elaborated (spec 1.4): the same
// operations at the same times, and clear errors where the declaration is wrong.
#include "platform/assembly/elaborated_part.h"

#include <algorithm>

#include "sw/benches/bench_registry.h"
#include "tests/benches/verified_runs.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(elaborated_part_test)

namespace {

BenchRunOptions with_cubes(std::vector<CubeId> cubes) {
  BenchRunOptions options;
  options.topology = "topology.yaml";
  options.cubes = std::move(cubes);
  return options;
}

std::string op_log_of(const std::string& bench, const BenchRunOptions& options) {
  return forked_value([&] {
    const BenchOutcome outcome = run_bench(bench, {}, options);
    BOOST_TEST(outcome.error == "", bench << ": " << outcome.error);
    BOOST_TEST(outcome.failures == "", bench << ": " << outcome.failures);
    return std::to_string(outcome.ended) + '\n' + outcome.op_log;
  });
}

// Writes to cube 1 of another SIP.
void writes_elsewhere(Torch& torch) {
  torch.ahbm.set_device(1);
  torch.zeros({8, 8}, f16, DPPolicy::on_one_pe(), "x");
}

}  // namespace

// tests/cli/elaborate_test.cpp compares the reports of all benches with those of the whole machine:
// nothing for a bench that elaborates it as a whole.
BOOST_AUTO_TEST_CASE(benches_declare_a_part_of_the_default_machine) {
  ComponentRegistry components;
  register_builtin_components(components);
  const Graph graph = shipped_graph("topology.yaml", {}, components);
  BenchRegistry benches;
  register_benches(benches);
  std::vector<std::string> whole;
  for (const Bench& bench : benches.benches()) {
    const bool is_cut_over_sips =
        std::any_of(bench.parameters.begin(), bench.parameters.end(),
                    [](const Parameter& parameter) { return parameter.name() == "tp"; });
    const Attributes parameters =
        resolve_parameters(bench, is_cut_over_sips ? Parameters{{"tp", "1"}} : Parameters{});
    const MachineSpec& spec = graph.spec();
    if (bench.cubes == nullptr ||
        ElaboratedPart(graph,
                       bench.cubes({parameters, {0}, spec.system.sips.count, spec.sip.cubes()}))
            .is_whole())
      whole.push_back(bench.name);
  }
  BOOST_TEST(whole == (std::vector<std::string>{"ccl-allreduce", "collectives", "ipcq-pingpong",
                                                "pe-dma-perf", "tp-embedding", "tp-mlp"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(operations_do_not_depend_on_what_else_is_elaborated) {
  for (const char* bench : {"matmul-composite", "flash-attention"}) {
    const std::string all = op_log_of(bench, with_cubes({})),
                      part = op_log_of(bench, with_cubes({{0, 0}})),
                      more = op_log_of(bench, with_cubes({{0, 0}, {0, 7}, {1, 3}}));
    BOOST_TEST(count(all, "\n") > 5U);
    BOOST_TEST((part == all), bench);
    BOOST_TEST((more == all), bench);
  }
}

// The columns of its weights are cut over cubes: mappings go to all PEs of the SIP.
BOOST_AUTO_TEST_CASE(a_mapping_on_a_cube_that_is_not_declared_is_an_error_that_names_it) {
  const std::string failure = failure_of("qkv-gemm", {}, with_cubes({{0, 0}}));
  check_contains(failure, {"'sip0.cube1.", "has not been elaborated",
                           "the bench declares that it uses sip0.cube0; run with --elaborate all"});
}

BOOST_AUTO_TEST_CASE(a_launch_on_a_device_that_is_not_declared_is_an_error_that_names_it) {
  BenchRunOptions options = with_cubes({{0, 0}});
  options.devices = {1};
  check_contains(failure_of("matmul-composite", {}, options),
                 {"'sip1.io0.pcie_ep' has not been elaborated"});
}

BOOST_AUTO_TEST_CASE(a_transfer_to_a_device_that_is_not_declared_is_an_error_that_names_it) {
  const std::string error = forked_value([&] {
    return run_function(&writes_elsewhere, with_cubes({{0, 0}})).error;
  });
  check_contains(error, {"'sip1.io0.pcie_ep' has not been elaborated"});
}

BOOST_AUTO_TEST_CASE(a_ring_to_a_cube_that_is_not_declared_is_an_error_that_names_it) {
  check_contains(failure_of("ipcq-pingpong", {}, with_cubes({{0, 0}})),
                 {"has not been elaborated"});
}

BOOST_AUTO_TEST_CASE(a_measured_transfer_to_a_cube_that_is_not_declared_is_an_error) {
  check_contains(failure_of("pe-dma-perf", {{"scenario", "other_sip"}}, with_cubes({{0, 0}})),
                 {"has not been elaborated"});
}

BOOST_AUTO_TEST_SUITE_END()
