// What orders ranks for the detection of races: barriers, spawn and the end of its ranks; not a
// time that passes, nor what other ranks wait for (spec 9,
// docs/decisions/memory-order-and-races.md).
#include "tests/distributed/ranks.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(rank_order)

namespace {

// Rank 0 fills a tensor that rank 1 reads.
std::string races_of(bool barrier) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2));
  m.run([&](Torch& torch) {
    Tensor t = torch.zeros({8}, f32, one_pe, "shared");
    on_ranks(torch, {}, [&](int rank) {
      if (rank == 0) t.fill_(1);
      if (barrier) torch.distributed.barrier();
      if (rank == 1) sc_core::wait(1, sc_core::SC_MS), t.to_host();
    });
    t.fill_(2);  // all ranks have ended
  });
  return m.failures();
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(a_barrier_orders_the_ranks) { BOOST_TEST(races_of(true) == ""); }

KERNBENCH_SYSTEMC_TEST(time_that_passes_does_not) {
  check_contains(races_of(false),
                 {"data race on 32 bytes from 'shared' + 0: torch.Tensor.to_host of rank 1 of the "
                  "host at ",
                  " ns reads what torch.Tensor.fill_ of rank 0 of the host at ",
                  " ns writes; no launch, message or barrier orders them"});
}

// The other rank's kernel is waited for on the way to the tensor that it writes.
KERNBENCH_SYSTEMC_TEST(who_uses_a_tensor_of_another_rank_waits_for_its_launches) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2));
  m.run([&](Torch& torch) {
    std::vector<Tensor> made;
    on_ranks(torch, {}, [&](int rank) {
      if (rank == 0) {
        made.push_back(torch.empty({8}, f32, one_pe, "made"));
        torch.launch_async(
            LaunchSpec("fill").on_pe(0),
            [](tl::Program& tl, tl::Ptr to) { tl.store(to, tl.zeros({8}, f32)); }, made.front());
      }
      torch.distributed.barrier();
      if (rank == 1) made.front().to_host();
    });
  });
  BOOST_TEST(m.failures() == "");
}

// The kernel has ended long before the collective, and no rank has waited for it: the stream orders
// them.
KERNBENCH_SYSTEMC_TEST(a_kernel_that_has_ended_comes_before_a_collective) {
  on_a_ring(2, [](Torch& torch, int rank) {
    const Tensor t = torch.full({8}, rank, f32, one_pe, "t");
    const auto add_one = +[](tl::Program& tl, tl::Tensor x) {
      tl.store(x.local(), tl.load(x.local(), x.local_shape(), f32) + 1);
    };
    for (int again = 0; again < 2; ++again) {
      torch.launch_async(LaunchSpec("k").on_pe(0), add_one, t);
      torch.launch_async(LaunchSpec("k").on_pe(0), add_one, t);
      sc_core::wait(50, sc_core::SC_US);
      torch.distributed.all_reduce(t);
    }
    expect(torch, t, Values(8, 14));  // (0 + 2) + (1 + 2) = 5, then 2 (5 + 2)
  });
}

BOOST_AUTO_TEST_SUITE_END()
