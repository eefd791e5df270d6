// Process groups of some ranks (spec 7, docs/decisions/0266): made and asked about as PyTorch's,
// with every call; several at once on disjoint and overlapping ranks.
#include "tests/distributed/patterns.h"
#include "tests/distributed/wrong_use.h"

using namespace kernbench;
using namespace kernbench::test;

namespace {

using Values = std::vector<double>;

Tensor made(Torch& torch, const Shape& shape, DType dtype, const Values& values,
            const DPPolicy& policy = one_pe) {
  return torch.from_host(HostArray(shape, dtype, values), policy, "t");
}

Tensor vector_of(Torch& torch, const Values& values, DType dtype = f32) {
  return made(torch, {static_cast<std::int64_t>(values.size())}, dtype, values);
}

void expect(Torch& torch, const Tensor& tensor, const Values& expected) {
  torch.verify(tensor, [expected] { return expected; });
}

// What the ranks of a machine with a ring of `count` SIPs do, with values that agree.
void on_a_ring(int count, const std::function<void(Torch&, int rank)>& body,
               const CclChanges& changes = {}, const std::vector<Override>& more = {}) {
  std::vector<Override> overrides = sips("ring_1d", count);
  overrides.insert(overrides.end(), more.begin(), more.end());
  TorchMachine m("topology.tiny.yaml", overrides);
  m.run([&](Torch& torch) { on_ranks(torch, changes, [&](int rank) { body(torch, rank); }); });
  BOOST_TEST(m.failures() == "");
}

}  // namespace

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
      const Tensor t = vector_of(torch, {1.0 + rank});
      Work work = dist.all_reduce(t, "sum", pair);
      dist.barrier(pair);
      BOOST_TEST(dist.batch_isend_irecv({{P2POp::isend, t, 1 - rank % 2, pair},
                                         {P2POp::irecv, some(torch, 1, f32), 1 - rank % 2, pair}})
                     .size() == (rank == 2 ? 0U : 2U));
      expect(torch, t, {rank == 2 ? 3.0 : 3.0});
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
    machine.push_back({"system.switch.attrs.serial_per", "port"});
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

// Rings stay for the next group of the same ranks.
KERNBENCH_SYSTEMC_TEST(groups_are_given_back_and_used_again) {
  on_a_ring(3, [](Torch& torch, int rank) {
    Distributed& dist = torch.distributed;
    std::size_t rings = 0;
    for (int again = 0; again < 20; ++again) {
      const Group pair = dist.new_group({0, 2});
      const Tensor t = torch.full({8}, rank, f32, one_pe, "t");
      dist.all_reduce(t, "sum", pair);
      expect(torch, t, Values(8, rank == 1 ? 1 : 2));
      dist.destroy_process_group(pair);
      dist.barrier();
      if (again == 0) rings = torch.ipcq.rings().size();
      if (rank != 1)
        check_contains(told([&] { dist.all_reduce(t, "sum", pair); }),
                       {"all_reduce: group 1 (ranks 0, 2) has been destroyed"});
    }
    BOOST_TEST(torch.ipcq.rings().size() == rings);
  });
}

// --- One tensor in place of a list

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

// With the parts of all ranks in one tensor, each call once.
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

// Wherever the placement lets a PE keep to its own part, and of rows everywhere: there a PE reaches
// shards of others, so that the launch has to list all of the tensor.
BOOST_AUTO_TEST_CASE(tensors_of_all_ranks_with_every_placement) {
  const Placement copies = Placement::replicate, rows = Placement::row_wise,
                  columns = Placement::column_wise;
  for (const DPPolicy& policy :
       {one_pe, DPPolicy{copies, copies, 2, 2}, DPPolicy{copies, rows, 1, 4},
        DPPolicy{rows, rows, 2, 2}, DPPolicy{copies, rows, 2, 2}, DPPolicy{copies, columns, 1, 3},
        DPPolicy{columns, columns, 2, 2}}) {
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
           "ranks, and 8 is no multiple of that"},
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

// --- Bitwise reductions, products

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

BOOST_AUTO_TEST_CASE(bitwise_reductions_are_of_integers) {
  for (const char* op : {"band", "bor", "bxor"}) {
    refused({std::string("all_reduce: ") + op + " of f16; bitwise reductions are of integers, i32"},
            [op](Torch& torch, int) { torch.distributed.all_reduce(some(torch), op); });
  }
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
            torch.distributed.broadcast(t, 9, odd);
          },
          torch.distributed.ranks_to_spawn(pes));
    });
    BOOST_TEST(m.failures() == "");
  });
}

BOOST_AUTO_TEST_SUITE_END()
