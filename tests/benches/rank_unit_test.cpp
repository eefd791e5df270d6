// Benches whose ranks are PEs (rank_unit: pe), with any number of them.
#include "tests/benches/verified_runs.h"
#include "tests/support/bench_runner.h"
#include "tests/support/error_text.h"
#include "tests/support/every_case.h"
#include "tests/support/forked.h"
#include "tests/support/torch_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(rank_unit)

namespace {

// Those that spawn ranks.
std::vector<std::string> benches_of_ranks() {
  BenchRegistry benches;
  register_benches(benches);
  std::vector<std::string> names;
  for (const Bench& bench : benches.benches()) {
    if (!bench.per_device) names.push_back(bench.name);
  }
  return names;
}

// On two SIPs of 8 PEs each; all that is verified is right.
void expect_right_on_pes(const std::string& bench, int world_size,
                         const std::vector<GivenParameter>& parameters = {}) {
  forked([&] {
    BenchRunOptions options;
    options.overrides = sips("ring_1d", 2);
    options.ccl.defaults.set("rank_unit", std::string("pe"));
    options.ccl.defaults.set("world_size", Rational(world_size));
    const BenchOutcome outcome = run_bench(bench, parameters, options);
    const std::string what = bench + " on " + std::to_string(world_size) + " PEs: ";
    BOOST_TEST(outcome.status == "completed", what << outcome.error);
    BOOST_TEST(outcome.failures == "", what << outcome.failures);
    if (bench != "ipcq-pingpong") BOOST_TEST(outcome.verified > 0U, what << "nothing verified");
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(benches_of_ranks_run_on_any_number_of_pes) {
  const std::vector<std::string> names = benches_of_ranks();
  BOOST_TEST(names == (std::vector<std::string>{"ccl-allreduce", "collectives", "ipcq-pingpong",
                                                "llama-layer", "llm-serve", "pe-dma-perf",
                                                "tp-embedding", "tp-mlp"}),
             boost::test_tools::per_element());
  for (const std::string& bench : names) {
    if (bench == "llama-layer" || bench == "llm-serve") continue;  // below
    // All numbers of ranks divide 240.
    std::vector<GivenParameter> parameters;
    if (bench == "tp-mlp") parameters = {{"hidden", "240"}};
    for (const int world_size : every_or({1, 5}, {1, 3, 5, 16}))
      expect_right_on_pes(bench, world_size, parameters);
  }
}

BOOST_AUTO_TEST_CASE(a_layer_over_pes_is_refused) {
  BenchRunOptions options;
  options.ccl.defaults.set("rank_unit", std::string("pe"));
  for (const char* bench : {"llama-layer", "llm-serve"})
    check_contains(failure_of(bench, {}, options), {bench, "rank_unit is pe, expected sip"});
}

BOOST_AUTO_TEST_CASE(every_reduction_of_integers_on_pes) {
  for (const char* redop : {"prod", "band", "bor", "bxor"})
    expect_right_on_pes("collectives", 5,
                        {{"redop", redop}, {"dtype", "i32"}, {"max_bytes", "1024"}});
}

BOOST_AUTO_TEST_SUITE_END()
