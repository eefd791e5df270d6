// Process groups of some ranks (spec 7, docs/decisions/process-groups-and-tensor-parts.md): made
// and asked about as PyTorch's, with every call; several at once on disjoint and overlapping ranks.
#include "tests/distributed/ranks.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(groups)

// --- What a group is

// In ascending order, whatever the list; every rank makes it, and has a handle.
KERNBENCH_SYSTEMC_TEST(ranks_of_a_group_are_sorted_and_counted_from_0) {
  on_a_ring(4, [](Torch& torch, int rank) {
    Distributed& dist = torch.distributed;
    const Group group = dist.new_group({3, 0, 2});
    const bool member = rank != 1;
    BOOST_TEST(dist.get_rank(group) == (rank == 0 ? 0 : member ? rank - 1 : -1));
    BOOST_TEST(dist.get_world_size(group) == (member ? 3 : -1));
    BOOST_TEST(dist.get_rank() == rank);
    BOOST_TEST(dist.get_world_size() == 4);
    BOOST_TEST(group.str() == "group 1 (ranks 0, 2, 3)");
    BOOST_TEST(Group().str() == "all ranks");
    if (!member) return;
    BOOST_TEST(dist.get_process_group_ranks(group) == (std::vector<int>{0, 2, 3}),
               boost::test_tools::per_element());
    BOOST_TEST(dist.get_global_rank(group, 1) == 2);
    BOOST_TEST(dist.get_group_rank(group, 3) == 2);
    BOOST_TEST(dist.get_global_rank({}, 1) == 1);
    BOOST_TEST(dist.get_group_rank({}, 3) == 3);
    BOOST_TEST(dist.get_backend(group) == "ahbm");
  });
}

KERNBENCH_SYSTEMC_TEST(a_group_without_a_list_has_all_ranks) {
  on_a_ring(3, [](Torch& torch, int rank) {
    const Group all = torch.distributed.new_group();
    BOOST_TEST(torch.distributed.get_rank(all) == rank);
    const Tensor t = vector_of(torch, {1.0 + rank, 5});
    torch.distributed.all_reduce(t, "sum", all);
    expect(torch, t, {6, 15});
  });
}

// As PyTorch: a warning, and nothing else.
KERNBENCH_SYSTEMC_TEST(calls_of_ranks_that_are_not_in_the_group_do_nothing) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 3));
  m.run([&](Torch& torch) {
    on_ranks(torch, {}, [&](int rank) {
      Distributed& dist = torch.distributed;
      const Group pair = dist.new_group({0, 1});
      const Tensor t = vector_of(torch, {10.0 + rank});
      Work work = dist.all_reduce(t, "sum", pair);
      dist.barrier(pair);
      BOOST_TEST(dist.batch_isend_irecv({{P2POp::isend, t, 1 - rank % 2, pair},
                                         {P2POp::irecv, some(torch, 1, f32), 1 - rank % 2, pair}})
                     .size() == (rank == 2 ? 0U : 2U));
      expect(torch, t, {rank == 2 ? 12.0 : 21.0});
      if (rank < 2) return;
      check_contains(told([&] { work.wait(); }), {"a rank that is not in its group"});
      check_contains(told([&] { dist.get_process_group_ranks(pair); }),
                     {"get_process_group_ranks: rank 2 is not in group 1 (ranks 0, 1)"});
      dist.destroy_process_group(pair);
    });
  });
  BOOST_TEST(m.failures() == "");
  BOOST_TEST(m.runtime->warnings.front() ==
             "torch.distributed.all_reduce on rank 2, which is not in group 1 (ranks 0, 1): does "
             "nothing");
}

KERNBENCH_SYSTEMC_TEST(subgroups_by_enumeration_and_by_size) {
  on_a_ring(4, [](Torch& torch, int rank) {
    Distributed& dist = torch.distributed;
    const Subgroups columns = dist.new_subgroups_by_enumeration({{0, 2}, {1, 3}});
    BOOST_TEST(columns.all.size() == 2U);
    BOOST_TEST((*columns.mine == columns.all[static_cast<std::size_t>(rank % 2)]));
    const Tensor t = vector_of(torch, {static_cast<double>(rank)});
    dist.all_reduce(t, "sum", *columns.mine);
    expect(torch, t, {rank % 2 == 0 ? 2.0 : 4.0});
    const Subgroups rows = dist.new_subgroups(2);
    BOOST_TEST(dist.get_process_group_ranks(*rows.mine).front() == rank / 2 * 2);
    const Subgroups of_one = dist.new_subgroups_by_enumeration({{1}});
    BOOST_TEST(of_one.mine.has_value() == (rank == 1));
  });
}

// --- Every call, in a group whose ranks are others than those of the world: 1, 2, 4 of five

BOOST_AUTO_TEST_CASE(every_call_works_on_the_ranks_of_the_group) {
  const auto run_on = [](const std::string& topology, int w, int h, const CclChanges& changes) {
    forked([&] {
      TorchMachine m("topology.tiny.yaml", sips(topology, w, h));
      m.run([&](Torch& torch) {
        on_ranks(torch, changes, [&](int rank) {
          Distributed& dist = torch.distributed;
          const Group group = dist.new_group({4, 1, 2});
          const int here = dist.get_rank(group);
          if (here < 0) return;
          const double mine = 10.0 * rank;
          const auto blank = [&] { return some(torch, 2, f32); };
          const auto list = [&] { return std::vector<Tensor>{blank(), blank(), blank()}; };
          const auto parts = [&] {
            std::vector<Tensor> tensors;
            for (int to = 0; to < 3; ++to) tensors.push_back(vector_of(torch, {mine + to, mine}));
            return tensors;
          };
          const auto expect_from_all = [&](const std::vector<Tensor>& tensors, double more) {
            for (int i = 0; i < 3; ++i) {
              const double from = std::vector<double>{10, 20, 40}[static_cast<std::size_t>(i)];
              expect(torch, tensors[static_cast<std::size_t>(i)], {from + more, from});
            }
          };
          const Tensor all = vector_of(torch, {mine, 1});
          dist.all_reduce(all, "sum", group);
          expect(torch, all, {70, 3});
          const Tensor from_4 = vector_of(torch, {mine, 1});
          dist.broadcast(from_4, 4, group);
          expect(torch, from_4, {40, 1});
          const Tensor at_2 = vector_of(torch, {mine, 1});
          dist.reduce(at_2, 2, ReduceOp::max, group);
          if (rank == 2) expect(torch, at_2, {40, 1});
          const std::vector<Tensor> gathered = list();
          dist.all_gather(gathered, vector_of(torch, {mine, mine}), group);
          expect_from_all(gathered, 0);
          const Tensor scattered = blank();
          dist.reduce_scatter(scattered, parts(), "sum", group);
          expect(torch, scattered, {70.0 + 3 * here, 70});
          const std::vector<Tensor> exchanged = list();
          dist.all_to_all(exchanged, parts(), group);
          expect_from_all(exchanged, here);
          const std::vector<Tensor> at_root = rank == 4 ? list() : std::vector<Tensor>();
          dist.gather(vector_of(torch, {mine, mine}), at_root, 4, group);
          if (rank == 4) expect_from_all(at_root, 0);
          const Tensor from_root = blank();
          dist.scatter(from_root, rank == 2 ? parts() : std::vector<Tensor>(), 2, group);
          expect(torch, from_root, {20.0 + here, 20});

          const int next = dist.get_global_rank(group, (here + 1) % 3),
                    previous = dist.get_global_rank(group, (here + 2) % 3);
          const Tensor sent = vector_of(torch, {mine, mine}), came = blank(), tagged = blank();
          Work sending = dist.isend(sent, next, group);
          dist.recv(came, previous, group);
          expect(torch, came, {10.0 * previous, 10.0 * previous});
          Work with_tag = dist.isend(sent, next, group, 7);
          Work receiving = dist.irecv(tagged, {}, group, 7);
          receiving.wait();
          BOOST_TEST(receiving.source_rank() == previous);
          expect(torch, tagged, {10.0 * previous, 10.0 * previous});
          sending.wait();
          with_tag.wait();
          dist.barrier(group);
        });
      });
      BOOST_TEST(m.failures() == "");
      BOOST_TEST(!m.distributed->collectives.empty());
      for (const auto& record : m.distributed->collectives) {
        BOOST_TEST(record->ranks == 3);
        BOOST_TEST(record->group == (std::vector<int>{1, 2, 4}), boost::test_tools::per_element());
      }
    });
  };
  run_on("ring_1d", 5, 1, {});
  run_on("torus_2d", 3, 2, {{"algorithm", "ring_allreduce"}});
  run_on("mesh_2d_no_wrap", 3, 2, {{"algorithm", "tree_allreduce"}});
  run_on("mesh_2d_no_wrap", 5, 1, {{"algorithm", "hierarchical_allreduce"}});
}

// A group of all ranks keeps their grid: the times of the world.
KERNBENCH_SYSTEMC_TEST(a_group_of_all_ranks_has_the_times_of_the_world) {
  TorchMachine m("topology.tiny.yaml", sips("torus_2d", 2, 2));
  m.run([](Torch& torch) {
    on_ranks(torch, {}, [&](int rank) {
      const Group all = torch.distributed.new_group({0, 1, 2, 3});
      const Tensor t = torch.full({500}, rank, f32, one_pe, "t");
      const Fs world = torch.distributed.all_reduce(t).time();
      torch.distributed.all_reduce(t, "sum", all);
      BOOST_TEST(torch.distributed.all_reduce(t, "sum", all).time() == world);
    });
  });
}

// Copies and partial sums over cubes and PEs of the group's SIPs.
KERNBENCH_SYSTEMC_TEST(holders_within_the_sips_of_a_group) {
  for (const char* algorithm :
       {"lrab_hierarchical_allreduce", "hierarchical_allreduce", "ring_allreduce"}) {
    forked([&] {
      TorchMachine m("topology.tiny.yaml", sips("ring_1d", 3, 1, 2, 2));
      m.run([&](Torch& torch) {
        on_ranks(torch, {{"algorithm", algorithm}}, [&](int rank) {
          Distributed& dist = torch.distributed;
          const Group group = dist.new_group({0, 2}), world = dist.new_group();
          for (const Placement each : {Placement::replicate, Placement::partial}) {
            const Tensor t = torch.full({33}, rank + 1, f32, {each, each, 4, 2}, "t");
            const Tensor u = torch.full({33}, rank + 1, f32, {each, each, 4, 2}, "u");
            Work in_group = dist.all_reduce(t, "sum", {group, true});
            dist.all_reduce(u, "sum", world);
            if (rank != 1) in_group.wait();
            expect(torch, t, Values(33, rank == 1 ? 2 : 4));
            expect(torch, u, Values(33, 6));
          }
        });
      });
      BOOST_TEST(m.failures() == "");
    });
  }
}

// --- Several groups at once

namespace {

// Of four ranks: all_reduce in {0, 1}, and at the same time in `other`.
double time_of_two(const std::vector<int>& other) {
  return forked_value([&] {
    std::vector<Override> machine = sips("ring_1d", 4);
    machine.push_back({"system.switch.attrs.servers", "port"});
    TorchMachine m("topology.tiny.yaml", machine);
    double ns = 0;
    m.run([&](Torch& torch) {
      on_ranks(torch, {{"algorithm", "ring_allreduce"}}, [&](int rank) {
        Distributed& dist = torch.distributed;
        const Group first = dist.new_group({0, 1});
        const Group second = other.empty() ? Group() : dist.new_group(other);
        const Tensor t = torch.full({20000}, 1, f32, one_pe, "t"),
                     u = torch.full({20000}, 1, f32, one_pe, "u");
        const auto both = [&] {
          dist.all_reduce(t, "sum", {first, true});
          if (!other.empty()) dist.all_reduce(u, "sum", {second, true});
          torch.wait_all();
          dist.barrier();
        };
        both();  // rings
        const Fs begun = torch.now();
        both();
        if (rank == 0) ns = to_ns(torch.now() - begun);
      });
    });
    return ns;
  });
}

}  // namespace

// SIPs 0 and 1, and 2 and 3, share a switch with a server for each pair of ports, so nothing, but
// that the host launches on two more SIPs.
BOOST_AUTO_TEST_CASE(disjoint_groups_take_the_time_of_one) {
  const double one = time_of_two({}), two = time_of_two({2, 3});
  BOOST_TEST(one > 1000);
  BOOST_TEST(two >= one);
  BOOST_TEST(two < 1.01 * one);
}

// The same PEs carry out both: no more than twice as long.
BOOST_AUTO_TEST_CASE(groups_with_ranks_in_common_run_together_too) {
  const double one = time_of_two({}), two = time_of_two({1, 2});
  BOOST_TEST(two > 1.01 * one);
  BOOST_TEST(two < 2 * one);
}

// Each rank calls in another order: a collective of one group waits for none of another.
KERNBENCH_SYSTEMC_TEST(groups_are_called_in_any_order) {
  on_a_ring(3, [](Torch& torch, int rank) {
    Distributed& dist = torch.distributed;
    const std::vector<Group> pairs{dist.new_group({0, 1}), dist.new_group({1, 2}),
                                   dist.new_group({0, 2})};
    std::vector<Tensor> tensors;
    std::vector<Work> works;
    for (int i = 0; i < 3; ++i) {
      const Group& group = pairs[static_cast<std::size_t>((rank + i) % 3)];
      if (dist.get_rank(group) < 0) continue;
      tensors.push_back(torch.full({9000}, 1 + rank, f32, one_pe, "t"));
      works.push_back(dist.all_reduce(tensors.back(), "sum", {group, true}));
    }
    for (auto work = works.rbegin(); work != works.rend(); ++work) work->wait();
    const Group own = pairs[static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const Work& work = works[i];
      double sum = 0;
      for (const int member : work.record().group) sum += 1 + member;
      expect(torch, tensors[i], Values(9000, sum));
    }
  });
}

// Rank 2 comes to the barrier of all ranks 100 us later.
KERNBENCH_SYSTEMC_TEST(a_barrier_of_a_group_waits_for_its_ranks_only) {
  on_a_ring(3, [](Torch& torch, int rank) {
    Distributed& dist = torch.distributed;
    const Group pair = dist.new_group({0, 1});
    const Tensor t = some(torch, 4, f32);
    dist.all_reduce(t);
    dist.barrier();
    const Fs begun = torch.now();
    if (rank == 1) sc_core::wait(10, sc_core::SC_US);
    if (rank == 2) sc_core::wait(100, sc_core::SC_US);
    Work all = dist.all_reduce(t, ReduceOp::sum, true);
    dist.barrier(pair);
    if (rank < 2) BOOST_TEST(to_ns(torch.now() - begun) == 10000);
    dist.barrier();
    BOOST_TEST(to_ns(torch.now() - begun) >= 100000);
    all.wait();
  });
}

// Every rank gets the error, also those that call later; the next call is not disturbed.
KERNBENCH_SYSTEMC_TEST(monitored_barriers_name_the_ranks_that_have_not_come) {
  on_a_ring(4, [](Torch& torch, int rank) {
    Distributed& dist = torch.distributed;
    const sc_core::sc_time short_time(20, sc_core::SC_US), long_time(200, sc_core::SC_US);
    for (const bool all : {false, true}) {
      dist.barrier();
      const Fs begun = torch.now();
      if (rank % 2 == 1) sc_core::wait(50, sc_core::SC_US);
      const std::string error =
          error_of<TimeoutError>([&] { dist.monitored_barrier({}, short_time, all); });
      check_contains(error, {"monitored_barrier: after 20000 ns not reached by rank"});
      BOOST_TEST(error.substr(error.size() - 4) == (all ? "1, 3" : "nk 1"), error);
      BOOST_TEST(to_ns(torch.now() - begun) == (rank % 2 == 1 ? 50000 : 20000));
    }
    dist.barrier();
    if (rank == 3) sc_core::wait(50, sc_core::SC_US);
    dist.monitored_barrier({}, long_time);
  });
}

KERNBENCH_SYSTEMC_TEST(a_wait_with_a_timeout) {
  on_a_ring(2, [](Torch& torch, int rank) {
    const Tensor t = torch.full({8}, rank + 1, f32, one_pe, "t");
    if (rank == 1) sc_core::wait(50, sc_core::SC_US);
    Work work = torch.distributed.all_reduce(t, ReduceOp::sum, true);
    const Fs begun = torch.now();
    if (rank == 0) {
      BOOST_TEST(error_of<TimeoutError>([&] { work.wait(sc_core::sc_time(20, sc_core::SC_US)); }) ==
                 "Work.wait: all_reduce has not ended after 20000 ns");
      BOOST_TEST(to_ns(torch.now() - begun) == 20000);
    }
    work.wait(sc_core::sc_time(1, sc_core::SC_SEC));
    expect(torch, t, Values(8, 3));
  });
}

// Whatever its ranks, with other groups at work on the same PEs.
KERNBENCH_SYSTEMC_TEST(destroyed_groups_give_their_rings_back) {
  on_a_ring(3, [](Torch& torch, int rank) {
    Distributed& dist = torch.distributed;
    const Group others = dist.new_group({0, 1});
    const Tensor second = torch.full({8}, rank + 1, f32, one_pe, "second");
    dist.all_reduce(second, "max", others);
    dist.barrier();
    const std::size_t rings = torch.ipcq.rings().size();
    for (int again = 0; again < 40; ++again) {
      const Group pair = dist.new_group({0, 2});
      const Tensor t = torch.full({8}, rank, f32, one_pe, "t");
      dist.all_reduce(t, "sum", pair);
      const Work work = dist.all_reduce(second, "max", {others, true});
      expect(torch, t, Values(8, rank == 1 ? 1 : 2));
      dist.destroy_process_group(pair);
      dist.barrier();
      BOOST_TEST(torch.ipcq.rings().size() == rings);
      if (rank != 1)
        check_contains(
            told([&] { dist.all_reduce(t, "sum", pair); }),
            {fmt::format("all_reduce: group {} (ranks 0, 2) has been destroyed", again + 2)});
    }
    expect(torch, second, Values(8, rank == 2 ? 3 : 2));
  });
}

// --- Ranks that are PEs

BOOST_AUTO_TEST_CASE(groups_of_pes) {
  forked([] {
    TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2));
    const CclChanges pes{
        {"rank_unit", "pe"}, {"world_size", "11"}, {"algorithm", "ring_allreduce"}};
    m.run([&](Torch& torch) {
      torch.multiprocessing.spawn(
          [&](int rank) {
            torch.distributed.init_process_group("ahbm", pes);
            const Group odd = torch.distributed.new_group({1, 3, 5, 7, 9});
            const Tensor t = torch.full({50}, rank, f16, one_pe, "t");
            torch.distributed.all_reduce(t, "sum", odd);
            expect(torch, t, Values(50, rank % 2 == 1 ? 25 : rank));
            const Tensor from_9 = torch.full({50}, rank, f16, one_pe, "from_9");
            torch.distributed.broadcast(from_9, 9, odd);
            expect(torch, from_9, Values(50, rank % 2 == 1 ? 9 : rank));
          },
          torch.distributed.ranks_to_spawn(pes));
    });
    BOOST_TEST(m.failures() == "");
  });
}

BOOST_AUTO_TEST_SUITE_END()
