// One kernel on a MockRuntime and on the machine: the same bits.
#include <cmath>

#include "models/data/elements.h"
#include "sw/collectives/shipped_graphs.h"
#include "sw/mock/mock_runtime.h"
#include "tests/support/torch_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(mock_and_machine)

namespace {

using Values = std::vector<double>;

constexpr int pes = 8;
constexpr std::int64_t n = 16;

// Products, functions and sums that round, and messages round a ring.
void mixed(tl::Program& tl, tl::Tensor x, tl::Tensor out, int ranks) {
  const tl::Handle own = tl.load(x.local(), {n, n}, x.dtype());
  const tl::Handle came_first = tl.dot(own, tl.exp(own));
  tl::Handle came = came_first, sum = came_first;
  for (int round = 1; round < ranks; ++round) {
    tl.send("E", came);
    came = tl.recv("W", {n, n}, x.dtype());
    sum = sum + came;
  }
  tl.store(out.local(), tl.softmax(sum / 3.0F, 1));
}

// Elements of rank r, which every sum and product rounds.
Values values_of(int rank) {
  Values values;
  for (int i = 0; i < n * n; ++i)
    values.push_back(rounded_to(DType::f16, std::sin(0.37 * i + 1.1 * rank)));
  return values;
}

std::vector<Values> on_mock() {
  MockSetup setup;
  setup.pes = pes;
  MockRuntime mock(setup);
  mock.connect(graphs::intra_pe_ring(0, 0, pes));
  const tl::TensorInfoPtr x = mock.tensor("x", {n, n}, DType::f16);
  const tl::TensorInfoPtr out = mock.tensor("out", {n, n}, DType::f16);
  for (int rank = 0; rank < pes; ++rank) mock.write(x, rank, values_of(rank));
  mock.run(mixed, x, out, pes);
  std::vector<Values> results;
  for (int rank = 0; rank < pes; ++rank) results.push_back(mock.read(out, rank));
  return results;
}

std::vector<Values> on_machine() {
  TorchMachine m("topology.tiny.yaml");
  std::vector<Shard> shards;
  m.run([&](Torch& torch) {
    const DPPolicy rows{Placement::replicate, Placement::row_wise, 1, pes};
    Values all;
    for (int rank = 0; rank < pes; ++rank) {
      const Values mine = values_of(rank);
      all.insert(all.end(), mine.begin(), mine.end());
    }
    const Tensor x = torch.from_host(HostArray({pes * n, n}, DType::f16, all), rows, "x");
    const Tensor out = torch.zeros({pes * n, n}, DType::f16, rows, "out");
    torch.ipcq.install(graphs::intra_pe_ring(0, 0, pes));
    torch.launch("mixed", mixed, x, out, pes);
    for (const Shard& shard : out.shards()) shards.push_back(shard);
  });
  DataExecutor executor(m.data, 2);
  executor.run();
  std::vector<Values> results;
  for (const Shard& shard : shards) {
    const std::vector<std::byte> bytes = executor.read(shard.pa, shard.nbytes);
    results.emplace_back();
    for (std::size_t at = 0; at < bytes.size(); at += 2)
      results.back().push_back(read_element(bytes.data() + at, DType::f16));
  }
  return results;
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(values_are_those_of_the_machine) {
  const std::vector<Values> mock = on_mock(), machine = on_machine();
  BOOST_REQUIRE(machine.size() == mock.size());
  for (std::size_t rank = 0; rank < mock.size(); ++rank)
    BOOST_TEST(mock[rank] == machine[rank], boost::test_tools::per_element());
  // Each rank has added in an order of its own.
  BOOST_TEST((mock[0] != mock[1]));
}

BOOST_AUTO_TEST_SUITE_END()
