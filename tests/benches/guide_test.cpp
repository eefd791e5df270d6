// The example of sw/README.md, compiled exactly as it stands there (tests/support/cut_example.cmake), and what the guide says about
// it.
#include <fstream>

#include "sw/tl/recorder.h"
#include "tests/benches/verified_runs.h"

namespace kernbench::benches {
Bench scaled_add();  // of the guide
}

using namespace kernbench;
using kernbench::test::contains;
using kernbench::test::expect_right;
using kernbench::test::run_bench;

namespace {

std::string guide() {
  std::ifstream file(std::string(KERNBENCH_SOURCE_DIR) + "/sw/README.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_example_of_the_guide_runs_and_verifies_as_it_stands) {
  const Bench bench = benches::scaled_add();
  BenchRegistry registry;
  register_benches(registry);
  registry.add(bench);  // the name is free, the parameters have defaults
  expect_right(bench, {}, 64 * 256);
  expect_right(bench, {{"rows", "13"}, {"columns", "101"}}, 13 * 101);
}

BOOST_AUTO_TEST_CASE(what_the_guide_shows_of_the_example_is_what_the_program_prints) {
  // "  ok    tensor 'out' {64, 256} f16: 16384 elements agree": the extents of the example's defaults.
  const std::string text = guide();
  BOOST_TEST(contains(text, "tensor 'out' {64, 256} f16: 16384 elements agree"));
  const Attributes defaults = settle_parameters(benches::scaled_add(), {});
  BOOST_TEST(defaults.integer("rows") == 64);
  BOOST_TEST(defaults.integer("columns") == 256);
  kernbench::test::forked([] {
    // "row_wise over 8 PEs cuts axis 0 into 8 parts": what the guide says of too few rows.
    const auto outcome = run_bench(benches::scaled_add(), {{"rows", "7"}});
    BOOST_TEST(outcome.usage_error);
    const std::size_t at = guide().find(outcome.error);
    BOOST_TEST(at != std::string::npos, outcome.error << " is not in the guide");
  });
}

BOOST_AUTO_TEST_CASE(every_bench_is_in_the_table_of_the_readme) {
  std::ifstream file(std::string(KERNBENCH_SOURCE_DIR) + "/README.md");
  const std::string readme{std::istreambuf_iterator<char>(file), {}};
  BenchRegistry registry;
  register_benches(registry);
  for (const Bench& bench : registry.benches()) BOOST_TEST(contains(readme, "\n| `" + bench.name + "` | "), bench.name);
}
