// Collectives used wrongly, on machines (spec 7, 8.2, 8.3): an error that says what is wrong and
// where, and never a hang.
#include "tests/distributed/ranks.h"

using namespace kernbench;
using namespace kernbench::test;

// --- Ranks that do not agree

BOOST_AUTO_TEST_SUITE(wrong_use)

BOOST_AUTO_TEST_CASE(calls_of_ranks_that_differ) {
  struct Case {
    const char* what;
    std::vector<std::string> parts;
    Body body;
    CclChanges changes = {};
  };
  const std::vector<Case> cases{
      {"collectives",
       {"collective 2 of rank ", "all_reduce sum of f16, 1 shard of 8 elements on pe 0 of cube 0",
        "broadcast from rank 0 of f16"},
       [](Torch& torch, int rank) {
         const Tensor t = some(torch);
         torch.distributed.all_reduce(t);
         rank == 1 ? torch.distributed.broadcast(t, 0) : torch.distributed.all_reduce(t);
       }},
      {"shapes",
       {"collective 1 of rank ", "1 shard of 8 elements", "1 shard of 9 elements"},
       [](Torch& torch, int rank) {
         torch.distributed.all_reduce(some(torch, rank == 2 ? 9 : 8));
       }},
      {"dtypes",
       {"all_reduce sum of f16", "all_reduce sum of f32"},
       [](Torch& torch, int rank) {
         torch.distributed.all_reduce(some(torch, 8, rank == 2 ? f32 : f16));
       }},
      {"reductions",
       {"all_reduce sum", "all_reduce max"},
       [](Torch& torch, int rank) {
         torch.distributed.all_reduce(some(torch), rank == 0 ? "max" : "sum");
       }},
      {"roots",
       {"reduce sum to rank 0", "reduce sum to rank 1"},
       [](Torch& torch, int rank) { torch.distributed.reduce(some(torch), rank == 0 ? 1 : 0); }},
      {"placements",
       {"1 shard of 8 elements on pe 0 of cube 0", "2 shards of 4 elements on pe 0 1 of cube 0"},
       [](Torch& torch, int rank) {
         const DPPolicy policy =
             rank == 0 ? DPPolicy{Placement::replicate, Placement::row_wise, 1, 2} : one_pe;
         torch.distributed.all_reduce(torch.zeros({8}, f16, policy, "t"));
       },
       {{"algorithm", "ring_allreduce"}}},
      {"a barrier",
       {"barrier", "all_reduce sum"},
       [](Torch& torch, int rank) {
         rank == 1 ? torch.distributed.barrier() : void(torch.distributed.all_reduce(some(torch)));
       }},
      {"sizes of a message",
       {"message 1 of rank ", "of f16, 1 shard of 8 elements", "of f16, 1 shard of 4 elements"},
       [](Torch& torch, int rank) {
         if (rank == 0) torch.distributed.send(some(torch, 8), 2);
         if (rank == 2) torch.distributed.recv(some(torch, 4), 0);
       }},
      {"dtypes of a message", {"a message of f32", "a message of i32"}, [](Torch& torch, int rank) {
         if (rank == 0) torch.distributed.send(some(torch, 8, i32), 2);
         if (rank == 2) torch.distributed.recv(some(torch, 8, f32), 0);
       }}};
  for (const Case& each : cases) {
    BOOST_TEST_CONTEXT(each.what) {
      std::vector<std::string> parts = each.parts;
      parts.emplace_back("ranks call different things");
      refused(parts, each.body, each.changes);
    }
  }
}

// Whether it has ended before the others call, or while they wait on their devices.
BOOST_AUTO_TEST_CASE(a_rank_that_has_ended) {
  for (const bool early : {true, false}) {
    refused({"rank 1 has ended"}, [early](Torch& torch, int rank) {
      const Tensor t = some(torch);
      if ((rank == 1) != early) sc_core::wait(50, sc_core::SC_US);
      if (rank != 1) torch.distributed.all_reduce(t);
    });
  }
}

// --- Messages

BOOST_AUTO_TEST_CASE(a_receive_without_a_send_is_reported) {
  refused({"rank 1 has ended, but others wait for it in message 1, a message of f16", "(rank 0)"},
          [](Torch& torch, int rank) {
            const Tensor t = some(torch);
            if (rank == 0) torch.distributed.recv(t, 1);
            if (rank == 1) sc_core::wait(50, sc_core::SC_US);
          });
}

KERNBENCH_SYSTEMC_TEST(both_ranks_are_notified_of_a_message_that_does_not_fit) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2));
  int told = 0;
  m.run([&](Torch& torch) {
    on_ranks(torch, {}, [&](int rank) {
      try {
        if (rank == 1) torch.distributed.recv(some(torch, 16), 0);
        sc_core::wait(50, sc_core::SC_US);  // the receive is there first
        torch.distributed.send(some(torch, 8), 1);
      } catch (const UsageError& error) {
        BOOST_TEST(contains(error.what(), "ranks call different things: message 1"));
        ++told;
      }
    });
  });
  BOOST_TEST(told == 2);
}

BOOST_AUTO_TEST_CASE(a_message_to_oneself_or_to_an_absent_rank_is_reported) {
  refused({"isend: tag -1, allowed: from 0"},
          [](Torch& torch, int rank) { torch.distributed.isend(some(torch), (rank + 1) % 3, -1); });
  refused({"rank 0: send: rank 0 with itself"},
          [](Torch& torch, int rank) { torch.distributed.send(some(torch), rank); });
  refused({"rank 0: recv: rank 3, but there are ranks 0 to 2"},
          [](Torch& torch, int) { torch.distributed.recv(some(torch), 3); });
  refused({"broadcast: rank -1, but there are ranks 0 to 2"},
          [](Torch& torch, int) { torch.distributed.broadcast(some(torch), -1); });
}

// Runs that end with the waits of each rank: nothing is pending.
BOOST_AUTO_TEST_CASE(ranks_that_wait_for_one_another_are_a_deadlock_that_is_reported) {
  const auto deadlock = [](int ranks, const std::vector<std::string>& parts, const Body& body) {
    forked([&] {
      const RunResult result = end_of(sips("ring_1d", ranks), {}, body);
      BOOST_TEST(name_of(result.status) == "deadlock");
      check_contains(result.error, parts);
    });
  };
  // All receive first: no rank will ever send.
  deadlock(
      2,
      {"host.rank0 waits for rank 1 to send message 1, a message of f16, 1 shard of 8 elements",
       "host.rank1 waits for rank 0 to send message 1, a message of f16"},
      [](Torch& torch, int rank) {
        const Tensor t = some(torch);
        torch.distributed.recv(t, 1 - rank);
        torch.distributed.send(t, 1 - rank);
      });
  // Five slots are one more than a ring has: both sends wait for a receive behind them. Even ranks
  // would send first, odd ones receive.
  deadlock(2,
           {"host.rank0 waits for rank 1 to receive message 1, a message of f16, 1 shard of 10240",
            "host.rank1 waits for rank 0 to receive message 1"},
           [](Torch& torch, int rank) {
             const Tensor t = some(torch, 5 * 2048);
             torch.distributed.send(t, 1 - rank);
             torch.distributed.recv(t, 1 - rank);
           });
  // Two of three wait for one another in a collective, the third for a message of the first.
  deadlock(3,
           {"host.rank0 waits for 2 more of 3 ranks to reach all_reduce sum of f16",
            "host.rank1 waits for 1 more of 3 ranks to reach all_reduce",
            "host.rank2 waits for rank 0 to send message 1, a message of f16"},
           [](Torch& torch, int rank) {
             const Tensor t = some(torch);
             if (rank == 2) torch.distributed.recv(t, 0);
             torch.distributed.all_reduce(t);
             if (rank == 0) torch.distributed.send(t, 2);
           });
}

// --- Tensors

BOOST_AUTO_TEST_CASE(a_tensor_on_another_device) {
  refused({"all_reduce: tensor 't' is on sip0, but rank 1 works on sip1; "
           "torch.ahbm.set_device(rank) comes before the tensors"},
          [](Torch& torch, int) {
            torch.ahbm.set_device(0);
            torch.distributed.all_reduce(some(torch));
          });
}

BOOST_AUTO_TEST_CASE(tensors_of_one_call_that_differ) {
  refused(
      {"all_gather: tensor 'part0' has elements of f32, tensor 't' of f16"},
      [](Torch& torch, int) { torch.distributed.all_gather(list(torch, 3, 8, f32), some(torch)); });
  refused({"all_gather: tensor 'part0' has 1 shard of 7 elements on pe 0 of cube 0, tensor 't' 1 "
           "shard of 8 elements"},
          [](Torch& torch, int) { torch.distributed.all_gather(list(torch, 3, 7), some(torch)); });
  refused({"all_to_all: tensor 'part0' has 1 shard of 5 elements"}, [](Torch& torch, int) {
    torch.distributed.all_to_all(list(torch, 3, 5), list(torch, 3));
  });
}

BOOST_AUTO_TEST_CASE(lists_have_one_tensor_for_each_rank) {
  refused({"all_gather: 2 tensors in the list; it has one for each of the 3 ranks"},
          [](Torch& torch, int) { torch.distributed.all_gather(list(torch, 2), some(torch)); });
  refused({"reduce_scatter: 4 tensors in the list"},
          [](Torch& torch, int) { torch.distributed.reduce_scatter(some(torch), list(torch, 4)); });
  refused({"all_to_all: 0 tensors in the list"},
          [](Torch& torch, int) { torch.distributed.all_to_all(list(torch, 3), {}); });
}

// As PyTorch has it: the root gives a list, no other rank does.
BOOST_AUTO_TEST_CASE(the_root_alone_gives_a_list) {
  const std::vector<Tensor> none;
  refused({"rank 1: gather: rank 1 is the destination and has to give gather_list, with one tensor "
           "for each of the 3 ranks"},
          [&](Torch& torch, int) { torch.distributed.gather(some(torch), none, 1); });
  refused({"rank 0: gather: rank 1 is the destination; rank 0 gives gather_list, too, which only "
           "that one does"},
          [](Torch& torch, int) { torch.distributed.gather(some(torch), list(torch, 3), 1); });
  refused({"rank 2: gather: 2 tensors in the list; it has one for each of the 3 ranks"},
          [&](Torch& torch, int rank) {
            torch.distributed.gather(some(torch), rank == 2 ? list(torch, 2) : none, 2);
          });
  refused({"rank 0: scatter: rank 0 is the source and has to give scatter_list, with one tensor "
           "for each of the 3 ranks"},
          [](Torch& torch, int) { torch.distributed.scatter(some(torch)); });
  refused({"rank 2: scatter: rank 0 is the source; rank 2 gives scatter_list, too"},
          [&](Torch& torch, int rank) {
            torch.distributed.scatter(some(torch), rank == 1 ? none : list(torch, 3), 0);
          });
  refused({"scatter: 4 tensors in the list"}, [&](Torch& torch, int rank) {
    torch.distributed.scatter(some(torch), rank == 0 ? list(torch, 4) : none, 0);
  });
}

BOOST_AUTO_TEST_CASE(gathers_and_scatters_that_do_not_fit) {
  const std::vector<Tensor> none;
  refused({"gather: rank 3, but there are ranks 0 to 2"},
          [&](Torch& torch, int) { torch.distributed.gather(some(torch), none, 3); });
  refused({"ranks call different things", "gather to rank 0", "gather to rank 1"},
          [&](Torch& torch, int rank) {
            const int dst = rank == 1 ? 1 : 0;
            torch.distributed.gather(some(torch), rank == dst ? list(torch, 3) : none, dst);
          });
  refused({"ranks call different things", "scatter from rank 0 of f16, 1 shard of 8 elements",
           "1 shard of 9 elements"},
          [&](Torch& torch, int rank) {
            torch.distributed.scatter(some(torch, rank == 2 ? 9 : 8),
                                      rank == 0 ? list(torch, 3) : none, 0);
          });
  refused({"gather: tensor 'part0' has elements of f32, tensor 't' of f16"},
          [&](Torch& torch, int rank) {
            torch.distributed.gather(some(torch), rank == 0 ? list(torch, 3, 8, f32) : none, 0);
          });
  refused({"gather: tensor 'part1' is an input and an output"}, [&](Torch& torch, int rank) {
    const std::vector<Tensor> parts = list(torch, 3);
    torch.distributed.gather(parts[1], rank == 0 ? parts : none, 0);
  });
  refused({"scatter: tensor 'part2' is an input and an output"}, [&](Torch& torch, int rank) {
    const std::vector<Tensor> parts = list(torch, 3);
    torch.distributed.scatter(parts[2], rank == 0 ? parts : none, 0);
  });
  refused({"gather: a tensor that is not on a device"},
          [&](Torch& torch, int) { torch.distributed.gather(Tensor(), none, 1); });
}

// What is written while it is still to be read.
BOOST_AUTO_TEST_CASE(a_tensor_that_is_an_input_and_an_output) {
  refused({"all_to_all: tensor 'part0' is an input and an output"}, [](Torch& torch, int) {
    const std::vector<Tensor> parts = list(torch, 3);
    torch.distributed.all_to_all(parts, parts);
  });
  refused({"rank 1: all_gather: tensor 'part0' is an input and an output"}, [](Torch& torch, int) {
    const std::vector<Tensor> parts = list(torch, 3);
    torch.distributed.all_gather(parts, parts[0]);  // right on rank 0 only
  });
  refused({"all_gather: tensor 'part0' is two of the outputs"}, [](Torch& torch, int) {
    const Tensor part = list(torch, 1)[0];
    torch.distributed.all_gather({part, part, part}, some(torch));
  });
}

KERNBENCH_SYSTEMC_TEST(what_cannot_be_reduced) {
  TorchMachine m;
  m.run([](Torch& torch) {
    torch.distributed.init_process_group("ahbm");
    check_contains(told([&] { torch.distributed.all_reduce(Tensor()); }),
                   {"all_reduce: a tensor that is not on a device"});
    check_contains(told([&] { torch.distributed.all_gather({Tensor()}, some(torch)); }),
                   {"all_gather: a tensor that is not on a device"});
    check_contains(told([&] { torch.distributed.all_reduce(some(torch), "median"); }),
                   {"median", "sum, max, min, prod, avg"});
  });
}

BOOST_AUTO_TEST_CASE(shards_that_an_algorithm_does_not_take) {
  const auto reduce_on = [](const DPPolicy& policy) {
    return [policy](Torch& torch, int) {
      torch.distributed.all_reduce(torch.zeros({7, 4}, f16, policy, "t"));
    };
  };
  const std::vector<Override> two_by_two = sips("ring_1d", 2, 1, 2, 2);
  refused(
      {"lrab_hierarchical_allreduce expects any shards, the same on every rank; tensor 't' has 1 "
       "shard of 28 elements on pe 0 of cube 0: root_cube 3 is none of them"},
      reduce_on(one_pe), {{"root_cube", "3"}}, two_by_two);
}

// --- Slots and rings

// With chunking a slot of 16 bytes is enough for anything; without, a message has to fit. The rank
// that sends gets the error, the others, which wait for its message, are ended.
BOOST_AUTO_TEST_CASE(a_message_larger_than_a_slot) {
  refused({"rank 0: KernelLaunch 'ring_broadcast': sip0.cube0.pe0.pe_cpu at ",
           "tl.send on sip0.cube0.pe0 in direction 'ring_E': f16{9} has 18 bytes, a slot has 16"},
          [](Torch& torch, int) { torch.distributed.broadcast(some(torch, 9), 0); },
          {{"slot_size", "16"}, {"chunking", "off"}});
}

BOOST_AUTO_TEST_CASE(a_slot_smaller_than_a_key_allows) {
  refused({"slot_size", "15", "16"}, [](Torch&, int) {}, {{"slot_size", "15"}});
}

BOOST_AUTO_TEST_CASE(rings_that_do_not_fit_their_memory) {
  refused({"rings of 4 slots of 1048576 bytes do not fit", "sip0.cube0.pe0"}, [](Torch&, int) {},
          {{"slot_size", "1048576"}});
}

// A kernel has tl calls only.
BOOST_AUTO_TEST_CASE(a_kernel_that_calls_the_host_program) {
  refused({"kernel 'k'", "torch.zeros: called by ", "sip0.cube0.pe0.pe_cpu",
           "which is not a thread of the host program"},
          [](Torch& torch, int rank) {
            if (rank != 0) return;
            torch.launch(
                "k", [&torch](tl::Program&, tl::Tensor) { some(torch); }, some(torch));
          });
}

BOOST_AUTO_TEST_SUITE_END()
