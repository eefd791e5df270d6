// all_reduce has one meaning: whatever the placement of the tensor and whatever the algorithm,
// every holder gets the reduction over the ranks, element by element, of the value of the tensor;
// reduce likewise, for the root.
#include "tests/distributed/placed_patterns.h"
#include "tests/distributed/ranks.h"
#include "tests/support/every_case.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(placements_of_collectives)

namespace {

constexpr auto replicate = Placement::replicate, partial = Placement::partial;

void check_reduce(Torch& torch, const DPPolicy& policy, DType dtype, ReduceOp op, int rank,
                  int ranks) {
  const int root = ranks / 2;
  const Tensor t = placed_tensor(torch, policy, dtype, op, rank, ranks);
  const bool partial_before = t.is_partial();
  torch.distributed.reduce(t, root, op);
  BOOST_TEST(t.is_partial() == (partial_before && rank != root));
  verify_values(torch, t, [=](std::int64_t i) {
    return rank == root ? combined(op, ranks, i) : pattern(op, rank, ranks, i);
  });
}

// Each reduction with the next element type.
void check_placements(Torch& torch, const std::string& algorithm, int ranks) {
  on_ranks(torch, {{"algorithm", algorithm}, {"slot_size", "16"}}, ranks, [&](int rank) {
    std::size_t next = 0;
    for (const DPPolicy& policy : placements(torch.spec().cubes())) {
      for (const ReduceOp op : every_reduction)
        check_all_reduce(torch, policy, every_dtype[next++ % 4], op, rank, ranks);
      ++next;
    }
  });
}

void check_machine(const std::string& topology, int w, int h) {
  const int ranks = w * h;
  for (const std::string& algorithm : every_algorithm) {
    forked([&] {
      TorchMachine m("topology.tiny.yaml", sips(topology, w, h, 2, ranks <= 4 ? 2 : 1));
      m.run([&](Torch& torch) { check_placements(torch, algorithm, ranks); });
      BOOST_TEST(m.failures() == "", algorithm << ", " << topology << " " << w << " x " << h);
    });
  }
}

}  // namespace

// all_reduce: all_reduce_product_test.cpp.
BOOST_AUTO_TEST_CASE(reduce_takes_every_placement_on_1_to_16_ranks) {
  for (const int ranks : every_or({1, 2, 3, 6}, {1, 2, 3, 4, 6, 9, 16})) {
    forked([&] {
      TorchMachine m("topology.tiny.yaml", sips("ring_1d", ranks, 1, 2, ranks <= 4 ? 2 : 1));
      m.run([&](Torch& torch) {
        on_ranks(torch, {{"slot_size", "16"}}, ranks, [&](int rank) {
          std::size_t next = 0;
          for (const DPPolicy& policy : placements(torch.spec().cubes())) {
            for (const ReduceOp op : every_reduction)
              check_reduce(torch, policy, every_dtype[next++ % 4], op, rank, ranks);
            ++next;
          }
        });
      });
      BOOST_TEST(m.failures() == "", ranks << " ranks: " << m.failures());
    });
  }
}

BOOST_AUTO_TEST_CASE(every_algorithm_reduces_every_placement_on_tori_and_meshes) {
  const std::pair<std::string, int> torus{"torus_2d", 3}, mesh{"mesh_2d_no_wrap", 2};
  for (const auto& [topology, w] : every_or({mesh}, {torus, mesh})) check_machine(topology, w, 2);
}

// An algorithm that knows one shard of each part: what is shared is done around it.
BOOST_AUTO_TEST_CASE(an_algorithm_that_knows_no_holders_gets_one_of_each_part) {
  forked([] {
    TorchMachine m("topology.tiny.yaml", sips("ring_1d", 3, 1, 2, 2));
    m.run([&](Torch& torch) {
      AlgorithmRegistry registry = shipped_algorithms();
      CollectiveAlgorithm plain = registry.find("tree_allreduce");
      plain.name = "plain_allreduce";
      plain.serves_holders = false;
      plain.refuses = [](const CollectiveCall& call) {
        const bool parts =
            call.layout.over_cubes() == Holding::parts && call.layout.over_pes() == Holding::parts;
        return std::string(parts ? "" : "several hold the same part");
      };
      registry.add(std::move(plain));
      m.distributed->configure({}, std::make_shared<const AlgorithmRegistry>(std::move(registry)));
      check_placements(torch, "plain_allreduce", 3);
    });
    BOOST_TEST(m.failures() == "");
  });
}

// Values that are written by kernels, each PE its own summand; a copy of the handle knows, too.
KERNBENCH_SYSTEMC_TEST(kernels_write_their_own_partial_sums) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2, 1, 2, 1));
  m.run([](Torch& torch) {
    on_ranks(torch, {}, [&](int rank) {
      const Tensor t = torch.empty({5}, f32, {partial, partial, 2, 3}, "t"), other = t;
      torch.launch(
          LaunchSpec("products").on_pes({0, 1, 2}),
          [](tl::Program& tl, tl::Tensor t, int rank) {
            const int which = tl.program_id(1) * 3 + tl.program_id(0);
            tl.store(t.local(), tl.full(t.local_shape(), which + 10 * rank, f32));
          },
          t, rank);
      BOOST_TEST(t.is_partial());
      expect(torch, t, Values(5, 15 + 60 * rank));
      torch.distributed.all_reduce(t, "avg");
      BOOST_TEST(!other.is_partial());
      expect(torch, other, Values(5, 45));
      torch.distributed.all_reduce(t);  // of copies from now on
      expect(torch, t, Values(5, 90));
    });
  });
  BOOST_TEST(m.failures() == "");
}

// Links between SIPs carry a replicated tensor once per rank, not once per copy.
KERNBENCH_SYSTEMC_TEST(of_copies_one_moves_between_ranks) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2, 1, 2, 1));
  m.run([](Torch& torch) {
    on_ranks(torch, {{"algorithm", "ring_allreduce"}}, [&](int rank) {
      const Tensor t = torch.full({100}, rank, f32, {replicate, replicate, 2, 8}, "t");
      torch.distributed.all_reduce(t);
      expect(torch, t, Values(100, 1));
    });
    int joined = 0;
    for (const auto& [pe, neighbours] : torch.ipcq.graph().pes()) {
      for (const auto& [direction, peer] : neighbours)
        joined += peer.sip != pe.sip && direction == "ring_E" ? 1 : 0;
    }
    // Those of PE 0 of both cubes, which init_process_group has installed, and those of the root.
    BOOST_TEST(joined == 2 * 3);
  });
  BOOST_TEST(m.failures() == "");
}

// What could only move summands is refused, with what to do.
BOOST_AUTO_TEST_CASE(collectives_that_move_values_take_no_partial_sums) {
  const auto partial_of = [](Torch& torch) {
    return torch.zeros({8}, f16, {replicate, partial, 1, 2}, "t");
  };
  refused({"broadcast: tensor 't' is partial (2 shards of 8 elements on pe 0 1 of cube 0, partial "
           "sums over PEs), and broadcast moves values as they are; all_reduce, or copy_ to a "
           "tensor that is not partial, adds the partial sums up"},
          [&](Torch& torch, int) { torch.distributed.broadcast(partial_of(torch), 0); });
  refused({"send: tensor 't' is partial"}, [&](Torch& torch, int rank) {
    if (rank == 0) torch.distributed.send(partial_of(torch), 1);
  });
  refused({"all_gather: tensor 't' is partial"}, [&](Torch& torch, int) {
    const Tensor t = partial_of(torch);
    torch.distributed.all_gather({t, partial_of(torch), partial_of(torch)}, t);
  });
}

BOOST_AUTO_TEST_CASE(ranks_whose_tensors_are_held_differently_do_not_agree) {
  refused({"ranks call different things",
           "2 shards of 8 elements on pe 0 1 of cube 0, partial sums over PEs",
           "2 shards of 8 elements on pe 0 1 of cube 0, copies over PEs"},
          [](Torch& torch, int rank) {
            const Placement pe = rank == 0 ? partial : replicate;
            torch.distributed.all_reduce(torch.zeros({8}, f16, {replicate, pe, 1, 2}, "t"));
          });
}

BOOST_AUTO_TEST_SUITE_END()
