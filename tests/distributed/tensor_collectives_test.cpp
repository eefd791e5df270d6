// Collectives of one tensor for the parts of all ranks, of several tensors, and of integers.
#include "tests/distributed/ranks.h"

using namespace kernbench;
using namespace kernbench::test;

// One tensor for the parts of all ranks, instead of a list (spec 7): all_gather_into_tensor,
// reduce_scatter_tensor, all_to_all_single, with every placement that fits.
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
           "ranks, and 8 is not a multiple of that"},
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

// Collectives of several tensors by one launch (spec 7).
BOOST_AUTO_TEST_SUITE(coalesced)

// The values are those of one call for each tensor.
KERNBENCH_SYSTEMC_TEST(coalesced_collectives_have_the_values_of_single_ones) {
  on_a_ring(3, [](Torch& torch, int rank) {
    Distributed& dist = torch.distributed;
    const double own = rank + 1;  // the sum is 6
    const std::vector<Tensor> tensors{
        vector_of(torch, Values(8, own)), vector_of(torch, Values(5000, 2 * own)),
        torch.zeros({0}, f32, one_pe), vector_of(torch, Values(1, -own))};
    const Work work = dist.all_reduce_coalesced(tensors);
    BOOST_TEST(work.nbytes() == 4 * 5009U);
    expect(torch, tensors[0], Values(8, 6));
    expect(torch, tensors[1], Values(5000, 12));
    expect(torch, tensors[3], Values(1, -6));

    const std::vector<Tensor> wide{torch.zeros({6}, f32, one_pe), torch.zeros({3, 2}, f32, one_pe)},
        parts{vector_of(torch, {own, 10 * own}), vector_of(torch, {-own, 0})};
    dist.all_gather_into_tensor_coalesced(wide, parts);
    expect(torch, wide[0], {1, 10, 2, 20, 3, 30});
    expect(torch, wide[1], {-1, 0, -2, 0, -3, 0});
    dist.reduce_scatter_tensor_coalesced(parts, wide, "max");
    expect(torch, parts[0], {own, 10 * own});
    expect(torch, parts[1], {-own, 0});
  });
}

// Each of the single launches waits until every PE has answered the one before.
KERNBENCH_SYSTEMC_TEST(coalesced_collectives_save_the_time_between_launches) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2));
  Fs one_launch = 0, four_launches = 0;
  m.run([&](Torch& torch) {
    on_ranks(torch, {{"algorithm", "ring_allreduce"}}, [&](int rank) {
      std::vector<Tensor> tensors;
      for (int i = 0; i < 4; ++i) tensors.push_back(vector_of(torch, Values(64, 1)));
      torch.distributed.all_reduce(tensors[0]);  // its rings are there from here on
      const auto timed = [&](const std::function<void()>& body) {
        torch.distributed.barrier();
        const Fs begun = torch.now();
        body();
        torch.wait_all();
        torch.distributed.barrier();
        return torch.now() - begun;
      };
      const Fs one = timed([&] { torch.distributed.all_reduce_coalesced(tensors); });
      const Fs four = timed([&] {
        for (const Tensor& tensor : tensors)
          torch.distributed.all_reduce(tensor, ReduceOp::sum, true);
      });
      if (rank == 0) one_launch = one, four_launches = four;
    });
  });
  BOOST_TEST(one_launch < four_launches);
}

BOOST_AUTO_TEST_CASE(coalesced_tensors_that_do_not_fit) {
  refused({"all_reduce_coalesced: no tensors"},
          [](Torch& torch, int) { torch.distributed.all_reduce_coalesced({}); });
  refused({"all_gather_into_tensor_coalesced: 2 inputs and 1 outputs"}, [](Torch& torch, int) {
    torch.distributed.all_gather_into_tensor_coalesced({some(torch)}, {some(torch), some(torch)});
  });
  const std::string dtypes =
      "all_reduce_coalesced: tensor 'b' has elements of f32, tensor 'a' of f16";
  refused({dtypes}, [](Torch& torch, int) {
    torch.distributed.all_reduce_coalesced({some(torch, 8, f16, "a"), some(torch, 8, f32, "b")});
  });
  refused({"all_reduce_coalesced: tensor 'b' has 2 shards of 4 elements", "tensor 'a' 1 shard",
           "coalesced tensors are on the same PEs"},
          [](Torch& torch, int) {
            torch.distributed.all_reduce_coalesced(
                {some(torch, 8, f16, "a"),
                 torch.zeros({8}, f16, {Placement::replicate, Placement::row_wise, 1, 2}, "b")});
          });
  refused({"all_reduce_coalesced: tensor 'a' is written by one of the coalesced collectives and "
           "used by another"},
          [](Torch& torch, int) {
            const Tensor a = some(torch, 8, f16, "a");
            torch.distributed.all_reduce_coalesced({a, some(torch), a});
          });
}

BOOST_AUTO_TEST_SUITE_END()

// Reductions of integers: bit by bit, and products.
BOOST_AUTO_TEST_SUITE(integer_reductions)

KERNBENCH_SYSTEMC_TEST(bitwise_reductions_and_products_of_integers) {
  for (const char* algorithm :
       {"lrab_hierarchical_allreduce", "ring_allreduce", "tree_allreduce"}) {
    forked([&] {
      on_a_ring(3,
                [](Torch& torch, int rank) {
                  const auto of = [](int r, int i) {
                    return (r * 0x5a3f + i * 0x1234567) ^ -(r & 1);
                  };
                  Values mine;
                  for (int i = 0; i < 100; ++i) mine.push_back(of(rank, i));
                  const auto check = [&](ReduceOp op, const std::function<int(int, int)>& combine) {
                    Values expected;
                    for (int i = 0; i < 100; ++i)
                      expected.push_back(combine(combine(of(0, i), of(1, i)), of(2, i)));
                    const Tensor t = vector_of(torch, mine, i32), u = vector_of(torch, mine, i32);
                    torch.distributed.all_reduce(t, op);
                    expect(torch, t, expected);
                    torch.distributed.reduce(u, 1, op);
                    expect(torch, u, rank == 1 ? expected : mine);
                  };
                  check(ReduceOp::band, [](int a, int b) { return a & b; });
                  check(ReduceOp::bor, [](int a, int b) { return a | b; });
                  check(ReduceOp::bxor, [](int a, int b) { return a ^ b; });
                  const Tensor product = vector_of(torch, {1.0 + rank, -2, 0}, i32);
                  torch.distributed.all_reduce(product, "prod");
                  expect(torch, product, {6, -8, 0});
                },
                {{"algorithm", algorithm}});
    });
  }
}

// Sums have 8 bits in every addition, as NCCL's: (100 + 50 + 7) mod 256 is -99, a third of it -33.
KERNBENCH_SYSTEMC_TEST(collectives_of_i8) {
  on_a_ring(3, [](Torch& torch, int rank) {
    Distributed& dist = torch.distributed;
    const Values mine{Values{100, 50, 7}[static_cast<std::size_t>(rank)], -1.0 - rank};
    const auto reduced = [&](const char* op) {
      const Tensor t = vector_of(torch, mine, i8);
      dist.all_reduce(t, op);
      return t;
    };
    expect(torch, reduced("sum"), {-99, -6});
    expect(torch, reduced("avg"), {-33, -2});
    expect(torch, reduced("max"), {100, -1});
    expect(torch, reduced("band"), {100 & 50 & 7, -1 & -2 & -3});
    const Tensor all = vector_of(torch, Values(6), i8);
    dist.all_gather_into_tensor(all, vector_of(torch, mine, i8));
    expect(torch, all, {100, -1, 50, -2, 7, -3});
    const Tensor message = vector_of(torch, mine, i8);
    if (rank == 0) dist.send(message, 2);
    if (rank == 2) dist.recv(message, 0);
    expect(torch, message, rank == 2 ? Values{100, -1} : mine);
  });
}

BOOST_AUTO_TEST_CASE(bitwise_reductions_are_of_integers) {
  for (const char* op : {"band", "bor", "bxor"}) {
    refused({std::string("all_reduce: ") + op +
             " of f16; bitwise reductions are of integers, i32 and i8"},
            [op](Torch& torch, int) { torch.distributed.all_reduce(some(torch), op); });
  }
}

BOOST_AUTO_TEST_SUITE_END()
