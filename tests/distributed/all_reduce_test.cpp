// Every algorithm of all_reduce gives every rank the right values: on every arrangement of SIPs,
// for every element type and reduction, for sizes from one element to several slots, none of them a
// multiple of anything.
#include "tests/distributed/patterns.h"
#include "tests/distributed/ranks.h"
#include "tests/support/every_case.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(all_reduce)

namespace {

// 4096-byte slots hold 2048 elements of 2 bytes, 1024 of 4.
const std::vector<std::int64_t> sizes{1, 2, 7, 100, 1025, 2049, 5001};

struct Layout {
  DPPolicy policy;
  int shards = 1;
};

// One tensor of {shards, elements}: every row of rank k is contributor k.
void check_all_reduce(Torch& torch, int rank, int ranks, DType dtype, ReduceOp op,
                      std::int64_t elements, const Layout& layout, bool out_of_place = false) {
  const Shape shape{layout.shards, elements};
  std::vector<double> mine;
  for (std::int64_t row = 0; row < layout.shards; ++row) {
    for (std::int64_t i = 0; i < elements; ++i) mine.push_back(pattern(op, rank, ranks, i));
  }
  Tensor t;
  torch.untimed([&] {
    const std::string name = std::string(name_of(op)) + " of " + std::string(name_of(dtype)) + " " +
                             std::to_string(elements);
    t = torch.from_host(HostArray(shape, dtype, mine), layout.policy, name);
  });
  const Tensor result =
      out_of_place ? torch.empty(shape, dtype, layout.policy, t.name() + " to") : t;
  out_of_place ? torch.distributed.all_reduce(result, t, op) : torch.distributed.all_reduce(t, op);
  torch.verify(
      result,
      [=] {
        return values(layout.shards * elements,
                      [&](std::int64_t i) { return combined(op, ranks, i % elements); });
      },
      accuracy_of(op, ranks));
  if (out_of_place) torch.verify(t, [mine] { return mine; });
}

void check_algorithm(Torch& torch, const std::string& algorithm, int ranks, const Layout& layout) {
  on_ranks(torch, {{"algorithm", algorithm}}, ranks, [&](int rank) {
    std::size_t next = 0;
    for (const DType dtype : every_dtype) {
      for (const ReduceOp op : every_reduction) {
        const bool out_of_place = next % 2 == 1;
        check_all_reduce(torch, rank, ranks, dtype, op, sizes[next++ % sizes.size()], layout,
                         out_of_place);
      }
    }
  });
}

void check_machine(const std::string& topology, int w, int h) {
  TorchMachine m("topology.tiny.yaml", sips(topology, w, h));
  m.run([&](Torch& torch) {
    const bool has_ring = topology != "mesh_2d_no_wrap" || w * h % 2 == 0;
    check_algorithm(torch, "lrab_hierarchical_allreduce", w * h, {one_pe});
    check_algorithm(torch, "tree_allreduce", w * h, {one_pe});
    if (has_ring) check_algorithm(torch, "ring_allreduce", w * h, {one_pe});
    if (has_ring && w * h <= 4)
      check_algorithm(torch, "hierarchical_allreduce", w * h,
                      {{Placement::replicate, Placement::row_wise, 1, 8}, 8});
  });
  BOOST_TEST(m.failures() == "", topology << " " << w << " x " << h << ": " << m.failures());
}

// Width and height.
std::vector<std::pair<int, int>> several_sips() {
  return every_or({std::pair(3, 2), std::pair(3, 3)},
                  {std::pair(2, 3), std::pair(3, 2), std::pair(3, 3), std::pair(4, 4)});
}

}  // namespace

BOOST_AUTO_TEST_CASE(ring_of_1_to_9_ranks) {
  for (const int ranks : every_or({1, 2, 3, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9}))
    forked([ranks] { check_machine("ring_1d", ranks, 1); });
}

BOOST_AUTO_TEST_CASE(torus) {
  for (const auto& [w, h] : several_sips())
    forked([w = w, h = h] { check_machine("torus_2d", w, h); });
}

BOOST_AUTO_TEST_CASE(mesh) {
  for (const auto& [w, h] : several_sips())
    forked([w = w, h = h] { check_machine("mesh_2d_no_wrap", w, h); });
}

// Several cubes per SIP; on several PEs of each, every lane for itself.
KERNBENCH_SYSTEMC_TEST(cubes_and_lanes) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2, 1, 3, 2));
  m.run([](Torch& torch) {
    check_algorithm(torch, "lrab_hierarchical_allreduce", 2,
                    {{Placement::row_wise, Placement::replicate, 6, 1}, 6});
    check_algorithm(torch, "ring_allreduce", 2,
                    {{Placement::row_wise, Placement::replicate, 6, 1}, 6});
    check_algorithm(torch, "tree_allreduce", 2,
                    {{Placement::row_wise, Placement::row_wise, 6, 2}, 12});
    check_algorithm(torch, "hierarchical_allreduce", 2,
                    {{Placement::row_wise, Placement::row_wise, 6, 8}, 48});
  });
  BOOST_TEST(m.failures() == "");
}

// Of several cubes one has the tensor: it is the root of a rectangle of 1 x 1, and sends only
// between the SIPs, n - 1 messages each.
KERNBENCH_SYSTEMC_TEST(a_single_cube_sends_nothing_to_other_cubes) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 3, 1, 2, 2));
  m.run([](Torch& torch) {
    on_ranks(torch, {{"algorithm", "lrab_hierarchical_allreduce"}}, [&](int rank) {
      check_all_reduce(torch, rank, 3, DType::f32, ReduceOp::sum, 100, {one_pe});
    });
    BOOST_TEST(torch.ipcq.graph().neighbours({0, 0, 0}).count("E") == 1U);
  });
  BOOST_TEST(m.failures() == "");
  for (int sip = 0; sip < 3; ++sip) {
    for (int cube = 0; cube < 4; ++cube) {
      BOOST_TEST(m.statistic({sip, cube, 0}, PeEngine::pe_ipcq, "sends") == (cube == 0 ? 2U : 0U));
    }
  }
}

// One SIP has no peer.
KERNBENCH_SYSTEMC_TEST(a_single_cube_of_a_single_rank_sends_nothing) {
  TorchMachine m("topology.tiny.yaml");
  m.run([](Torch& torch) { check_algorithm(torch, "lrab_hierarchical_allreduce", 1, {one_pe}); });
  BOOST_TEST(m.failures() == "");
  BOOST_TEST(m.statistic({0, 0, 0}, PeEngine::pe_ipcq, "sends") == 0U);
}

// 50000 bytes in one slot: a message per hop, whatever the memory holds. 2 (n - 1) of them on a
// ring of one-block algorithms.
KERNBENCH_SYSTEMC_TEST(without_chunking_a_block_is_one_message) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 3));
  m.run([](Torch& torch) {
    const CclChanges changes{{"algorithm", "ring_allreduce"},
                             {"chunking", "off"},
                             {"slot_size", "1048576"},
                             {"ring_capacity_check", "off"}};
    on_ranks(torch, changes, [&](int rank) {
      check_all_reduce(torch, rank, 3, DType::f16, ReduceOp::avg, 25'000, {one_pe});
    });
  });
  BOOST_TEST(m.failures() == "");
  for (int sip = 0; sip < 3; ++sip)
    BOOST_TEST(m.statistic({sip, 0, 0}, PeEngine::pe_ipcq, "sends") == 4U);
}

// More than a section of the TCM: 1.5 MB on each PE, in slots of 16384 bytes.
BOOST_AUTO_TEST_CASE(more_than_the_tcm_holds_goes_in_sections) {
  for (const char* algorithm :
       {"tree_allreduce", "ring_allreduce", "lrab_hierarchical_allreduce"}) {
    forked([algorithm] {
      TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2));
      m.run([&](Torch& torch) {
        on_ranks(torch, {{"algorithm", algorithm}, {"slot_size", "16384"}}, [&](int rank) {
          check_all_reduce(torch, rank, 2, DType::bf16, ReduceOp::sum, 750'001, {one_pe});
        });
      });
      BOOST_TEST(m.failures() == "");
    });
  }
}

// 3 + 4 + 6 = 13 by 3: an average of integers is rounded as a conversion to integers is.
KERNBENCH_SYSTEMC_TEST(an_average_of_integers_is_an_integer) {
  on_a_ring(3, [](Torch& torch, int rank) {
    const Tensor t = torch.full(
        {3}, std::vector<double>{3, 4, 6}.at(static_cast<std::size_t>(rank)), i32, one_pe, "t");
    torch.distributed.all_reduce(t, "avg");
    expect(torch, t, Values(3, 4));
  });
}

// NCCL: the sum of integers is divided exactly, towards zero; floats are divided before they are
// added, and 60000 + 60000 does not overflow f16.
BOOST_AUTO_TEST_CASE(an_average_does_not_overflow_and_is_exact_for_integers) {
  for (const std::string& algorithm : shipped_algorithms().names(CollectiveOp::all_reduce)) {
    forked([&] {
      TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2));
      m.run([&](Torch& torch) {
        on_ranks(torch, {{"algorithm", algorithm}}, [&](int rank) {
          const auto check = [&](DType dtype, const std::vector<double>& mine,
                                 const std::vector<double>& average) {
            const Shape shape{static_cast<std::int64_t>(mine.size())};
            const Tensor t =
                torch.from_host(HostArray(shape, dtype, mine),
                                {Placement::replicate, Placement::replicate, 1, 8}, "t");
            torch.distributed.all_reduce(t, "avg");
            torch.verify(t, [average] { return average; });
          };
          check(i32, {16777217, 100000001, 3.0 + rank, -3.0 - rank}, {16777217, 100000001, 3, -3});
          check(f16, {60000, -60000, 1.0 + rank}, {60000, -60000, 1.5});
        });
      });
      BOOST_TEST(m.failures() == "", algorithm << ": " << m.failures());
    });
  }
}

BOOST_AUTO_TEST_CASE(ranks_that_are_pes_for_diagnosis) {
  for (const char* algorithm : {"ring_allreduce", "tree_allreduce"}) {
    for (const int ranks : every_or({5}, {1, 5, 16})) {
      forked([=] {
        TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2));
        m.run([&](Torch& torch) {
          ranks_are_pes(*m.distributed, algorithm, ranks);
          check_algorithm(torch, algorithm, ranks, {one_pe});
        });
        BOOST_TEST(m.failures() == "", algorithm << " of " << ranks << ": " << m.failures());
      });
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
