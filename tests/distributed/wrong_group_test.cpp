// Process groups made or used wrongly (spec 7, 8.2): before there is one, with settings that cannot
// be, by ranks that differ.
#include "tests/distributed/ranks.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(wrong_group)

BOOST_AUTO_TEST_CASE(calls_before_init_process_group) {
  const std::vector<std::pair<std::string, Body>> calls{
      {"all_reduce", [](Torch& torch, int) { torch.distributed.all_reduce(some(torch)); }},
      {"broadcast", [](Torch& torch, int) { torch.distributed.broadcast(some(torch), 0); }},
      {"reduce", [](Torch& torch, int) { torch.distributed.reduce(some(torch), 0); }},
      {"all_gather",
       [](Torch& torch, int) { torch.distributed.all_gather(list(torch, 2), some(torch)); }},
      {"reduce_scatter",
       [](Torch& torch, int) { torch.distributed.reduce_scatter(some(torch), list(torch, 2)); }},
      {"all_to_all",
       [](Torch& torch, int) { torch.distributed.all_to_all(list(torch, 2), list(torch, 2)); }},
      {"gather", [](Torch& torch, int) { torch.distributed.gather(some(torch)); }},
      {"scatter", [](Torch& torch, int) { torch.distributed.scatter(some(torch)); }},
      {"send", [](Torch& torch, int rank) { torch.distributed.send(some(torch), 1 - rank); }},
      {"recv", [](Torch& torch, int rank) { torch.distributed.recv(some(torch), 1 - rank); }},
      {"barrier", [](Torch& torch, int) { torch.distributed.barrier(); }},
      {"get_rank", [](Torch& torch, int) { torch.distributed.get_rank(); }},
      {"get_world_size", [](Torch& torch, int) { torch.distributed.get_world_size(); }},
      {"get_backend", [](Torch& torch, int) { torch.distributed.get_backend(); }},
      {"destroy_process_group",
       [](Torch& torch, int) { torch.distributed.destroy_process_group(); }},
  };
  for (const auto& [name, call] : calls) {
    forked([name = name, call = call] {
      TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2));
      m.run([&](Torch& torch) {
        std::string error;
        try {
          torch.multiprocessing.spawn([&](int rank) { call(torch, rank); }, 2);
        } catch (const SpawnError& spawn_error) {
          error = spawn_error.what();
          BOOST_TEST(spawn_error.wrong_usage());
        }
        check_contains(error, {": " + name +
                               ": the default process group has not been initialized; "
                               "init_process_group comes first"});
      });
    });
  }
}

KERNBENCH_SYSTEMC_TEST(a_group_that_cannot_be) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2));
  m.run([](Torch& torch) {
    auto& dist = torch.distributed;
    const auto init = [&](const CclChanges& changes) {
      return told([&] { dist.init_process_group("ahbm", changes); });
    };
    check_contains(told([&] { dist.init_process_group("nccl"); }),
                   {"init_process_group: backend 'nccl', allowed: ahbm"});
    check_contains(init({{"algorithm", "magic"}}),
                   {"unknown algorithm 'magic'; there are hierarchical_allreduce, lrab_"});
    check_contains(init({{"algorithm", "ring_broadcast"}}),
                   {"'ring_broadcast' carries out broadcast", "that of all_reduce"});
    check_contains(init({{"buffer_kinds", "tcm"}}),
                   {"knows no key 'buffer_kinds'; it knows algorithm, buffer_kind"});
    check_contains(init({{"algorithm", "tree_allreduce"}, {"root_cube", "0"}}),
                   {"'tree_allreduce' knows no key 'root_cube'"});
    check_contains(init({{"buffer_kind", "dram"}}), {"buffer_kind", "dram", "tcm"});
    check_contains(init({{"world_size", "3"}}), {"world_size is 3, but this machine has 2 SIPs"});
    BOOST_TEST(!dist.is_initialized());
    BOOST_TEST(!torch.ipcq.installed());     // all or nothing
    dist.init_process_group("ahbm", 17, 4);  // both are accepted and ignored
    BOOST_TEST(dist.get_world_size() == 2);
    check_contains(told([&] { dist.init_process_group("ahbm"); }),
                   {"has been initialized already"});
    check_contains(told([&] { dist.all_reduce(some(torch)); }),
                   {"all_reduce outside a worker: the other 1 ranks would never call it"});
    dist.destroy_process_group();
    BOOST_TEST(!dist.is_initialized());
  });
}

BOOST_AUTO_TEST_CASE(a_topology_without_a_way_round) {
  refused(
      {"a mesh of 3 x 3 SIPs without wrap has no closed ring"}, [](Torch&, int) {},
      {{"algorithm", "ring_allreduce"}}, sips("mesh_2d_no_wrap", 3, 3));
  refused(
      {"a mesh of 3 x 1 SIPs without wrap has no closed ring"},
      [](Torch& torch, int) { torch.distributed.broadcast(some(torch), 0); }, {},
      sips("mesh_2d_no_wrap", 3, 1));
}

BOOST_AUTO_TEST_CASE(fewer_ranks_than_the_group_has) {
  forked([] {
    TorchMachine m("topology.tiny.yaml", sips("ring_1d", 3));
    const std::string error = m.error([](Torch& torch) {
      torch.multiprocessing.spawn([&](int) { torch.distributed.init_process_group("ahbm"); }, 2);
    });
    check_contains(error,
                   {"init_process_group: 2 ranks have been spawned, but the world size is 3"});
  });
}

// Whatever the order in which the ranks come: the message names the first one and the one that
// differs, and what each of them has.
BOOST_AUTO_TEST_CASE(ranks_with_different_settings_of_the_group) {
  const auto refused_with = [](const std::vector<std::string>& parts,
                               const std::function<void(Torch&, int)>& init) {
    forked([&] {
      TorchMachine m("topology.tiny.yaml", sips("ring_1d", 3));
      const RunResult result = m.try_run([&](Torch& torch) {
        torch.multiprocessing.spawn([&](int rank) { init(torch, rank); }, 3);
      });
      BOOST_TEST(name_of(result.status) == "failed");
      check_contains(result.error, parts);
    });
  };
  const std::string differ = "init_process_group: the settings of the ranks differ: ";
  refused_with(
      {"rank 2: " + differ + "rank 2 has buffer_kind=hbm, rank 0 buffer_kind=tcm"},
      [](Torch& torch, int rank) {
        torch.distributed.init_process_group("ahbm", {{"buffer_kind", rank == 2 ? "hbm" : "tcm"}});
      });
  refused_with({differ + "rank 0 has algorithm=lrab_hierarchical_allreduce, n_slots=4, rank 1 "
                         "algorithm=ring_allreduce, n_slots=2"},
               [](Torch& torch, int rank) {
                 if (rank != 1) sc_core::wait(50, sc_core::SC_US);
                 torch.distributed.init_process_group(
                     "ahbm", rank == 1
                                 ? CclChanges{{"algorithm", "ring_allreduce"}, {"n_slots", "2"}}
                                 : CclChanges{});
               });
  refused_with({differ + "rank 1 has root_cube=0, rank 0 no root_cube"},
               [](Torch& torch, int rank) {
                 torch.distributed.init_process_group(
                     "ahbm", rank == 1 ? CclChanges{{"root_cube", "0"}} : CclChanges{});
               });
  refused_with({differ + "rank 1 has world_size 2, rank 0 world_size 3"},
               [](Torch& torch, int rank) {
                 torch.distributed.init_process_group("ahbm", rank == 1 ? 2 : 3, rank);
               });
  refused_with({"rank 1: algorithm 'lrab_hierarchical_allreduce' knows no key 'slots'"},
               [](Torch& torch, int rank) {
                 torch.distributed.init_process_group(
                     "ahbm", rank == 1 ? CclChanges{{"slots", "1"}} : CclChanges{});
               });
}

// What is said twice is the same: a value of ccl.yaml, given or not, in any order.
KERNBENCH_SYSTEMC_TEST(settings_that_come_to_the_same_agree) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2));
  m.run([](Torch& torch) {
    torch.multiprocessing.spawn(
        [&](int rank) {
          const CclChanges one{{"buffer_kind", "tcm"}, {"n_slots", "3"}}, other{{"n_slots", "3"}};
          torch.distributed.init_process_group("ahbm", rank == 0 ? one : other);
          torch.distributed.all_reduce(some(torch));
        },
        2);
  });
}

// Ranks that are SIPs where the settings want PEs; fewer than the program has initialized.
BOOST_AUTO_TEST_CASE(ranks_that_are_not_those_of_the_group) {
  const auto error_of = [](const std::function<void(Torch&)>& body) {
    return forked_value(
        [&] { return TorchMachine("topology.tiny.yaml", sips("ring_1d", 2)).error(body); });
  };
  const CclChanges pes{{"algorithm", "ring_allreduce"}, {"rank_unit", "pe"}, {"world_size", "2"}};
  check_contains(error_of([&](Torch& torch) {
                   torch.multiprocessing.spawn(
                       [&](int) { torch.distributed.init_process_group("ahbm", pes); }, 2);
                 }),
                 {"the ranks of the group are 2 PEs, but 2 SIPs have been spawned"});
  check_contains(
      error_of([&](Torch& torch) {
        torch.distributed.init_process_group("ahbm");
        torch.multiprocessing.spawn([](int) {}, 1);
      }),
      {"torch.multiprocessing.spawn: 1 ranks have been spawned, but the world size is 2"});
  check_contains(error_of([&](Torch& torch) {
                   torch.distributed.ranks_to_spawn({{"rank_unit", "pe"}, {"world_size", "17"}});
                 }),
                 {"world_size is 17, but this machine has 16 PEs"});
}

// An algorithm's own entry, or a change, may say what ranks are.
KERNBENCH_SYSTEMC_TEST(ranks_are_spawned_as_the_settings_of_the_group_say) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2));
  m.run([](Torch& torch) {
    const CclChanges pes{
        {"algorithm", "tree_allreduce"}, {"rank_unit", "pe"}, {"world_size", "11"}};
    torch.multiprocessing.spawn(
        [&](int rank) {
          torch.ahbm.set_device(rank);
          torch.distributed.init_process_group("ahbm", pes);
          const Tensor t = torch.full({8}, rank, f16, one_pe, "t");
          torch.distributed.all_reduce(t);
          expect(torch, t, Values(8, 55));
        },
        torch.distributed.ranks_to_spawn(pes));
    BOOST_TEST(torch.ahbm.device_count() == 2);
  });
  BOOST_TEST(m.failures() == "");
}

// A rank's number is 0 outside a worker, with a warning.
KERNBENCH_SYSTEMC_TEST(outside_a_worker_the_rank_is_0) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2));
  m.run([&](Torch& torch) {
    torch.distributed.init_process_group("ahbm");
    BOOST_TEST(torch.distributed.get_rank() == 0);
    BOOST_TEST(torch.ahbm.current_device() == 0);
    BOOST_TEST(torch.distributed.get_backend() == "ahbm");
    BOOST_TEST(m.runtime->warnings ==
                   std::vector<std::string>{"torch.distributed.get_rank outside a worker of "
                                            "torch.multiprocessing.spawn is 0"},
               boost::test_tools::per_element());
  });
}

BOOST_AUTO_TEST_SUITE_END()
