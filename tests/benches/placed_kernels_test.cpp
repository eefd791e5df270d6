// Kernels and collectives on tensors that are cut along any axis: local shapes, starts and values.
#include "tests/benches/verified_runs.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(placed_kernels_test)

namespace {

constexpr auto replicate = Placement::replicate;

// Adds to each element the index of its block along every axis, in its decimal digits.
void add_start(tl::Program& tl, tl::Tensor x, tl::Tensor out) {
  float number = 0;
  for (const std::int64_t start : out.local_start())
    number = 10 * number + static_cast<float>(start);
  tl.store(out.local(), tl.load(x.local(), x.local_shape(), f32) + number);
}

// Of every element, what add_start gives it: the begin of its part along each axis.
std::vector<double> expected_of(const Tensor& out) {
  const Shape& shape = out.shape();
  std::vector<double> expected(static_cast<std::size_t>(shape.elements()));
  for (const tl::Block& block : out.info()->blocks) {
    double number = 0;
    for (const std::int64_t start : block.start) number = 10 * number + static_cast<double>(start);
    for (std::int64_t at = 0; at < shape.elements(); ++at) {
      std::int64_t rest = at;
      bool inside = true;
      for (std::size_t axis = shape.rank(); axis-- > 0;) {
        const std::int64_t index = rest % shape[axis];
        rest /= shape[axis];
        inside =
            inside && index >= block.start[axis] && index < block.start[axis] + block.shape[axis];
      }
      if (inside) expected[static_cast<std::size_t>(at)] = static_cast<double>(at) + number;
    }
  }
  return expected;
}

HostArray counted(const Shape& shape) {
  std::vector<double> values(static_cast<std::size_t>(shape.elements()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  return {shape, f32, values};
}

void run_placed(Torch& torch) {
  struct Case {
    Shape shape;
    DPPolicy policy;
  };
  const std::vector<Case> cases{
      {{9}, {replicate, Placement::cut(0), 1, 8}},
      {{3, 5, 7}, {replicate, Placement::cut(1), 2, 4}},
      {{3, 9, 7}, {Placement::cut(2), Placement::cut(1), 3, 8}},
      {{4, 5, 6, 3}, {Placement::cut(-2), Placement::tiled_by_rows(0, -1), 2, 4}},
      {{2, 3, 2, 9, 2}, {Placement::cut(1), Placement::cut(3), 3, 8}},
      {{6, 4, 8}, {Placement::cut(0), Placement::tiled_by_columns(2, 1), 2, 8}}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& [shape, policy] = cases[i];
    const std::string number = std::to_string(i);
    const Tensor x = torch.from_host(counted(shape), policy, "x" + number),
                 out = torch.empty(shape, f32, policy, "out" + number);
    LaunchSpec spec("add_start");
    std::vector<int> pes;
    for (int pe = 0; pe < *policy.num_pes; ++pe) pes.push_back(pe);
    torch.launch(spec.on_pes(pes), add_start, x, out);
    torch.verify(out, [expected = expected_of(out)] { return expected; });
  }
}

// On each of two SIPs a tensor cut along its second axis.
void run_collectives(Torch& torch) {
  torch.multiprocessing.spawn(
      [&torch](int rank) {
        torch.ahbm.set_device(rank);
        Distributed& dist = torch.distributed;
        dist.init_process_group("ahbm", CclChanges{{"algorithm", "ring_allreduce"}});
        const DPPolicy policy{replicate, Placement::cut(1), 1, 4};
        const Shape shape{3, 6, 5};
        HostArray mine = counted(shape);
        const Tensor all = torch.from_host(mine, policy, "all"),
                     first = torch.full(shape, rank + 1, f32, policy, "first");
        dist.all_reduce(all, ReduceOp::sum);
        dist.broadcast(first, 1);
        torch.verify(all, [mine] {
          std::vector<double> twice = mine.values();
          for (double& value : twice) value *= 2;
          return twice;
        });
        torch.verify(first, [] { return std::vector<double>(90, 2); });
      },
      2);
}

}  // namespace

BOOST_AUTO_TEST_CASE(kernels_find_their_block_whatever_axes_are_cut) {
  for (const char* model : {"va", "la", "pa"}) {
    forked([&] {
      BenchRunOptions options;
      options.topology = "topology.yaml";
      options.overrides.push_back(
          {std::string("cube.memory_map.address_model"), std::string(model)});
      const BenchOutcome outcome = run_function(&run_placed, options);
      BOOST_TEST(outcome.status == "completed", outcome.error);
      BOOST_TEST(outcome.failures == "");
      BOOST_TEST(outcome.verified == 9U + 2 * 105 + 189 + 360 + 216 + 192);  // copies, too
    });
  }
}

BOOST_AUTO_TEST_CASE(collectives_take_tensors_that_are_cut_along_any_axis) {
  forked([] {
    BenchRunOptions options;
    options.overrides.push_back({std::string("system.sips.count"), std::string("2")});
    const BenchOutcome outcome = run_function(&run_collectives, options);
    BOOST_TEST(outcome.status == "completed", outcome.error);
    BOOST_TEST(outcome.failures == "");
    BOOST_TEST(outcome.verified == 4 * 90U);
  });
}

BOOST_AUTO_TEST_SUITE_END()
