// Kernels that send and receive (spec 6, 8.1): what arrives, in which order, and what is refused.
#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "tests/pe/ipcq_kernels.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(ipcq_kernels)

namespace {

void shift(tl::Program& tl, tl::Tensor x, tl::Tensor out) {
  tl.send("E", tl.load(x.local(), x.local_shape(), x.dtype()));
  tl.store(out.local(), tl.recv("W", out.local_shape(), out.dtype()));
}

}  // namespace

// --- Data

BOOST_AUTO_TEST_CASE(what_is_sent_arrives_at_the_neighbour_whatever_the_buffers) {
  for (const MemorySpace buffer : {MemorySpace::tcm, MemorySpace::sram, MemorySpace::hbm}) {
    forked([buffer] {
      TorchMachine m;
      IpcqSettings options;
      options.buffer_kind = buffer;
      BOOST_TEST(run(m, ring_of(8), shift, input(8, 64), moved(input(8, 64), 1), options) == "");
    });
  }
}

// Sums of sums go round before their values are known: they are references until phase 2.
KERNBENCH_SYSTEMC_TEST(results_that_are_pending_are_sent_and_forwarded) {
  TorchMachine m;
  const auto all_reduce = [](tl::Program& tl, tl::Tensor x, tl::Tensor out) {
    tl::Handle travelling = tl.load(x.local(), x.local_shape(), x.dtype()) * 2.0;
    tl::Handle sum = travelling;
    for (int step = 1; step < tl.num_programs(); ++step) {
      tl.send("E", travelling);
      travelling = tl.recv("W", x.local_shape(), x.dtype());
      sum = sum + travelling;
    }
    tl.store(out.local(), sum);
  };
  const HostArray x = input(4, 33);
  std::vector<double> expected(4 * 33);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t row = 0; row < 4; ++row) expected[i] += 2 * x.values()[row * 33 + i % 33];
  }
  BOOST_TEST(run(m, ring_of(4), all_reduce, x, expected) == "");
}

// Both directions lead to the same peer: what is sent east arrives at the west.
KERNBENCH_SYSTEMC_TEST(in_a_ring_of_two_the_directions_do_not_mix) {
  TorchMachine m;
  const auto exchange = [](tl::Program& tl, tl::Tensor x, tl::Tensor out) {
    const tl::Handle mine = tl.load(x.local(), {2, 4}, f16);
    tl.send("W", tl.slice(mine, 0, 1));
    tl.send("E", tl.slice(mine, 1, 2));
    tl.store(out.local(), tl.recv("W", {4}, f16));  // sent east
    tl.store(out.local() + 8, tl.recv("E", {4}, f16));
  };
  const HostArray x = array({2, 8}, {1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, -4, -5, -6, -7, -8});
  BOOST_TEST(run(m, ring_of(2), exchange, x,
                 {-5, -6, -7, -8, -1, -2, -3, -4, 5, 6, 7, 8, 1, 2, 3, 4}) == "");
}

// One slot, four messages, all kept: none is what a later one has put into the slot.
KERNBENCH_SYSTEMC_TEST(what_was_received_does_not_change_when_the_slot_is_used_again) {
  TorchMachine m;
  IpcqSettings options;
  options.n_slots = 1;
  const auto rows_one_by_one = [](tl::Program& tl, tl::Tensor x, tl::Tensor out) {
    const tl::Handle mine = tl.load(x.local(), {4, 2}, f16);
    std::vector<tl::Handle> kept;
    for (int i = 0; i < 4; ++i) {
      tl.send("E", tl.slice(mine, i, i + 1));
      kept.push_back(tl.recv("W", {1, 2}, f16));
    }
    for (int i = 0; i < 4; ++i) tl.store(out.local() + 4 * i, kept[static_cast<std::size_t>(i)]);
  };
  BOOST_TEST(run(m, ring_of(2), rows_one_by_one, input(2, 8), moved(input(2, 8), 1), options) ==
             "");
}

// The store overwrites the source at the instant at which send returns, long before the message
// leaves.
KERNBENCH_SYSTEMC_TEST(the_bytes_sent_are_those_at_issue) {
  TorchMachine m;
  const auto overwrite = [](tl::Program& tl, tl::Tensor x, tl::Tensor out) {
    tl.send("E", x.local(), x.local_shape(), x.dtype());
    tl.store(x.local(), tl.zeros(x.local_shape()));
    tl.store(out.local(), tl.recv("W", out.local_shape(), out.dtype()));
  };
  BOOST_TEST(run(m, ring_of(2), overwrite, input(2, 100), moved(input(2, 100), 1)) == "");
}

KERNBENCH_SYSTEMC_TEST(a_strided_block_is_sent_in_row_major_order) {
  TorchMachine m;
  const auto transposed = [](tl::Program& tl, tl::Tensor x, tl::Tensor out) {
    tl.send("E", tl.trans(tl.load(x.local(), {2, 3}, f16)));
    tl.store(out.local(), tl.recv("W", {3, 2}, f16));
  };
  const HostArray x = array({2, 6}, {1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0});
  BOOST_TEST(run(m, ring_of(2), transposed, x, {0, 0, 0, 0, 0, 0, 1, 4, 2, 5, 3, 6}) == "");
}

KERNBENCH_SYSTEMC_TEST(received_values_that_are_known_can_be_branched_on) {
  TorchMachine m;
  const auto largest = [](tl::Program& tl, tl::Tensor x, tl::Tensor out) {
    const tl::Handle mine = tl.load(x.local(), {1}, f16);
    tl.send("E", mine);
    const tl::Handle theirs = tl.recv("W", {1}, f16);
    tl.store(out.local(), theirs.item() > mine.item() ? theirs : mine);
  };
  BOOST_TEST(run(m, ring_of(2), largest, array({2, 1}, {3, 8}), {8, 8}) == "");
}

KERNBENCH_SYSTEMC_TEST(a_message_is_seen_as_another_type_of_the_same_size) {
  TorchMachine m;
  const auto as_integers = [](tl::Program& tl, tl::Tensor x, tl::Tensor out) {
    tl.send("E", x.local(), x.local_shape()[1] * 2);  // bytes
    const tl::Handle words = tl.recv("W", {2}, i32);
    tl.send("E", words);
    tl.store(out.local(), tl.recv("W", {1, 4}, f16));
  };
  BOOST_TEST(run(m, ring_of(2), as_integers, input(2, 4), moved(input(2, 4), 0)) == "");
}

// --- Copies

KERNBENCH_SYSTEMC_TEST(a_message_is_copied_into_a_block_or_to_memory) {
  TorchMachine m;
  const auto copies = [](tl::Program& tl, tl::Tensor x, tl::Tensor out) {
    const tl::Handle mine = tl.load(x.local(), {2, 8}, f16);
    tl.send("E", tl.slice(mine, 0, 1));
    tl.send("E", tl.slice(mine, 1, 2));
    const tl::Handle block = tl.zeros({8});
    const tl::Handle first = tl.recv("W", {8}, f16, block);
    tl.store(out.local(), first);
    tl.recv("W", {8}, f16, out.local() + 16, MemorySpace::hbm);  // no store: it lies there already
  };
  BOOST_TEST(run(m, ring_of(2), copies, input(2, 16), moved(input(2, 16), 1)) == "");
}

// --- Order

KERNBENCH_SYSTEMC_TEST(messages_of_a_direction_keep_their_order_and_do_not_wait_for_others) {
  TorchMachine m;
  const auto two_ways = [](tl::Program& tl, tl::Tensor x, tl::Tensor out) {
    const tl::Handle mine = tl.load(x.local(), {4, 1}, f16);
    for (int i = 0; i < 3; ++i) tl.send("E", tl.slice(mine, i, i + 1));
    tl.send("W", tl.slice(mine, 3, 4));
    tl.store(out.local() + 6, tl.recv("E", {1}, f16));  // the last one first
    for (int i = 0; i < 3; ++i) tl.store(out.local() + 2 * i, tl.recv("W", {1}, f16));
  };
  BOOST_TEST(run(m, ring_of(2), two_ways, input(2, 4), moved(input(2, 4), 1)) == "");
}

// When both wait it is their turn by direction, E before W at the start; one alone is taken again.
KERNBENCH_SYSTEMC_TEST(a_receive_without_a_direction_takes_them_round_robin) {
  TorchMachine m;
  const auto gather = [](tl::Program& tl, tl::Tensor x, tl::Tensor out) {
    const int pe = tl.program_id();
    const tl::Handle mine = tl.load(x.local(), {1}, f16);
    if (pe == 1)
      for (int i = 0; i < 2; ++i) tl.send("W", mine);  // arrives at the east of PE 0
    if (pe == 2)
      for (int i = 0; i < 4; ++i) tl.send("E", mine);  // at its west
    if (pe != 0) return;
    tl.cycles(1000);  // all are there
    std::string order;
    tl::Handle sum = tl.zeros({1});
    for (int i = 0; i < 6; ++i) {
      std::string from;
      sum = sum + tl.recv({1}, f16, &from);
      order += from;
    }
    if (order == "EWEWWW") tl.store(out.local(), sum);
  };
  BOOST_TEST(run(m, ring_of(3), gather, array({3, 1}, {0, 10, 1}), {24, 0, 0}) == "");
}

// --- Larger machines

// PE 3 of two neighbouring cubes, and of two SIPs.
KERNBENCH_SYSTEMC_TEST(messages_cross_cubes_and_sips) {
  TorchMachine m("topology.yaml");
  m.run([](Torch& torch) {
    NeighbourGraph graph = graphs::cube_mesh(0, 4, {0, 0, 2, 1}, {0});
    graph.add(graphs::sip({"ring_1d", 2, 0, 0}, {{1, 0}}));
    torch.ipcq.install(graph);
    const DPPolicy on_two_cubes{Placement::row_wise, Placement::replicate, 2, 1};
    const Tensor x = torch.from_host(input(2, 8), on_two_cubes, "x");
    torch.ahbm.set_device(1);
    const Tensor out = torch.zeros({2, 8}, f16, on_two_cubes, "out");
    const LaunchHandle there = torch.launch_async(
        LaunchSpec("out").on_pe(0),
        +[](tl::Program& tl, tl::Tensor out) {
          if (tl.program_id(1) == 1) tl.store(out.local(), tl.recv("global_W", {1, 8}, f16));
        },
        out);
    torch.launch(
        LaunchSpec("in").on_pe(0),
        +[](tl::Program& tl, tl::Tensor x) {
          if (tl.program_id(1) == 0) tl.send("E", x.local(), x.local_shape(), f16);
          if (tl.program_id(1) == 1) tl.send("global_E", tl.recv("W", {8}, f16));
        },
        x);
    torch.wait(there);
    torch.verify(out, [] {
      std::vector<double> expected(8, 0.0);
      for (int i = 0; i < 8; ++i)
        expected.push_back(input(2, 8).values()[static_cast<std::size_t>(i)]);
      return expected;
    });
  });
  BOOST_TEST(m.failures() == "");
  BOOST_TEST(m.statistic({1, 1, 0}, PeEngine::pe_ipcq, "bytes_received") == 16u);
}

// --- Questions that cost nothing

KERNBENCH_SYSTEMC_TEST(a_kernel_asks_for_its_directions_and_slots) {
  TorchMachine m;
  const auto ends = [](tl::Program& tl, tl::Tensor x, tl::Tensor out) {
    const bool first = !tl.connected("intra_W"), last = !tl.connected("intra_E");
    if (!last) tl.send("intra_E", tl.full({2}, static_cast<double>(tl.slot_bytes())));
    if (first) tl.store(out.local(), tl.zeros({2}));
    if (!first) tl.store(out.local(), tl.recv("intra_W", {2}, f16));
    tl.load(x.local(), x.local_shape(), f16);
  };
  IpcqSettings options;
  options.slot_size = 512;
  NeighbourGraph line;
  for (int pe = 0; pe < 2; ++pe)
    line.connect({0, 0, pe}, "intra_E", {0, 0, pe + 1})
        .connect({0, 0, pe + 1}, "intra_W", {0, 0, pe});
  BOOST_TEST(run(m, line, ends, input(3, 2), {0, 0, 512, 512, 512, 512}, options) == "");
}

// --- Records

KERNBENCH_SYSTEMC_TEST(the_op_log_has_the_sends_the_copies_and_the_receives) {
  TorchMachine m;
  run(m, ring_of(2), shift, input(2, 10), moved(input(2, 10), 1));
  for (const char* name : {"ipcq_send", "ipcq_copy", "ipcq_recv"}) {
    const std::vector<ExecutedOp> ops = m.ops(name);
    BOOST_REQUIRE(ops.size() == 2u);
    for (const ExecutedOp& op : ops) {
      BOOST_TEST(op.bytes == 20u);
      BOOST_REQUIRE(op.data != nullptr);
    }
  }
  const ExecutedOp copy = m.ops("ipcq_copy")[0], receive = m.ops("ipcq_recv")[0];
  BOOST_TEST((copy.kind == OpKind::copy));
  BOOST_TEST(m.ops("ipcq_send")[0].data->places.from.size() == 1u);
  bool is_ring = false;
  for (const IpcqRing& ring : m.runtime->ipcq.rings())
    is_ring = is_ring || ring.base == copy.data->places.to.front().pa;
  BOOST_TEST(is_ring);  // the first slot of one of them
  BOOST_TEST(receive.data->places.from.front().nbytes == 20u);
}

BOOST_AUTO_TEST_SUITE_END()
