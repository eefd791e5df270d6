// Reductions of integers: bit by bit, and products.
#include "tests/distributed/small_tensors.h"

using namespace kernbench;
using namespace kernbench::test;

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
