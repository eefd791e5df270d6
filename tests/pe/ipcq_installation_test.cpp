// Installation of ring buffers: their memory, replacement, refusals (spec 8.1).
#include <boost/test/unit_test.hpp>
#include <map>

#include "tests/pe/ring_of_two.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(ipcq_installation)

KERNBENCH_SYSTEMC_TEST(an_installation_takes_the_time_of_its_messages) {
  TorchMachine m;
  m.run([](Torch& torch) {
    const Fs before = torch.now();
    torch.ipcq.install(graphs::intra_pe_ring(0, 0, 8));
    BOOST_TEST(torch.now() >
               before + 50 * fs_per_ns);  // to the PEs and back: asked, then installed
    BOOST_TEST(torch.ipcq.rings().size() == 16u);
  });
}

KERNBENCH_SYSTEMC_TEST(rings_lie_in_the_memory_of_their_kind_and_do_not_overlap) {
  TorchMachine m;
  m.run([&](Torch& torch) {
    for (const MemorySpace space : {MemorySpace::tcm, MemorySpace::sram, MemorySpace::hbm}) {
      IpcqSettings options;
      options.buffer_kind = space;
      options.slot_size = 1000;
      const Tensor neighbour = torch.empty({8, 100}, f16, rows(8), "neighbour");
      torch.ipcq.install(graphs::intra_mesh(0, 0, 8), options);
      std::map<std::uint64_t, std::uint64_t> taken;
      for (const Shard& shard : neighbour.shards()) taken[shard.pa] = shard.pa + shard.nbytes;
      for (const IpcqRing& ring : torch.ipcq.rings()) {
        const MemoryTarget place = torch.spec().place_of(ring.base),
                           end = torch.spec().place_of(ring.base + ring.nbytes - 1);
        BOOST_TEST(ring.nbytes == 4000u);
        BOOST_TEST((place.node == end.node));
        const PeId pe = ring.end.pe;
        BOOST_TEST(place.node == (space == MemorySpace::tcm
                                      ? torch.spec().engine(pe, PeEngine::pe_tcm)
                                  : space == MemorySpace::sram ? torch.spec().sram(pe.sip, pe.cube)
                                                               : torch.spec().hbm(pe)));
        if (space == MemorySpace::tcm) {
          BOOST_TEST(place.offset >=
                     torch.spec().scratch_bytes);  // not where kernels keep their handles
          BOOST_TEST(end.offset <
                     torch.spec().tcm_bytes -
                         torch.spec().tcm_reserved_bytes);  // nor the scheduler its tiles
        }
        taken[ring.base] = ring.base + ring.nbytes;
      }
      std::uint64_t last = 0;
      for (const auto& [begin, finish] : taken) {
        BOOST_TEST(begin >= last);
        last = finish;
      }
      BOOST_TEST(taken.size() == 8u + torch.ipcq.rings().size());
    }
  });
}

KERNBENCH_SYSTEMC_TEST(a_second_installation_replaces_the_first_and_gives_its_memory_back) {
  TorchMachine m;
  m.run([](Torch& torch) {
    IpcqSettings options;
    options.buffer_kind = MemorySpace::hbm;
    torch.ipcq.install(ring_of_two(), options);
    launch(
        torch, +[](tl::Program& tl, tl::Ptr) {
          tl.send("E", tl.zeros({1}));
          tl.recv("W", {1}, f16);
        });
    BOOST_TEST(torch.ipcq.rings().size() == 4u);
    NeighbourGraph other;
    other.connect({0, 0, 0}, "down", {0, 0, 2}).connect({0, 0, 2}, "up", {0, 0, 0});
    torch.ipcq.install(other);
    BOOST_TEST(torch.ipcq.rings().size() == 2u);
    launch(
        torch, +[](tl::Program& tl, tl::Ptr) {
          if (tl.connected("E") || tl.connected("down") != (tl.program_id() == 0))
            throw std::runtime_error("not replaced");
        });
    torch.ipcq.remove();
    BOOST_TEST(!torch.ipcq.installed());
  });
  for (int pe = 0; pe < 3; ++pe) BOOST_TEST(m.runtime->memory->used_bytes({0, 0, pe}) == 0u);
}

// The message stays where it is and can still be received.
KERNBENCH_SYSTEMC_TEST(rings_that_hold_a_message_are_not_replaced) {
  TorchMachine m;
  m.run([](Torch& torch) {
    torch.ipcq.install(ring_of_two());
    launch(
        torch, +[](tl::Program& tl, tl::Ptr) {
          if (tl.program_id() == 0) tl.send("E", tl.full({1}, 7));
        });
    for (const bool remove : {false, true}) {
      std::string code;
      try {
        remove ? torch.ipcq.remove() : torch.ipcq.install(graphs::intra_pe_ring(0, 0, 3));
      } catch (const LaunchError& error) {
        code = error.code();
        BOOST_TEST(std::string(error.what()).find("its queues hold messages or await credits:") !=
                   std::string::npos);
        BOOST_TEST(std::string(error.what()).find("E <-> sip0.cube0.pe1 W: sent head 1, tail 0") !=
                   std::string::npos);
      }
      BOOST_TEST(code == "ipcq_busy");
    }
    launch(
        torch, +[](tl::Program& tl, tl::Ptr) {
          if (tl.connected("E") && tl.program_id() == 1 && tl.recv("W", {1}, f16).item() != 7)
            throw std::runtime_error("lost");
        });
    torch.ipcq.install(graphs::intra_pe_ring(0, 0, 3));
    BOOST_TEST(torch.ipcq.rings().size() == 6u);
  });
}

// 1 MiB of the TCM is scratch, 512 KiB are the scheduler's: half a MiB is left, less than two rings
// of 4 slots of 64 KiB + 1.
KERNBENCH_SYSTEMC_TEST(rings_that_do_not_fit_are_refused_and_leave_nothing_behind) {
  TorchMachine m;
  m.run([](Torch& torch) {
    IpcqSettings options;
    options.slot_size = (64 << 10) + 1;
    const std::string error = text_of([&] { torch.ipcq.install(ring_of_two(), options); });
    check_contains(error, {"torch.ipcq.install: rings of 4 slots of 65537 bytes do not fit:",
                           "sip0.cube0.pe0 TCM behind the scratch"});
    BOOST_TEST(!torch.ipcq.installed());
    options.slot_size = 64 << 10;
    torch.ipcq.install(ring_of_two(), options);  // to the last byte
    options.slot_size = std::uint64_t{1} << 30;
    options.ring_capacity_check = false;
    torch.ipcq.install(ring_of_two(), options);
    launch(
        torch, +[](tl::Program& tl, tl::Ptr) {
          tl.send("E", tl.full({1}, 7));
          if (tl.recv("W", {1}, f16).item() != 7) throw std::runtime_error("lost");
        });
  });
}

// A pe_ipcq of 12 queue pairs: PE 0 is to have 13. Every PE is asked before any of them is
// changed.
KERNBENCH_SYSTEMC_TEST(more_queue_pairs_than_pe_ipcq_holds_are_refused_by_all) {
  TorchMachine m("topology.tiny.yaml",
                 {{"cube.pe_template.components.pe_ipcq.attrs.queue_pairs", "12"}});
  m.run([](Torch& torch) {
    torch.ipcq.install(ring_of_two());
    NeighbourGraph star;
    for (int i = 0; i < 13; ++i) {
      const PeId leaf{0, 0, 1 + i % 7};
      star.connect({0, 0, 0}, "child" + std::to_string(i), leaf)
          .connect(leaf, "parent" + std::to_string(i), {0, 0, 0});
    }
    check_contains(text_of([&] { torch.ipcq.install(star); }),
                   {"sip0.cube0.pe0.pe_ipcq at ", ": 13 queue pairs, allowed is 12"});
    launch(
        torch, +[](tl::Program& tl, tl::Ptr) {
          tl.send("E", tl.zeros({1}));
          tl.recv("W", {1}, f16);
        });
  });
}

KERNBENCH_SYSTEMC_TEST(wrong_graphs_and_options_are_refused) {
  TorchMachine m;
  m.run([](Torch& torch) {
    check_contains(text_of([&] { torch.ipcq.install(graphs::intra_pe_ring(0, 0, 9)); }),
                   {"torch.ipcq.install: the graph has sip0.cube0.pe8; the machine has 1 SIPs of 1 "
                    "cubes of 8 PEs"});
    NeighbourGraph one_way;
    one_way.connect({0, 0, 0}, "E", {0, 0, 1});
    check_contains(text_of([&] { torch.ipcq.install(one_way); }),
                   {"direction 'E' of sip0.cube0.pe0 leads to sip0.cube0.pe1, which has no"});
    const auto refused = [&](auto change) {
      IpcqSettings options;
      change(options);
      return text_of([&] { torch.ipcq.install(ring_of_two(), options); });
    };
    check_contains(refused([](IpcqSettings& o) { o.n_slots = 0; }),
                   {"torch.ipcq.install: n_slots is 0, allowed is at least 1"});
    check_contains(refused([](IpcqSettings& o) { o.slot_size = 0; }), {"slot_size is 0 bytes"});
    check_contains(refused([](IpcqSettings& o) { o.ipcq_credit_size_bytes = 0; }),
                   {"credit_size is 0 bytes"});
    check_contains(refused([](IpcqSettings& o) { o.poll_ns = 0; }),
                   {"poll_ns is 0, allowed is more than 0"});
    check_contains(refused([](IpcqSettings& o) { o.vc_chunk_size = 0; }),
                   {"vc_chunk_size is 0 bytes"});
    check_contains(text_of([] { parse_memory_space("dram"); }),
                   {"memory space 'dram', allowed: tcm, sram, hbm"});
    check_contains(text_of([] { parse_backpressure("spin"); }),
                   {"backpressure 'spin', allowed: sleep, poll"});
    torch.ipcq.install({});  // nothing
    BOOST_TEST(!torch.ipcq.installed());
    launch(
        torch, +[](tl::Program&, tl::Ptr) {});
  });
}

BOOST_AUTO_TEST_SUITE_END()
