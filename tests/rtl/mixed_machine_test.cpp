// One engine in RTL among seven transaction-level ones: products of eight PEs, and the all-reduce
// of them.
#include "tests/support/torch_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(mixed_machine_test)

namespace {

constexpr int ranks = 8;
constexpr std::int64_t m = 12, k = 20, n = 10;

double a_of(int rank, std::int64_t i) { return static_cast<double>((i * 7 + rank) % 5 - 2); }
double b_of(int rank, std::int64_t i) { return static_cast<double>((i * 3 + 2 * rank) % 5 - 2); }

std::vector<double> filled(double (*value)(int, std::int64_t), int rank, std::int64_t count) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(value(rank, i));
  return values;
}

std::vector<double> sum_of_products() {
  std::vector<double> sums(static_cast<std::size_t>(m * n));
  for (int rank = 0; rank < ranks; ++rank)
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t t = 0; t < k; ++t)
        for (std::int64_t j = 0; j < n; ++j)
          sums[static_cast<std::size_t>(i * n + j)] +=
              a_of(rank, i * k + t) * b_of(rank, t * n + j);
  return sums;
}

void product(tl::Program& tl, tl::Tensor a, tl::Tensor b, tl::Tensor out) {
  const tl::Handle left = tl.load(a, {m, k}, DType::f16), right = tl.load(b, {k, n}, DType::f16);
  tl.store(out, tl.dot(left, right, DType::f16));
}

struct Run {
  std::string failures;
  Fs time = 0;
  std::uint64_t rtl_stages = 0, other_stages = 0;
};

Run run_on(const std::vector<Override>& overrides) {
  TorchMachine machine("topology.tiny.yaml", overrides);
  Run run;
  run.time = machine.run([&](Torch& torch) {
    ranks_are_pes(*machine.distributed, "ring_allreduce", ranks);
    on_ranks(torch, {}, ranks, [&](int rank) {
      const DPPolicy here = DPPolicy::on_one_pe();
      const Tensor a = torch.from_host(HostArray({m, k}, DType::f16, filled(a_of, rank, m * k)),
                                       here, "a"),
                   b = torch.from_host(HostArray({k, n}, DType::f16, filled(b_of, rank, k * n)),
                                       here, "b"),
                   out = torch.full({m, n}, 0, DType::f16, here, "out");
      torch.launch(LaunchSpec("product").on_pe(rank), product, a, b, out);
      torch.distributed.all_reduce(out, ReduceOp::sum);
      torch.verify(out, [] { return sum_of_products(); });
    });
  });
  run.failures = machine.failures();
  for (int pe = 0; pe < ranks; ++pe) {
    const std::uint64_t served =
        machine.statistic(PeId{0, 0, pe}, PeEngine::pe_gemm, "gemm_served");
    (pe == 3 ? run.rtl_stages : run.other_stages) += served;
  }
  return run;
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(one_engine_in_rtl_among_eight_and_a_collective) {
  const Run run = run_on({{"sip0.cube0.pe3.pe_gemm.impl", "rtl.pe_gemm"}});
  BOOST_TEST(run.failures == "");
  BOOST_TEST(run.rtl_stages == 1U);
  BOOST_TEST(run.other_stages == 7U);
}

BOOST_AUTO_TEST_SUITE_END()
