// The limit that `run` and `traffic` name (spec 11.3), against runs of machines that have twice as
// much of each resource.
#include <boost/test/unit_test.hpp>

#include "tests/cli/doubled_machine.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(bottleneck_truth_test)

// Of runs of different kinds the resource named is, but for a few, that whose doubling gains most
// (ties within 5 %); where none gains a tenth the limit is latency.
BOOST_AUTO_TEST_CASE(the_limit_named_is_what_gains_most_when_doubled) {
  const auto bench = [](const std::string& name, const Words& parameters,
                        const Settings& settings = {}) {
    Run run{name, {"run", "--bench", name}, settings};
    for (const std::string& each : parameters) run.words.insert(run.words.end(), {"--param", each});
    return run;
  };
  const auto traffic = [](const Words& words) {
    Run run{"traffic " + words.front(), {"traffic", "--generate"}, {}};
    run.words.insert(run.words.end(), words.begin(), words.end());
    return run;
  };
  const std::string many = "sip0.cube*.pe*.pe_dma";
  const std::vector<Run> runs{
      gemm("256"),
      bench("layernorm", {"rows=512"}),
      bench("gemm-single-pe", {"M=256", "K=512", "N=256"},
            {{pe + "pe_gemm.attrs.macs_per_cycle", 1024}}),
      bench("gemm-single-pe", {"M=128", "K=256", "N=128", "compute=dot"}),
      bench("gemm-single-pe", {"M=256", "K=256", "N=256"}, {{pe + "pe_tcm.attrs.read_bw_gbs", 64}}),
      bench("softmax-rows", {}),
      bench("flash-attention", {}),
      bench("gqa-decode", {"tokens=4096"}),
      bench("int8-gemm", {}),
      bench("conv3x3", {}),
      bench("gpt3-qkv", {"tokens=128"}),
      bench("ccl-allreduce", {"n_elem=65536"}),
      bench("collectives", {"op=all_to_all", "min_bytes=262144", "max_bytes=262144"}),
      bench("gather-walk", {}),
      bench("layernorm-backward", {}),
      bench("split-k-gemm", {}),
      bench("mlp-fused", {}),
      bench("moe-routing", {}),
      bench("top-k", {}),
      bench("va-offset-verify", {}),
      bench("newton-until", {}),
      traffic({"hotspot", "--initiators", many, "--requests", "16", "--size", "1024"}),
      traffic({"closed-loop", "--targets", "sip0.cube5.hbm_ctrl*", "--requests", "64",
               "--max-outstanding", "4"}),
      traffic({"random", "--initiators", many, "--targets", "sip0.cube*.hbm_ctrl*", "--requests",
               "32", "--size", "1024"}),
      traffic({"stream", "--requests", "64"})};

  std::size_t right = 0;
  for (const Run& run : runs) {
    const Json told = bottleneck_of(run, run.settings);
    const double window = told.at("window_ns").get<double>();
    double most = 1, named = 1;
    std::string best;
    for (const Lever& lever : levers()) {
      if (run.is_traffic() && lever.keys.front().compare(0, 4, "ccl:") == 0) continue;
      const double gain = simulated_gain(run, lever, window);
      if (gain > most) most = gain, best = lever.resource;
      if (told.at("limit") == lever.resource) named = gain;
    }
    // Several are busy for most of the window, or none is: no doubling gains a tenth.
    const std::string limit = told.at("limit").get<std::string>();
    const bool is_one = limit != "latency" && limit.find(", ") == std::string::npos;
    const bool is_right = is_one ? named * 1.05 >= most : most < 1.1;
    right += is_right ? 1 : 0;
    if (!is_right)
      BOOST_TEST_MESSAGE(run.name << ": named " << told.at("limit") << ", which gains " << named
                                  << "; " << best << " gains " << most);
  }
  BOOST_TEST(right * 10 >= runs.size() * 9, right << " of " << runs.size());
}

BOOST_AUTO_TEST_SUITE_END()
