// One tensor for the parts of all ranks, in place of a list (spec 7): all_gather_into_tensor,
// reduce_scatter_tensor, all_to_all_single, with every placement that fits.
#include "tests/distributed/small_tensors.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(one_tensor)

namespace {

// Values that say which rank and element they are of.
Values numbered(std::int64_t elements, double first) {
  Values all;
  for (std::int64_t i = 0; i < elements; ++i) all.push_back(first + static_cast<double>(i));
  return all;
}

Values joined(const std::vector<Values>& lists) {
  Values all;
  for (const Values& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

// Each call once.
void call_on_tensors_of_all_ranks(const DPPolicy& policy, const char* address_model) {
  std::vector<Override> overrides = sips("ring_1d", 3, 1, 2, 1);
  overrides.push_back({"cube.memory_map.address_model", std::string(address_model)});
  TorchMachine m("topology.tiny.yaml", overrides);
  m.run([&](Torch& torch) {
    on_ranks(torch, {}, [&](int rank) {
      Distributed& dist = torch.distributed;
      const std::int64_t n = 5 * 8;
      const Values mine = numbered(n, 100 * rank);
      const Tensor in = made(torch, {5, 8}, f32, mine, policy),
                   concat = torch.zeros({15, 8}, f32, policy, "concat");
      dist.all_gather_into_tensor(concat, in);
      expect(torch, concat, joined({numbered(n, 0), numbered(n, 100), numbered(n, 200)}));

      const Tensor all = made(torch, {15, 8}, f32, numbered(3 * n, 10 * rank), policy),
                   part = torch.zeros({5, 8}, f32, policy, "part");
      dist.reduce_scatter_tensor(part, all);
      Values sum = numbered(n, 0);
      for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] = 30 + 3 * (static_cast<double>(i) + static_cast<double>(n) * rank);
      expect(torch, part, sum);
      expect(torch, all, numbered(3 * n, 10 * rank));

      const Tensor to = torch.zeros({15, 8}, f32, policy, "to"),
                   from = made(torch, {15, 8}, f32, numbered(3 * n, 1000 * rank), policy);
      dist.all_to_all_single(to, from);
      const double at = static_cast<double>(n) * rank;
      expect(torch, to, joined({numbered(n, at), numbered(n, 1000 + at), numbered(n, 2000 + at)}));
    });
  });
  BOOST_TEST(m.failures() == "",
             policy.str() << ", address model " << address_model << ": " << m.failures());
}

}  // namespace

// One PE, copies, rows and columns, over cubes, PEs and both. Of rows a PE reaches shards of
// others, so that the launch has to list all of the tensor.
BOOST_AUTO_TEST_CASE(tensors_of_all_ranks_with_every_placement) {
  const Placement copies = Placement::replicate, rows = Placement::row_wise,
                  columns = Placement::column_wise;
  for (const DPPolicy& policy :
       {one_pe, DPPolicy{copies, copies, 2, 2}, DPPolicy{copies, rows, 1, 4},
        DPPolicy{rows, rows, 2, 2}, DPPolicy{rows, copies, 2, 2}, DPPolicy{copies, rows, 2, 2},
        DPPolicy{copies, columns, 1, 3}, DPPolicy{columns, columns, 2, 2}}) {
    for (const char* address_model : {"va", "la", "pa"})
      forked([&] { call_on_tensors_of_all_ranks(policy, address_model); });
  }
}

// With an axis for the rank in front, the axis behind it may be cut as in the parts.
KERNBENCH_SYSTEMC_TEST(stacked_parts_may_be_cut_behind_the_axis_of_the_rank) {
  on_a_ring(2, [](Torch& torch, int rank) {
    const DPPolicy rows{Placement::replicate, Placement::row_wise, 1, 4},
        behind{Placement::replicate, Placement::cut(1), 1, 4};
    const Tensor in = made(torch, {6, 2}, f32, numbered(12, 100 * rank), rows),
                 stack = torch.zeros({2, 6, 2}, f32, behind, "stack"),
                 back = torch.zeros({6, 2}, f32, rows, "back");
    torch.distributed.all_gather_into_tensor(stack, in);
    expect(torch, stack, joined({numbered(12, 0), numbered(12, 100)}));
    torch.distributed.reduce_scatter_tensor(back, stack, ReduceOp::max);
    expect(torch, back, numbered(12, 100 * rank));
  });
}

BOOST_AUTO_TEST_CASE(tensors_of_all_ranks_that_do_not_fit) {
  refused({"all_gather_into_tensor: tensor 't' f16{9} has the parts of 3 ranks, tensor 't' f16{4} "
           "is one of them; f16{12} or f16{3, 4} has all of them"},
          [](Torch& torch, int) {
            torch.distributed.all_gather_into_tensor(some(torch, 9), some(torch, 4));
          });
  refused({"reduce_scatter_tensor: tensor 't' f16{3, 5} has the parts of 3 ranks, tensor 't' "
           "f16{4} is one of them; f16{12} or f16{3, 4} has all of them"},
          [](Torch& torch, int) {
            torch.distributed.reduce_scatter_tensor(some(torch, 4),
                                                    torch.zeros({3, 5}, f16, one_pe, "t"));
          });
  refused({"all_to_all_single: tensor 't' f16{8} is cut along axis 0 into a part for each of 3 "
           "ranks, and 8 is no multiple of that"},
          [](Torch& torch, int) {
            torch.distributed.all_to_all_single(some(torch, 8), some(torch, 8));
          });
  refused({"all_gather_into_tensor: no PE has its part of tensor 't' f16{4, 4} (1 shard of 16 "
           "elements on pe 0 of cube 0) in its own part of tensor 'out' f16{12, 4} ("},
          [](Torch& torch, int) {
            const DPPolicy columns{Placement::replicate, Placement::column_wise, 1, 2};
            torch.distributed.all_gather_into_tensor(torch.zeros({12, 4}, f16, columns, "out"),
                                                     torch.zeros({4, 4}, f16, one_pe, "t"));
          });
}

BOOST_AUTO_TEST_SUITE_END()
