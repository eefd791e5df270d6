// Failures of ring buffers, and their messages (spec 4.2, 8.1).
#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"
#include "tests/support/torch_machine.h"

using namespace kernbench;
using namespace kernbench::test;

namespace {

DPPolicy rows(int pes) { return {Placement::replicate, Placement::row_wise, 1, pes}; }
NeighbourGraph ring_of_two() { return graphs::intra_pe_ring(0, 0, 2); }

// Installs a ring of two PEs and launches on both.
template <class Kernel>
RunResult run(TorchMachine& m, Kernel kernel, const IpcqSettings& options = {},
              const RunLimits& limits = {}) {
  return m.try_run(
      [&](Torch& torch) {
        torch.ipcq.install(ring_of_two(), options);
        const Tensor x = torch.zeros({2, 4096}, f16, rows(2), "x");
        torch.launch(LaunchSpec("kernel").on_pes({0, 1}), kernel, x);
      },
      limits);
}

template <class Kernel>
std::string error_of(Kernel kernel) {
  TorchMachine m;
  const RunResult result = run(m, kernel);
  BOOST_TEST(name_of(result.status) == "failed");
  return result.error;
}

template <class Kernel>
void launch(Torch& torch, Kernel kernel) {
  const Tensor where = torch.empty({2, 1}, f16, rows(2), "where");
  torch.launch(LaunchSpec("kernel").on_pes({0, 1}), kernel, where);
}

template <class Body>
std::string text_of(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(ipcq_failures)

// --- At the call: the message names PE and direction

KERNBENCH_SYSTEMC_TEST(a_payload_above_the_slot_is_an_error) {
  check_contains(error_of(+[](tl::Program& tl, tl::Tensor) {
                   if (tl.program_id() == 1) tl.send("E", tl.zeros({2049}));
                 }),
                 {"sip0.cube0.pe1",
                  "kernel 'kernel': tl.send on sip0.cube0.pe1 in direction 'E': f16{2049} has 4098 "
                  "bytes, a slot has 4096"});
}

KERNBENCH_SYSTEMC_TEST(a_direction_without_a_queue_pair_is_an_error) {
  check_contains(error_of(+[](tl::Program& tl, tl::Tensor) { tl.send("N", tl.zeros({1})); }),
                 {"tl.send on sip0.cube0.pe", ": no queue pair in direction 'N'; there are E, W"});
}
KERNBENCH_SYSTEMC_TEST(a_receive_from_no_direction_of_the_pe_is_an_error) {
  check_contains(
      error_of(+[](tl::Program& tl, tl::Tensor) { tl.recv("intra_E", {1}, f16); }),
      {"tl.recv on sip0.cube0.pe", ": no queue pair in direction 'intra_E'; there are E, W"});
}
KERNBENCH_SYSTEMC_TEST(an_asynchronous_receive_from_no_direction_of_the_pe_is_an_error) {
  check_contains(error_of(+[](tl::Program& tl, tl::Tensor) { tl.recv_async("x", {1}, f16); }),
                 {"tl.recv_async on sip0.cube0.pe", ": no queue pair in direction 'x'"});
}

KERNBENCH_SYSTEMC_TEST(without_rings_nothing_can_be_sent_or_received) {
  TorchMachine m;
  m.run([](Torch& torch) {
    BOOST_TEST(text_of([&] {
                 launch(
                     torch, +[](tl::Program& tl, tl::Ptr) { tl.send("E", tl.zeros({1})); });
               }).find("no queue pair is installed there (torch.ipcq.install)") !=
               std::string::npos);
    BOOST_TEST(text_of([&] {
                 launch(
                     torch, +[](tl::Program& tl, tl::Ptr) { tl.recv({1}, f16); });
               }).find("tl.recv on sip0.cube0.pe") != std::string::npos);
    BOOST_TEST(text_of([&] {
                 launch(
                     torch, +[](tl::Program& tl, tl::Ptr) { tl.slot_bytes(); });
               }).find("tl.slot_bytes on sip0") != std::string::npos);
    launch(
        torch, +[](tl::Program& tl, tl::Ptr) {
          if (tl.connected("E")) throw std::runtime_error("connected");
        });
  });
}

KERNBENCH_SYSTEMC_TEST(a_receive_of_another_size_than_the_message_is_an_error) {
  check_contains(error_of(+[](tl::Program& tl, tl::Tensor) {
                   if (tl.program_id() == 0) tl.send("E", tl.zeros({3, 5}));
                   if (tl.program_id() == 1) tl.recv("W", {16}, f16);
                 }),
                 {"tl.recv on sip0.cube0.pe1 in direction 'W': f16{16} has 32 bytes, the message "
                  "of sip0.cube0.pe0 is f16{3, 5} of 30 bytes"});
}

KERNBENCH_SYSTEMC_TEST(what_lies_elsewhere_is_not_sent_from_there) {
  check_contains(error_of(+[](tl::Program& tl, tl::Tensor x) {
                   if (tl.program_id() == 0)
                     tl.send("E", x.ptr() + 8192, {4}, f16);  // the shard of PE 1
                 }),
                 {"tl.send: 8 bytes at x + 8192 lie in sip0.cube0.hbm_ctrl.pe1, not in a memory of "
                  "sip0.cube0.pe0"});
}
KERNBENCH_SYSTEMC_TEST(a_space_that_is_named_must_hold_the_bytes) {
  check_contains(
      error_of(+[](tl::Program& tl, tl::Tensor x) {
        if (tl.program_id() == 0) tl.send("E", x.local(), {4}, f16, MemorySpace::sram);
      }),
      {"tl.send: 8 bytes at x lie in sip0.cube0.hbm_ctrl.pe0, not in the sram of sip0.cube0.pe0"});
}

KERNBENCH_SYSTEMC_TEST(a_block_too_small_for_the_message_is_refused) {
  check_contains(
      error_of(+[](tl::Program& tl, tl::Tensor) { tl.recv("W", {16}, f16, tl.zeros({2})); }),
      {"tl.recv of f16{16} into f16{2}, which has 4 bytes"});
}

// --- Deadlocks

// Both wait for what the other would send next.
KERNBENCH_SYSTEMC_TEST(receives_that_wait_for_ever_are_listed_with_their_queues) {
  TorchMachine m;
  const RunResult result = run(
      m, +[](tl::Program& tl, tl::Tensor) {
        tl.send("E", tl.zeros({1}));
        tl.recv("W", {1}, f16);
        tl.recv("W", {1}, f16);
      });
  BOOST_TEST(name_of(result.status) == "deadlock");
  BOOST_CHECK_THROW(std::rethrow_exception(result.cause), DeadlockError);
  check_contains(
      result.error,
      {"nothing is pending, and", "host.program waits for the end of KernelLaunch 'kernel'",
       "\n  sip0.cube0.pe0.pe_cpu waits for tl.recv in direction 'W' of kernel 'kernel' since ",
       "\n  sip0.cube0.pe0.pe_ipcq waits for a message in direction 'W' of sip0.cube0.pe1 since ",
       "\n    E <-> sip0.cube0.pe1 W: sent head 1, tail 1, credits 4 of 4; received head 0, tail 0",
       "\n    W <-> sip0.cube0.pe1 E: sent head 0, tail 0, credits 4 of 4; received head 1, tail 1",
       "\n  sip0.cube0.pe1.pe_ipcq waits for a message in direction 'W' of sip0.cube0.pe0 since "});
}

// All PEs send more than the rings hold before any of them receives.
KERNBENCH_SYSTEMC_TEST(sends_that_wait_for_ever_are_listed_with_their_queues) {
  for (const Backpressure backpressure : {Backpressure::sleep, Backpressure::poll}) {
    const std::string error = forked_value([backpressure] {
      TorchMachine m;
      IpcqSettings options;
      options.backpressure = backpressure;
      options.n_slots = 2;
      return run(
                 m,
                 +[](tl::Program& tl, tl::Tensor) {
                   for (int i = 0; i < 3; ++i) tl.send("E", tl.zeros({1}));
                   for (int i = 0; i < 3; ++i) tl.recv("W", {1}, f16);
                 },
                 options)
          .error;
    });
    check_contains(error, {backpressure == Backpressure::sleep
                               ? "nothing is pending, and"
                               : "nothing but polling and clocks for 1000000 ns, and",
                           "\n  sip0.cube0.pe1.pe_ipcq waits for a credit to send in direction 'E' "
                           "to sip0.cube0.pe0 since ",
                           "\n    E <-> sip0.cube0.pe0 W: sent head 2, tail 0, credits 0 of 2; "
                           "received head 0, tail 0",
                           "\n    W <-> sip0.cube0.pe0 E: sent head 0, tail 0, credits 2 of 2; "
                           "received head 2, tail 0"});
  }
}

KERNBENCH_SYSTEMC_TEST(a_receive_without_a_direction_that_waits_for_ever_is_listed) {
  TorchMachine m;
  check_contains(run(
                     m, +[](tl::Program& tl, tl::Tensor) { tl.recv({1}, f16); })
                     .error,
                 {"pe0.pe_cpu waits for tl.recv in any direction of kernel 'kernel' since ",
                  "pe0.pe_ipcq waits for a message in any direction since "});
}

// --- Failed launches

// PE 1 fails; PE 0 waits for its message and is ended. The queues are reset: what they hold is
// lost, and they have to be installed again.
KERNBENCH_SYSTEMC_TEST(a_failure_elsewhere_ends_a_receive_and_resets_the_queues) {
  TorchMachine m;
  m.run([](Torch& torch) {
    torch.ipcq.install(ring_of_two());
    const std::string failed = text_of([&] {
      launch(
          torch, +[](tl::Program& tl, tl::Ptr) {
            tl.send("E", tl.zeros({1}));
            if (tl.program_id() == 1) throw std::runtime_error("no more");
            tl.recv("E", {1}, f16);
          });
    });
    BOOST_TEST(failed.find("sip0.cube0.pe1.pe_cpu") != std::string::npos, failed);
    BOOST_TEST(failed.find("no more") != std::string::npos);
    const auto exchange = +[](tl::Program& tl, tl::Ptr) {
      tl.send("E", tl.full({1}, 1));
      if (tl.recv("W", {1}, f16).item() != 1) throw std::runtime_error("an old message");
    };
    BOOST_TEST(text_of([&] {
                 launch(torch, exchange);
               }).find("its queues were reset when a launch failed; torch.ipcq.install") !=
               std::string::npos);
    torch.ipcq.install(ring_of_two());
    launch(torch, exchange);
  });
}

// --- Installation

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

// pe_ipcq holds 12 queue pairs: PE 0 is to have 13. Every PE is asked before any of them is
// changed.
KERNBENCH_SYSTEMC_TEST(more_queue_pairs_than_pe_ipcq_holds_are_refused_by_all) {
  TorchMachine m;
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
