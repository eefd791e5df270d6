// Collectives of several tensors by one launch (spec 7).
#include "tests/distributed/small_tensors.h"

using namespace kernbench;
using namespace kernbench::test;

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
           "used by another one"},
          [](Torch& torch, int) {
            const Tensor a = some(torch, 8, f16, "a");
            torch.distributed.all_reduce_coalesced({a, some(torch), a});
          });
}

BOOST_AUTO_TEST_SUITE_END()
