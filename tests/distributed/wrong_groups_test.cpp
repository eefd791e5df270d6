// Groups of some ranks made or used wrongly (spec 7): messages that name the group, no hang.
#include "tests/distributed/ranks.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(wrong_groups)

BOOST_AUTO_TEST_CASE(ranks_that_make_no_group) {
  const std::vector<std::pair<std::vector<int>, std::string>> lists{
      {{}, "new_group: no ranks; new_group() has all of them"},
      {{0, 2, 0}, "new_group: rank 0 twice, of ranks 0, 0, 2"},
      {{0, 3}, "new_group: rank 3, but there are ranks 0 to 2"},
      {{-1, 1}, "new_group: rank -1, but there are ranks 0 to 2"}};
  for (const auto& [ranks, message] : lists) {
    refused({message}, [ranks = ranks](Torch& torch, int) { torch.distributed.new_group(ranks); });
  }
  refused({"new_subgroups_by_enumeration: rank 1 twice"}, [](Torch& torch, int) {
    torch.distributed.new_subgroups_by_enumeration({{0, 1}, {1, 2}});
  });
  refused({"new_subgroups: groups of 2 ranks, of 3; their size divides the number of ranks"},
          [](Torch& torch, int) { torch.distributed.new_subgroups(2); });
}

BOOST_AUTO_TEST_CASE(ranks_that_make_different_groups) {
  refused({"ranks call different things: new_group 2 of rank ", "new_group of ranks 0, 1",
           "new_group of ranks 0, 2"},
          [](Torch& torch, int rank) {
            torch.distributed.new_group({1, 2});
            torch.distributed.new_group({0, rank == 2 ? 2 : 1});
          });
}

// Also a rank that is not to be in it calls new_group.
BOOST_AUTO_TEST_CASE(a_rank_that_does_not_make_the_group) {
  refused({"rank 2 has ended, but others wait for it in new_group 1, new_group of ranks 0, 1"},
          [](Torch& torch, int rank) {
            if (rank == 2) {
              sc_core::wait(10, sc_core::SC_US);
              return;
            }
            const Group group = torch.distributed.new_group({0, 1});
            torch.distributed.all_reduce(some(torch), "sum", group);
          });
  refused({"rank 0 calls new_group of ranks 0, 2, its new_group 1, but rank 2 has ended after 0"},
          [](Torch& torch, int rank) {
            if (rank == 2) return;
            sc_core::wait(10, sc_core::SC_US);
            torch.distributed.new_group({0, 2});
          });
}

// A member that makes the group, and waits elsewhere: a deadlock whose report names it.
BOOST_AUTO_TEST_CASE(a_member_that_never_calls) {
  forked([] {
    const RunResult result = end_of(sips("ring_1d", 3), {}, [](Torch& torch, int rank) {
      const Group group = torch.distributed.new_group({0, 2});
      if (rank == 0) torch.distributed.all_reduce(some(torch), "sum", group);
      torch.distributed.barrier();
    });
    BOOST_TEST(name_of(result.status) == "deadlock");
    check_contains(result.error,
                   {"1 more of 2 ranks to reach all_reduce sum of f16", "in group 1 (ranks 0, 2)"});
  });
}

BOOST_AUTO_TEST_CASE(members_that_call_different_things) {
  refused({"ranks call different things: collective 1 of group 1 (ranks 0, 2) of rank 0 is "
           "all_reduce sum of f16",
           "of rank 2 it is all_reduce max of f16"},
          [](Torch& torch, int rank) {
            const Group group = torch.distributed.new_group({0, 2});
            if (rank == 2) sc_core::wait(50, sc_core::SC_US);
            torch.distributed.all_reduce(some(torch), rank == 0 ? "sum" : "max", group);
          });
  refused({"rank 2 has ended, but others wait for it in collective 2 of group 1 (ranks 0, 2), "
           "all_reduce sum of f16"},
          [](Torch& torch, int rank) {
            const Group group = torch.distributed.new_group({0, 2});
            torch.distributed.all_reduce(some(torch), "sum", group);
            if (rank == 2) sc_core::wait(50, sc_core::SC_US);
            if (rank == 0) torch.distributed.all_reduce(some(torch), "sum", group);
          });
  refused({"rank 2 has destroyed the group, but others wait for it in collective 1 of group 1 "
           "(ranks 0, 2)"},
          [](Torch& torch, int rank) {
            const Group group = torch.distributed.new_group({0, 2});
            if (rank == 2) sc_core::wait(50, sc_core::SC_US);
            if (rank == 2) torch.distributed.destroy_process_group(group);
            if (rank == 0) torch.distributed.all_reduce(some(torch), "sum", group);
          });
}

// src and dst are ranks of the world.
BOOST_AUTO_TEST_CASE(roots_and_peers_that_are_not_in_the_group) {
  const auto in_group = [](const std::function<void(Distributed&, Torch&, const Group&)>& call) {
    return [call](Torch& torch, int) {
      call(torch.distributed, torch, torch.distributed.new_group({0, 2}));
    };
  };
  const std::string why =
      ": rank 1 is not in the group, which has ranks 0, 2; ranks are those of the world";
  refused({"broadcast" + why}, in_group([](Distributed& dist, Torch& torch, const Group& group) {
            dist.broadcast(some(torch), 1, group);
          }));
  refused({"reduce" + why}, in_group([](Distributed& dist, Torch& torch, const Group& group) {
            dist.reduce(some(torch), 1, "sum", group);
          }));
  refused({"scatter" + why}, in_group([](Distributed& dist, Torch& torch, const Group& group) {
            dist.scatter(some(torch), {}, 1, group);
          }));
  refused({"isend" + why}, in_group([](Distributed& dist, Torch& torch, const Group& group) {
            dist.isend(some(torch), 1, group);
          }));
  refused({"get_group_rank: rank 1 is not in group 1 (ranks 0, 2)"},
          in_group([](Distributed& dist, Torch&, const Group& group) {
            if (dist.get_rank(group) >= 0) dist.get_group_rank(group, 1);
          }));
  refused({"get_global_rank: rank 2 of group 1 (ranks 0, 2), which has ranks 0 to 1"},
          in_group([](Distributed& dist, Torch&, const Group& group) {
            if (dist.get_rank(group) >= 0) dist.get_global_rank(group, 2);
          }));
}

BOOST_AUTO_TEST_CASE(groups_before_init_process_group) {
  forked([] {
    TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2));
    const std::string error = m.error([](Torch& torch) {
      torch.multiprocessing.spawn([&](int) { torch.distributed.new_group({0, 1}); }, 2);
    });
    check_contains(error, {"new_group: the default process group has not been initialized"});
  });
}

// A kernel of a rank fails in the middle of work of two groups: it is the cause, the others end.
BOOST_AUTO_TEST_CASE(a_rank_that_fails_while_groups_work) {
  refused({"rank 1", "thrown on purpose"}, [](Torch& torch, int rank) {
    Distributed& dist = torch.distributed;
    const Group left = dist.new_group({0, 1}), right = dist.new_group({1, 2});
    const Tensor t = some(torch, 20000), u = some(torch, 20000);
    for (int i = 0; i < 3; ++i) {
      dist.all_reduce(t, "sum", {left, true});
      dist.all_reduce(u, "sum", {right, true});
    }
    if (rank == 1)
      torch.launch(
          LaunchSpec("bad").on_pe(0),
          [](tl::Program& tl, tl::Tensor) {
            tl.cycles(5000);
            throw std::runtime_error("thrown on purpose");
          },
          t);
    torch.wait_all();
  });
}

BOOST_AUTO_TEST_CASE(split_sizes_that_do_not_fit) {
  refused({"all_to_all_single: input_split_sizes are 1 2 2, for the 6 rows of tensor 't'; one for "
           "each of 3 ranks, from 0, and all rows together"},
          [](Torch& torch, int) {
            torch.distributed.all_to_all_single(some(torch, 6), some(torch, 6), {}, {1, 2, 2});
          });
  refused({"all_to_all_single: rank 2 sends 2 rows to rank 0 (input_split_sizes), which takes 1 "
           "(output_split_sizes)"},
          [](Torch& torch, int rank) {
            const std::vector<std::int64_t> sent =
                rank == 2 ? std::vector<std::int64_t>{2, 2, 2} : std::vector<std::int64_t>{3, 2, 1};
            const std::vector<std::int64_t> taken = std::vector<std::vector<std::int64_t>>{
                {3, 3, 1}, {2, 2, 2}, {1, 1, 2}}.at(static_cast<std::size_t>(rank));
            torch.distributed.all_to_all_single(some(torch, taken[0] + taken[1] + taken[2]),
                                                some(torch, 6), taken, sent);
          });
}

// Every rank gets the error, so that none deadlocks: the others may have caught their error.
KERNBENCH_SYSTEMC_TEST(every_rank_gets_the_error_of_a_mismatched_call) {
  on_a_ring(3, [](Torch& torch, int rank) {
    Distributed& dist = torch.distributed;
    if (rank == 1) sc_core::wait(20, sc_core::SC_US);
    for (const bool async : {false, true}) {
      check_contains(told([&] {
                       Work work =
                           dist.all_to_all_single(some(torch, 6), some(torch, 6), {2, 2, 2},
                                                  rank == 0 ? std::vector<std::int64_t>{2, 1, 3}
                                                            : std::vector<std::int64_t>{2, 2, 2},
                                                  async);
                       work.wait();
                     }),
                     {"rank 0 sends 1 rows to rank 1 (input_split_sizes), which takes 2"});
      check_contains(told([&] {
                       Work work = dist.all_reduce(some(torch), rank == 2 ? "max" : "sum", async);
                       work.wait();
                     }),
                     {"ranks call different things"});
    }
    check_contains(told([&] { rank == 2 ? dist.barrier() : (void)dist.all_reduce(some(torch)); }),
                   {"ranks call different things"});
    dist.barrier();
  });
}

// Rings of many groups: an error with numbers.
BOOST_AUTO_TEST_CASE(more_groups_than_there_is_room_for_rings) {
  // 512 KiB hold 32 rings of 4 slots of 4 KiB.
  refused({"rings of 4 slots of 4096 bytes do not fit: ", "TCM behind the scratch",
           "; its rings are of all ranks ", " (32768 bytes), group", " and ",
           "; buffer_kind moves rings to another memory: tcm, sram, hbm"},
          [](Torch& torch, int) {
            for (int i = 0; i < 40; ++i) {
              const Group group = torch.distributed.new_group({0, 1});
              torch.distributed.all_reduce(some(torch), "sum", group);
            }
          });
}

BOOST_AUTO_TEST_SUITE_END()
