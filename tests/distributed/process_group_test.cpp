// A process group and its ring buffers (spec 8.3, docs/decisions/ipcq-ring-installation.md):
// installed once, by messages that take simulated time, with the settings of the group; added to by
// calls that need others; replaced where directions mean something else.
#include "sw/collectives/ring_schedules.h"
#include "sw/collectives/schedule_kernels.h"
#include "tests/distributed/ranks.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(process_group)

namespace {

void init(Torch& torch, const CclChanges& changes = {}) {
  torch.distributed.init_process_group("ahbm", changes);
}

// Sums `rank` over the ranks, on one PE or on PE 3.
void reduce_ranks(Torch& torch, int rank, int ranks, const DPPolicy& policy = one_pe) {
  const Tensor t = torch.full({8}, rank, f32, policy, "t");
  torch.distributed.all_reduce(t);
  expect(torch, t, Values(8, ranks * (ranks - 1) / 2.0));
}

}  // namespace

// One rank sends the messages, all leave the call when they have been answered.
KERNBENCH_SYSTEMC_TEST(rings_are_installed_once_and_all_ranks_wait_for_them) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 3));
  m.run([&](Torch& torch) {
    std::vector<Fs> left;
    torch.multiprocessing.spawn(
        [&](int) {
          init(torch);
          left.push_back(torch.now());
          reduce_ranks(torch, torch.distributed.get_rank(), 3);
        },
        3);
    BOOST_TEST(left[0] > 0U);
    BOOST_TEST(left == std::vector<Fs>(3, left[0]), boost::test_tools::per_element());
    BOOST_TEST(m.runtime->ipcq.number() == 1U);
    BOOST_TEST(torch.ipcq.rings().size() == 6U);  // global_E and global_W of three
  });
  BOOST_TEST(m.failures() == "");
}

// A program may do it for all ranks before it spawns them.
KERNBENCH_SYSTEMC_TEST(the_program_initializes_the_group_for_all_ranks) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 3));
  m.run([&](Torch& torch) {
    init(torch);
    for (int again = 0; again < 2; ++again) {
      torch.multiprocessing.spawn(
          [&](int rank) {
            BOOST_TEST(torch.distributed.is_initialized());
            BOOST_TEST(torch.distributed.get_rank() == rank);
            reduce_ranks(torch, rank, 3);
          },
          3);
    }
    BOOST_TEST(m.runtime->ipcq.number() == 1U);
  });
  BOOST_TEST(m.failures() == "");
}

KERNBENCH_SYSTEMC_TEST(calls_that_need_other_rings_add_them) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 3));
  m.run([&](Torch& torch) {
    on_ranks(torch, {}, [&](int rank) {
      reduce_ranks(torch, rank, 3);
      const Tensor t = torch.full({8}, rank, f32, one_pe, "t");
      torch.distributed.broadcast(t, 1);
      expect(torch, t, Values(8, 1));
      reduce_ranks(torch, rank, 3,
                   {Placement::replicate, Placement::row_wise, 1, 4});  // lanes 0 to 3
    });
    BOOST_TEST(m.runtime->ipcq.number() == 1U);
    BOOST_TEST(torch.ipcq.rings().size() ==
               6U + 6U + 18U);  // the first ones, ring_E and ring_W, three more lanes
  });
  BOOST_TEST(m.failures() == "");
}

// A second group has its own settings, even if the graph is the same.
KERNBENCH_SYSTEMC_TEST(every_group_has_rings_of_its_own_settings) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2));
  m.run([&](Torch& torch) {
    for (const auto& [kind, slot] :
         {std::pair(MemorySpace::tcm, 1024U), std::pair(MemorySpace::hbm, 512U)}) {
      on_ranks(torch, {{"buffer_kind", name_of(kind)}, {"slot_size", std::to_string(slot)}},
               [&](int rank) {
                 reduce_ranks(torch, rank, 2);
                 torch.distributed.barrier();
                 BOOST_TEST((torch.ipcq.options().buffer_kind == kind));
                 BOOST_TEST(torch.ipcq.options().slot_size == slot);
               });
    }
    BOOST_TEST(m.runtime->ipcq.number() == 2U);
  });
  BOOST_TEST(m.failures() == "");
}

// Rings that the program has installed itself stay in addition to those of the group, with the
// group's settings; those that it installs later go at the next call.
KERNBENCH_SYSTEMC_TEST(rings_of_the_program_are_kept_where_they_do_not_collide) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2));
  m.run([&](Torch& torch) {
    torch.ipcq.install(graphs::intra_pe_ring(0, 0, 8));
    init(torch, {{"n_slots", "2"}});
    BOOST_TEST(torch.ipcq.graph().neighbours({0, 0, 0}).count("E") == 1U);
    BOOST_TEST(torch.ipcq.graph().neighbours({0, 0, 0}).count("global_E") == 1U);
    BOOST_TEST(torch.ipcq.options().n_slots == 2U);
    IpcqSettings three;
    three.n_slots = 3;
    torch.ipcq.install(graphs::intra_pe_ring(0, 0, 8), three);
    torch.multiprocessing.spawn([&](int rank) { reduce_ranks(torch, rank, 2); }, 2);
    BOOST_TEST(torch.ipcq.options().n_slots == 2U);
    BOOST_TEST(torch.ipcq.graph().neighbours({0, 0, 0}).count("E") == 1U);
  });
  BOOST_TEST(m.failures() == "");
}

// Collectives before and behind it use their own; the settings are those of the group.
KERNBENCH_SYSTEMC_TEST(a_program_adds_rings_to_those_of_the_group) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2));
  m.run([&](Torch& torch) {
    init(torch, {{"n_slots", "2"}});
    torch.multiprocessing.spawn(
        [&](int rank) {
          torch.ahbm.set_device(rank);
          reduce_ranks(torch, rank, 2);
          torch.ipcq.add(graphs::intra_pe_ring(this_device, 0, 8));
          const DPPolicy rows{Placement::replicate, Placement::row_wise, 1, 8};
          const Tensor out = torch.zeros({8, 1}, f32, rows, "out");
          torch.launch(
              "pass_on",
              [](tl::Program& tl, tl::Tensor to) {
                tl.send("E", tl.full({1, 1}, tl.program_id(0), f32));
                tl.store(to.local(), tl.recv("W", {1, 1}, f32));
              },
              out);
          expect(torch, out, Values{7, 0, 1, 2, 3, 4, 5, 6});
          reduce_ranks(torch, rank, 2);
        },
        2);
    BOOST_TEST(m.runtime->ipcq.number() == 1U);
    BOOST_TEST(torch.ipcq.options().n_slots == 2U);
    for (const char* direction : {"E", "global_E"})
      BOOST_TEST(torch.ipcq.graph().neighbours({1, 0, 0}).count(direction) == 1U);
  });
  BOOST_TEST(m.failures() == "");
}

KERNBENCH_SYSTEMC_TEST(rings_that_are_no_addition_are_refused) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2));
  m.run([&](Torch& torch) {
    const auto refused = [&](const NeighbourGraph& graph) {
      return error_of<UsageError>([&] { torch.ipcq.add(graph); });
    };
    check_contains(refused(graphs::intra_pe_ring(0, 0, 8)),
                   {"torch.ipcq.add: nothing is installed"});
    torch.ipcq.install(graphs::intra_pe_ring(0, 0, 8));
    BOOST_TEST(refused(graphs::intra_pe_ring(0, 0, 8)) == "");  // it is there
    check_contains(refused(graphs::intra_pe_ring(0, 0, 4)),
                   {"torch.ipcq.add: a direction of the graph is in use for something else"});
  });
}

// A broadcast whose `E` leads to the next rank, where lrab's leads to the next cube: all ranks meet
// at each change.
KERNBENCH_SYSTEMC_TEST(a_direction_that_means_something_else_replaces_the_rings) {
  CollectiveAlgorithm broadcast{
      "east_broadcast",
      "for a test",
      CollectiveOp::broadcast,
      all_sip_topologies(),
      "any",
      {},
      {},
      [](const CollectiveCall& call) {
        NeighbourGraph graph;
        for (int rank = 0; rank + 1 < call.group.size; ++rank)
          graph.connect(call.group.place(rank, 0, 0), "E", call.group.place(rank + 1, 0, 0))
              .connect(call.group.place(rank + 1, 0, 0), "W", call.group.place(rank, 0, 0));
        return graph;
      },
      [](const CollectiveCall& call) {
        Phase phase;
        if (call.rank > 0) phase.push_back(schedules::receive("W"));
        if (call.rank + 1 < call.group.size) phase.push_back(schedules::send("E"));
        return schedule_kernel(call, {phase}, [](const LocalShards& shards) {
          return blocks_in_place(shards.inputs[0], 1);
        });
      }};
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 3, 1, 2, 1));
  m.run([&](Torch& torch) {
    AlgorithmRegistry registry = shipped_algorithms();
    registry.add(broadcast);  // by name before ring_broadcast
    m.distributed->configure({}, std::make_shared<const AlgorithmRegistry>(std::move(registry)));
    on_ranks(torch, {}, [&](int rank) {
      for (int again = 0; again < 2; ++again) {
        const Tensor both =
            torch.full({8}, rank, f32, {Placement::partial, Placement::replicate, 2, 1}, "both");
        torch.distributed.all_reduce(
            both, "max", rank == 1);  // of rank 1 in flight when it reaches the broadcast
        const Tensor t = torch.full({8}, 5 - rank, f32, one_pe, "t");
        torch.distributed.broadcast(t, 0);
        expect(torch, both, Values(8, 2));
        expect(torch, t, Values(8, 5));
      }
    });
    BOOST_TEST(m.runtime->ipcq.number() == 4U);
  });
  BOOST_TEST(m.failures() == "");
}

// Asynchronous calls begin in order and are waited for by whatever waits for pending work.
KERNBENCH_SYSTEMC_TEST(asynchronous_calls_are_done_when_they_have_been_waited_for) {
  on_a_ring(2, [](Torch& torch, int rank) {
    const Tensor t = torch.full({4000}, rank + 1, f32, one_pe, "t");
    const Fs begun = torch.now();
    Work first = torch.distributed.all_reduce(t, "sum", true),
         second = torch.distributed.all_reduce(t, "prod", true);
    BOOST_TEST(torch.now() == begun);
    BOOST_TEST(!second.is_completed());
    second.wait();
    BOOST_TEST(first.is_completed());   // a PE runs one kernel after the other
    expect(torch, t, Values(4000, 9));  // 1 + 2, squared
  });
}

// With other settings, with and without a barrier between; ranks are not at the same place of the
// program. Nothing of a destroyed group remains.
KERNBENCH_SYSTEMC_TEST(a_destroyed_group_makes_room_for_one_with_other_settings) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 3));
  m.run([&](Torch& torch) {
    Distributed& dist = torch.distributed;
    torch.multiprocessing.spawn(
        [&](int rank) {
          for (int again = 0; again < 6; ++again) {
            init(torch, {{"algorithm", again % 2 == 0 ? "ring_allreduce" : "tree_allreduce"},
                         {"buffer_kind", again % 3 == 0 ? "hbm" : "tcm"}});
            if (rank == again % 3) sc_core::wait(20, sc_core::SC_US);
            reduce_ranks(torch, rank, 3);
            BOOST_TEST(name_of(torch.ipcq.options().buffer_kind) ==
                       (again % 3 == 0 ? "hbm" : "tcm"));
            if (again < 3) dist.barrier();
            dist.destroy_process_group();
          }
          BOOST_TEST(!dist.is_initialized());
        },
        3);
    BOOST_TEST(torch.ipcq.rings().empty());
  });
  BOOST_TEST(m.failures() == "");
}

// What the program had installed is there again.
KERNBENCH_SYSTEMC_TEST(rings_of_the_program_outlive_a_group) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2));
  m.run([&](Torch& torch) {
    torch.ipcq.install(graphs::intra_pe_ring(0, 0, 4), IpcqSettings());
    const std::size_t rings = torch.ipcq.rings().size();
    for (int again = 0; again < 2; ++again) {
      torch.multiprocessing.spawn(
          [&](int rank) {
            init(torch, {{"n_slots", "2"}});
            reduce_ranks(torch, rank, 2);
            torch.distributed.barrier();
            BOOST_TEST(torch.ipcq.rings().size() == rings + 4);
            torch.distributed.destroy_process_group();
          },
          2);
      BOOST_TEST(torch.ipcq.rings().size() == rings);
      BOOST_TEST(torch.ipcq.options().n_slots == 4U);
    }
  });
  BOOST_TEST(m.failures() == "");
}

// A later caller gets the error instead of a deadlock.
BOOST_AUTO_TEST_CASE(calls_of_a_group_that_others_have_destroyed) {
  const auto error_of = [](const std::function<void(Torch&, int)>& body) {
    return forked_value([&] {
      return TorchMachine("topology.tiny.yaml", sips("ring_1d", 3)).error([&](Torch& torch) {
        torch.multiprocessing.spawn(
            [&](int rank) {
              init(torch);
              body(torch, rank);
            },
            3);
      });
    });
  };
  check_contains(
      error_of([](Torch& torch, int rank) {
        if (rank == 0) return torch.distributed.destroy_process_group();
        sc_core::wait(20, sc_core::SC_US);
        reduce_ranks(torch, rank, 3);
      }),
      {"rank 1 calls all_reduce sum of f32", "but rank 0 has destroyed the process group after 0"});
  check_contains(error_of([](Torch& torch, int rank) {
                   if (rank == 2) sc_core::wait(20, sc_core::SC_US);
                   if (rank != 2) return torch.distributed.barrier();
                   torch.distributed.destroy_process_group();
                 }),
                 {"rank 2 has destroyed the process group, but others wait for it in collective 1, "
                  "barrier (rank 0)"});
}

BOOST_AUTO_TEST_SUITE_END()
