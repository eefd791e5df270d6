// The collectives other than all_reduce return the right values on every rank, on 1 to 9 ranks, on
// every arrangement of SIPs that has a way round, with ranks that are SIPs and ranks that are PEs,
// from one shard and from several.
//
// Not the whole product of ranks, operations, element types, reductions and sizes, but all pairs of
// two of them: on each machine every element type meets every reduction, and the sizes move on by
// one from each machine to the next.
#include "tests/distributed/rank_check.h"
#include "tests/distributed/ranks.h"
#include "tests/support/every_case.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(collectives)

namespace {

// 4096-byte slots hold 2048 elements of 2 bytes, 1024 of 4: below, at and above one slot, none a
// multiple of the number of ranks.
const std::vector<std::int64_t> sizes{1, 3, 257, 1024, 1025, 2049, 4500};

// Every element type with every reduction, and with a size for each of the other collectives.
void check_collectives(Torch& torch, int ranks, const DPPolicy& policy = one_pe, int shards = 1) {
  on_ranks(torch, {}, ranks, [&](int rank) {
    RankCheck check(torch, rank, ranks, policy, shards);
    std::size_t next = static_cast<std::size_t>(ranks);
    int root = 0;
    const auto next_size = [&] { return sizes[next++ % sizes.size()]; };
    for (const DType dtype : every_dtype) {
      for (const ReduceOp op : every_reduction) {
        check.set(dtype, next_size());
        check.reduce(op, root++ % ranks);
        check.reduce_scatter(op);
      }
      check.set(dtype, next_size());
      check.broadcast(root++ % ranks);
      check.send_recv();
      check.broadcast_out_of_place(root++ % ranks);
      check.reduce_out_of_place(ReduceOp::avg, root++ % ranks);
      check.set(dtype, next_size());
      check.all_gather();
      check.all_gather_in_place();
      check.reduce_scatter_in_place(ReduceOp::max);
      check.set(dtype, next_size());
      check.all_to_all();
      for (const bool in_place : {false, true}) {
        check.set(dtype, next_size());
        check.gather(root++ % ranks, in_place);
        check.scatter(root++ % ranks, in_place);
      }
    }
  });
}

void check_machine(const std::string& topology, int w, int h) {
  TorchMachine m("topology.tiny.yaml", sips(topology, w, h));
  m.run([&](Torch& torch) { check_collectives(torch, w * h); });
  BOOST_TEST(m.failures() == "", topology << " " << w << " x " << h << ": " << m.failures());
}

}  // namespace

BOOST_AUTO_TEST_CASE(ring_of_1_to_9_ranks) {
  for (const int ranks : every_or({1, 2, 3, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9}))
    forked([ranks] { check_machine("ring_1d", ranks, 1); });
}

// The order of the ring is not that of the ranks: 0 1 3 2 on the mesh, 0 1 2 5 4 3 on 3 x 2.
BOOST_AUTO_TEST_CASE(torus_and_mesh_go_round_in_an_order_of_their_own) {
  forked([] { check_machine("torus_2d", 3, 3); });
  forked([] { check_machine("mesh_2d_no_wrap", 2, 2); });
  forked([] { check_machine("mesh_2d_no_wrap", 3, 2); });
}

// Two PEs of six cubes each: twelve rings side by side.
KERNBENCH_SYSTEMC_TEST(every_shard_has_a_ring_of_its_own) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2, 1, 3, 2));
  m.run([](Torch& torch) {
    check_collectives(torch, 2, {Placement::row_wise, Placement::row_wise, 6, 2}, 12);
  });
  BOOST_TEST(m.failures() == "");
}

// No rank has rings to the next one yet, and none receives before its send has returned.
BOOST_AUTO_TEST_CASE(ranks_that_all_send_first_exchange_their_first_messages) {
  for (const int ranks : {2, 5}) {
    forked([ranks] {
      TorchMachine m("topology.tiny.yaml", sips("ring_1d", ranks));
      m.run([&](Torch& torch) {
        on_ranks(torch, {}, [&](int rank) {
          const Tensor t = torch.full({100}, rank, f32, one_pe, "t");
          const Tensor came = torch.empty({100}, f32, one_pe, "came");
          torch.distributed.send(t, (rank + 1) % ranks);
          torch.distributed.recv(came, (rank + ranks - 1) % ranks);
          expect(torch, came, Values(100, (rank + ranks - 1) % ranks));
        });
      });
      BOOST_TEST(m.failures() == "");
    });
  }
}

// Rank 2 waits for rank 1, which takes what rank 0 has first; meanwhile rank 3 computes.
KERNBENCH_SYSTEMC_TEST(first_messages_of_a_chain_get_their_rings_as_the_ranks_come_by) {
  on_a_ring(4, [](Torch& torch, int rank) {
    const Tensor t = torch.full({100}, rank == 0 ? 7 : 0, f32, one_pe, "t");
    if (rank == 3)
      torch.launch(
          "busy", [](tl::Program& tl, tl::Tensor) { tl.cycles(20'000); }, t);
    if (rank > 0) torch.distributed.recv(t, rank - 1);
    if (rank < 3) torch.distributed.send(t, rank + 1);
    expect(torch, t, Values(100, 7));
  });
}

// 24 PEs: three cubes of eight.
void check_ranks_of_pes(int ranks) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 1, 1, 3, 1));
  m.run([&](Torch& torch) {
    ranks_are_pes(*m.distributed, "ring_allreduce", ranks);
    BOOST_TEST(torch.ahbm.device_count() == 24);
    check_collectives(torch, ranks);
  });
  BOOST_TEST(m.failures() == "", ranks << " ranks: " << m.failures());
}

BOOST_AUTO_TEST_CASE(ranks_that_are_pes_for_diagnosis) {
  for (const int ranks : every_or({3, 8}, {1, 3, 8, 12}))
    forked([ranks] { check_ranks_of_pes(ranks); });
}

// Every root of every number of ranks, in messages below, at and above a slot.
BOOST_AUTO_TEST_CASE(every_rank_may_be_the_root_of_gather_and_scatter) {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    forked([ranks] {
      TorchMachine m("topology.tiny.yaml", sips("ring_1d", ranks));
      m.run([&](Torch& torch) {
        on_ranks(torch, {}, [&](int rank) {
          RankCheck check(torch, rank, ranks, one_pe, 1);
          for (int root = 0; root < ranks; ++root) {
            check.set(every_dtype[static_cast<std::size_t>(root) % every_dtype.size()],
                      sizes[static_cast<std::size_t>(root) % 7]);
            check.gather(root);
            check.scatter(root);
          }
        });
      });
      BOOST_TEST(m.failures() == "", ranks << " ranks: " << m.failures());
    });
  }
}

// async_op: the call begins and returns; what waits for pending work waits for it.
KERNBENCH_SYSTEMC_TEST(gather_and_scatter_may_be_asynchronous) {
  on_a_ring(3, [](Torch& torch, int rank) {
    const auto some = [&](double value) { return torch.full({3000}, value, f32, one_pe, "t"); };
    const std::vector<Tensor> list =
        rank == 1 ? std::vector<Tensor>{some(0), some(0), some(0)} : std::vector<Tensor>();
    const Tensor mine = some(rank + 1), part = some(0);
    torch.distributed.barrier();
    torch.distributed.gather(torch.full({1}, 0, f32, one_pe,
                                        "first"),  // the rings are there from here on
                             rank == 1 ? std::vector<Tensor>{torch.empty({1}, f32, one_pe),
                                                             torch.empty({1}, f32, one_pe),
                                                             torch.empty({1}, f32, one_pe)}
                                       : std::vector<Tensor>(),
                             1);
    const Fs before = torch.now();
    Work gathered = torch.distributed.gather(mine, list, 1, true),
         scattered = torch.distributed.scatter(part, list, 1, true);
    BOOST_TEST(torch.now() == before);
    BOOST_TEST(!scattered.is_completed());
    scattered.wait();
    BOOST_TEST(gathered.is_completed());
    expect(torch, part, Values(3000, rank + 1));
  });
}

// As many ranks as are wanted of those that there are, by every algorithm of all_reduce; the ranks
// of the last SIP are never all.
BOOST_AUTO_TEST_CASE(ranks_that_are_pes_reduce_by_every_algorithm) {
  for (const std::string algorithm : {"lrab_hierarchical_allreduce", "hierarchical_allreduce",
                                      "ring_allreduce", "tree_allreduce"}) {
    for (const int ranks : every_or({3, 7}, {1, 2, 3, 7, 20})) {
      forked([&] {
        TorchMachine m("topology.tiny.yaml", sips("torus_2d", 2, 2, 2, 1));
        m.run([&](Torch& torch) {
          ranks_are_pes(*m.distributed, algorithm, ranks);
          BOOST_TEST(torch.distributed.ranks_to_spawn().size == ranks);
          on_ranks(torch, {}, ranks, [&](int rank) {
            RankCheck check(torch, rank, ranks, one_pe, 1);
            check.set(DType::f16, 2049);
            for (const ReduceOp op : {ReduceOp::sum, ReduceOp::avg, ReduceOp::max})
              check.all_reduce(op);
          });
        });
        BOOST_TEST(m.failures() == "", algorithm << ", " << ranks << " ranks: " << m.failures());
      });
    }
  }
}

// 3 MB of each rank, three times the scratch: sends that wait for credits hold few messages of it,
// and two messages go at once on each PE.
KERNBENCH_SYSTEMC_TEST(tensors_larger_than_the_scratch) {
  on_a_ring(2, [](Torch& torch, int rank) {
    RankCheck check(torch, rank, 2, one_pe, 1);
    check.set(DType::f16, 1'500'001);
    check.broadcast(1);
    check.reduce(ReduceOp::max, 0);
    check.gather(0, false);
    check.scatter(1, false);
    const std::int64_t elements = 1'500'001;
    const Tensor mine = torch.full({elements}, rank + 1, f16, one_pe, "mine"),
                 other = torch.zeros({elements}, f16, one_pe, "other");
    Work sent = torch.distributed.isend(mine, 1 - rank),
         received = torch.distributed.irecv(other, 1 - rank);
    sent.wait();
    received.wait();
    expect(torch, other, Values(static_cast<std::size_t>(elements), 2 - rank));
  });
}

BOOST_AUTO_TEST_SUITE_END()
