// Benches, and kernels of the guide that send messages, on whatever device `--device` chooses.
#include "sw/collectives/shipped_graphs.h"
#include "tests/benches/guide_benches.h"
#include "tests/benches/verified_runs.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(devices_test)

namespace {

BenchRunOptions two_sips(std::vector<int> devices) {
  BenchRunOptions options;
  options.overrides.push_back({std::string("system.sips.count"), std::string("2")});
  options.devices = std::move(devices);
  return options;
}

// Every PE sends its row to the next one, as the guide shows it; the second installation replaces
// the first.
void pass_on(Torch& torch) {
  const DPPolicy rows{Placement::replicate, Placement::row_wise, 1, 8};
  const HostArray x = torch.random({8, 16}, f16);
  const Tensor from = torch.from_host(x, rows, "from"), to = torch.zeros({8, 16}, f16, rows, "to");
  for (int round = 0; round < 2; ++round) {
    torch.ipcq.install(graphs::intra_pe_ring(this_device, 0, 8));
    torch.launch(
        "pass_on",
        [](tl::Program& tl, tl::Tensor from, tl::Tensor to) {
          tl.send("E", tl.load(from.local(), from.local_shape(), f16));
          tl.store(to.local(), tl.recv("W", to.local_shape(), f16));
        },
        from, to);
  }
  torch.verify(to, [x] {
    std::vector<double> expected = x.values();
    std::rotate(expected.begin(), expected.end() - 16, expected.end());
    return expected;
  });
}

void check_pass_on(const std::vector<int>& devices) {
  forked([&] {
    const BenchOutcome outcome = run_function(&pass_on, two_sips(devices));
    BOOST_TEST(outcome.status == "completed", outcome.error);
    BOOST_TEST(outcome.failures == "");
    BOOST_TEST(outcome.verified == 128 * devices.size());
  });
}

// Short ones of those that take long.
Parameters small(const std::string& bench) {
  if (bench == "ipcq-pingpong") return {{"max_bytes", "4096"}};
  if (bench == "collectives") return {{"max_bytes", "1024"}};
  return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_bench_is_right_on_another_device_than_the_first) {
  BenchRegistry registry;
  register_benches(registry);
  benches::register_scaled_add(registry);
  benches::register_heads_rms(registry);
  BOOST_TEST(registry.benches().size() > 10U);
  for (const Bench& bench : registry.benches()) {
    forked([&] {
      BenchRunOptions options = two_sips({1});
      options.data = std::max(bench.needs_data, DataMode::deferred);
      const BenchOutcome outcome = run_bench(bench, small(bench.name), options);
      BOOST_TEST(outcome.status == "completed", bench.name << ": " << outcome.error);
      BOOST_TEST(outcome.failures == "", bench.name << ": " << outcome.failures);
      BOOST_TEST(outcome.verified > 0U, bench.name);
    });
  }
}

BOOST_AUTO_TEST_CASE(rings_of_this_device_are_those_of_the_device_that_installs_them) {
  check_pass_on({0});
  check_pass_on({1});
}

// Each copy installs twice while the other one has messages in flight.
BOOST_AUTO_TEST_CASE(copies_of_a_program_on_several_devices_have_rings_of_their_own) {
  check_pass_on({0, 1});
}

BOOST_AUTO_TEST_CASE(benches_with_rings_run_on_several_devices_side_by_side) {
  const BenchRunOptions both = two_sips({0, 1});
  expect_right("gqa-decode", {{"tokens", "97"}}, 2 * 4 * 8 * 64, both);
  for (const char* form : {"blocks", "atomics"})
    expect_right("split-k-gemm", {{"form", form}}, 2 * 32 * 128, both);
}

BOOST_AUTO_TEST_SUITE_END()
