// Accesses of one instant on a whole machine: the PEs' names order them, not the simulation
// kernel's processes (spec 2.3, 9).
#include "tests/benches/verified_runs.h"

using namespace kernbench;
using kernbench::test::BenchOutcome;
using kernbench::test::BenchRunOptions;
using kernbench::test::forked;
using kernbench::test::run_bench;

BOOST_AUTO_TEST_SUITE(same_instant_test)

namespace {

// In one piece, and mapped on all PEs of the cube.
const DPPolicy in_memory_of_pe0{Placement::replicate, Placement::row_wise, 1, 1};

Bench bench_of(void (*run)(Torch&)) { return {"test-bench", "for a test", {}, run}; }

// All kernels of a launch start at the same simulated time, so that their first accesses are of one
// instant.
void all_store_to_one_cell(Torch& torch) {
  const Tensor cell = torch.zeros({1}, i32, in_memory_of_pe0, "cell");
  torch.launch(
      LaunchSpec("everybody").on_pes({0, 1, 2, 3, 4, 5, 6, 7}),
      [](tl::Program& tl, tl::Ptr cell) { tl.store(cell, tl.full({1}, tl.program_id(0), i32)); },
      cell);
  torch.verify(cell, [] { return std::vector<double>{7}; });  // the last name
}

// Even PEs store, odd ones load: PE 2k + 1 sees what PE 2k has stored.
void neighbours_store_and_load(Torch& torch) {
  const Tensor cell = torch.zeros({1}, i32, in_memory_of_pe0, "cell"),
               seen = torch.zeros({8}, i32, in_memory_of_pe0, "seen");
  torch.launch(
      LaunchSpec("neighbours").on_pes({0, 1, 2, 3, 4, 5, 6, 7}),
      [](tl::Program& tl, tl::Ptr cell, tl::Ptr seen) {
        const int pe = tl.program_id(0);
        if (pe % 2 == 0) {
          tl.store(cell, tl.full({1}, pe + 1, i32));
        } else {
          tl.store(seen + pe * 4, tl.load(cell, {1}, i32));
        }
      },
      cell, seen);
  torch.verify(seen, [] { return std::vector<double>{0, 1, 0, 3, 0, 5, 0, 7}; });
}

}  // namespace

BOOST_AUTO_TEST_CASE(of_the_stores_of_one_instant_that_of_the_last_name_remains) {
  for (const DataMode mode : {DataMode::deferred, DataMode::eager}) {
    forked([mode] {
      BenchRunOptions options;
      options.data = mode;
      options.check_races = false;  // they race
      const BenchOutcome outcome = run_bench(bench_of(&all_store_to_one_cell), {}, options);
      BOOST_TEST(outcome.status == "completed", outcome.error);
      BOOST_TEST(outcome.failures == "");
      BOOST_TEST(outcome.data_races == 28U);  // every pair of 8 PEs
    });
  }
}

BOOST_AUTO_TEST_CASE(a_load_sees_the_stores_of_the_names_before_it) {
  for (const DataMode mode : {DataMode::deferred, DataMode::eager}) {
    forked([mode] {
      BenchRunOptions options;
      options.data = mode;
      options.check_races = false;  // they race
      const BenchOutcome outcome = run_bench(bench_of(&neighbours_store_and_load), {}, options);
      BOOST_TEST(outcome.status == "completed", outcome.error);
      BOOST_TEST(outcome.failures == "");
      BOOST_TEST(outcome.data_races == 22U);  // 6 pairs of stores, 4 x 4 of a store and a load
    });
  }
}

BOOST_AUTO_TEST_CASE(shipped_benches_have_no_races) {
  for (const char* bench : {"matmul-composite", "softmax-rows", "mlp-fused", "va-offset-verify"}) {
    forked([bench] { BOOST_TEST(run_bench(bench, {}).data_races == 0U, bench); });
  }
}

BOOST_AUTO_TEST_SUITE_END()
