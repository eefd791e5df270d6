// Tensors with an extent of 0 (spec 7): made, moved, launched with, in every collective.
#include "tests/distributed/ranks.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(empty_tensors)

namespace {

// As many rows as there are are doubled, in blocks of 4.
void twice(tl::Program& tl, tl::Tensor x) {
  const std::int64_t rows = x.shape()[0];
  const auto table = tl.make_tensor_descriptor(x, x.shape().extents(), {8, 1}, {4, 8});
  for (std::int64_t row = 0; row < rows; row += 4)
    table.store({row, 0}, table.load({row, 0}) * 2.0);
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(a_tensor_without_elements_takes_no_memory_and_no_time) {
  TorchMachine m;
  m.run([&](Torch& torch) {
    const std::uint64_t used = m.runtime->memory->used_virtual_bytes(0);
    const Fs begun = torch.now();
    for (const DPPolicy& policy :
         {one_pe, DPPolicy{Placement::replicate, Placement::row_wise, 1, 4},
          DPPolicy{Placement::replicate, Placement::partial, 1, 4},
          DPPolicy{Placement::replicate, Placement::column_wise, 1, 4}}) {
      Tensor t = torch.from_host(HostArray({0, 8}, f32, Values{}), policy, "t");
      t.fill_(3);
      t.copy_(torch.zeros({0, 8}, f32, policy));
      BOOST_TEST(t.to_host().values().empty());
      BOOST_TEST(t.to_host().str() == "f32{0, 8} []");
      expect(torch, t, {});
      BOOST_TEST(t.local(0, 0).to_host().values().empty());
    }
    BOOST_TEST(torch.now() == begun);
    BOOST_TEST(m.runtime->memory->used_virtual_bytes(0) == used);
    const Tensor whole = made(torch, {4, 2}, f32, {1, 2, 3, 4, 5, 6, 7, 8});
    const HostArray part = whole[{{2, 2}}].to_host();
    BOOST_TEST(part.values().empty());
    torch.from_local({HostArray({0}, f32, Values{}), HostArray({0}, f32, Values{})}, {0},
                     {Placement::replicate, Placement::row_wise, 1, 2});
  });
  BOOST_TEST(m.failures() == "");
}

KERNBENCH_SYSTEMC_TEST(a_launch_takes_a_tensor_without_elements) {
  TorchMachine m;
  m.run([&](Torch& torch) {
    torch.launch(LaunchSpec("twice").on_pe(0), twice, torch.zeros({0, 8}, f32, one_pe, "none"));
    const Tensor six = made(torch, {6, 8}, f32, Values(48, 5));
    torch.launch(LaunchSpec("twice").on_pe(0), twice, six);
    expect(torch, six, Values(48, 10));
  });
  BOOST_TEST(m.failures() == "");
}

KERNBENCH_SYSTEMC_TEST(blocks_of_kernels_have_elements) {
  TorchMachine m;
  const auto error_of = [&](const std::function<void(tl::Program&, tl::Tensor)>& body) {
    std::string text;
    m.run([&](Torch& torch) {
      try {
        torch.launch(LaunchSpec("k").on_pe(0), body, torch.zeros({8}, f32, one_pe, "x"));
      } catch (const LaunchError& error) {
        text = error.what();
      }
    });
    return text;
  };
  check_contains(
      error_of([](tl::Program& tl, tl::Tensor x) {
        std::string all;
        const auto refused = [&](const std::function<void()>& call) {
          try {
            call();
            all += "accepted; ";
          } catch (const UsageError& error) {
            all += std::string(error.what()) + "; ";
          }
        };
        refused([&] { tl.load(x.ptr(), {0}, f32); });
        refused([&] { tl.ref(x.ptr(), {0}, f32); });
        refused([&] { tl.zeros({2, 0}, f32); });
        refused([&] { tl.broadcast_to(tl.zeros({1}, f32), {0}); });
        refused([&] { tl.make_block_ptr(x, {8}, {1}, {0}, {0}, {0}); });
        throw UsageError(all);
      }),
      {"tl.load: block {0}: every extent must be at least 1; tl.ref: block {0}",
       "tl.full: block {2, 0}", "tl.broadcast_to: block {0}", "tl.make_block_ptr: block {0}"});
}

// All take no time on the devices, and order the ranks.
KERNBENCH_SYSTEMC_TEST(every_collective_takes_tensors_without_elements) {
  on_a_ring(3, [](Torch& torch, int rank) {
    Distributed& dist = torch.distributed;
    for (const DPPolicy& policy :
         {one_pe, DPPolicy{Placement::replicate, Placement::row_wise, 1, 4},
          DPPolicy{Placement::replicate, Placement::column_wise, 1, 4}}) {
      const auto none = [&] { return torch.zeros({0, 8}, f32, policy); };
      const Tensor t = none();
      const std::vector<Tensor> list{none(), none(), none()}, more{none(), none(), none()};
      const Fs begun = torch.now();
      const Work work = dist.all_reduce(t);
      BOOST_TEST(work.nbytes() == 0U);
      BOOST_TEST(work.time() == 0U);
      BOOST_TEST(work.bus_bandwidth_gbs() == 0);
      BOOST_TEST(work.record().algorithm == "none");
      dist.broadcast(t, 1);
      dist.reduce(t, 2);
      dist.all_gather(list, t);
      dist.reduce_scatter(t, list);
      dist.all_to_all(more, list);
      dist.gather(t, rank == 0 ? list : std::vector<Tensor>{});
      dist.scatter(t, rank == 0 ? list : std::vector<Tensor>{});
      dist.all_gather_into_tensor(none(), t);
      dist.reduce_scatter_tensor(t, none());
      dist.all_to_all_single(none(), t);
      dist.all_reduce_coalesced({t, more[0]});
      const int next = (rank + 1) % 3, previous = (rank + 2) % 3;
      Work sent = dist.isend(t, next, 7), received = dist.irecv(list[0], previous, 7);
      sent.wait();
      received.wait();
      BOOST_TEST(torch.now() == begun);
    }
    const Tensor eight = vector_of(torch, Values(8, rank));
    dist.all_reduce(eight);  // what has been called before has left nothing behind
    expect(torch, eight, Values(8, 3));
  });
}

// Tokens of experts: rank 0 sends 2 rows to rank 1 and none to itself, rank 1 has none; then all
// have none.
KERNBENCH_SYSTEMC_TEST(an_expert_without_tokens) {
  on_a_ring(2, [](Torch& torch, int rank) {
    for (const DPPolicy& policy :
         {one_pe, DPPolicy{Placement::replicate, Placement::column_wise, 1, 2}}) {
      const Tensor from = rank == 0 ? made(torch, {2, 4}, f32, {1, 2, 3, 4, 5, 6, 7, 8}, policy)
                                    : torch.zeros({0, 4}, f32, policy, "from"),
                   to = torch.zeros({rank == 0 ? 0 : 2, 4}, f32, policy, "to");
      const std::vector<std::int64_t> sent = rank == 0 ? std::vector<std::int64_t>{0, 2}
                                                       : std::vector<std::int64_t>{0, 0},
                                      taken = rank == 0 ? std::vector<std::int64_t>{0, 0}
                                                        : std::vector<std::int64_t>{2, 0};
      torch.distributed.all_to_all_single(to, from, taken, sent);
      expect(torch, to, rank == 0 ? Values{} : Values{1, 2, 3, 4, 5, 6, 7, 8});
      const Tensor none = torch.zeros({0, 4}, f32, policy, "none"),
                   no = torch.zeros({0, 4}, f32, policy, "no");
      torch.distributed.all_to_all_single(no, none, {0, 0}, {0, 0});
    }
  });
}

BOOST_AUTO_TEST_CASE(a_rank_without_elements_among_others_is_reported) {
  refused(
      {"ranks call different things", "1 shard of 0 elements", "1 shard of 8 elements"},
      [](Torch& torch, int rank) { torch.distributed.all_reduce(some(torch, rank == 0 ? 0 : 8)); });
}

BOOST_AUTO_TEST_SUITE_END()
