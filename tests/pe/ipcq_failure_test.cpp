// Failures of ring buffers, and their messages (spec 4.2, 8.1).
#include <boost/test/unit_test.hpp>

#include "tests/pe/ring_of_two.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(ipcq_failures)

namespace {

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
std::string error_of_kernel(Kernel kernel) {
  TorchMachine m;
  const RunResult result = run(m, kernel);
  BOOST_TEST(name_of(result.status) == "failed");
  return result.error;
}

}  // namespace

// --- At the call: the message names PE and direction

KERNBENCH_SYSTEMC_TEST(a_payload_above_the_slot_is_an_error) {
  check_contains(error_of_kernel(+[](tl::Program& tl, tl::Tensor) {
                   if (tl.program_id() == 1) tl.send("E", tl.zeros({2049}));
                 }),
                 {"sip0.cube0.pe1",
                  "kernel 'kernel': tl.send on sip0.cube0.pe1 in direction 'E': f16{2049} has 4098 "
                  "bytes, a slot has 4096"});
}

KERNBENCH_SYSTEMC_TEST(a_direction_without_a_queue_pair_is_an_error) {
  check_contains(error_of_kernel(+[](tl::Program& tl, tl::Tensor) { tl.send("N", tl.zeros({1})); }),
                 {"tl.send on sip0.cube0.pe", ": no queue pair in direction 'N'; there are E, W"});
}
KERNBENCH_SYSTEMC_TEST(a_receive_from_no_direction_of_the_pe_is_an_error) {
  check_contains(
      error_of_kernel(+[](tl::Program& tl, tl::Tensor) { tl.recv("intra_E", {1}, f16); }),
      {"tl.recv on sip0.cube0.pe", ": no queue pair in direction 'intra_E'; there are E, W"});
}
KERNBENCH_SYSTEMC_TEST(an_asynchronous_receive_from_no_direction_of_the_pe_is_an_error) {
  check_contains(
      error_of_kernel(+[](tl::Program& tl, tl::Tensor) { tl.recv_async("x", {1}, f16); }),
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
  check_contains(error_of_kernel(+[](tl::Program& tl, tl::Tensor) {
                   if (tl.program_id() == 0) tl.send("E", tl.zeros({3, 5}));
                   if (tl.program_id() == 1) tl.recv("W", {16}, f16);
                 }),
                 {"tl.recv on sip0.cube0.pe1 in direction 'W': f16{16} has 32 bytes, the message "
                  "of sip0.cube0.pe0 is f16{3, 5} of 30 bytes"});
}

KERNBENCH_SYSTEMC_TEST(what_lies_elsewhere_is_not_sent_from_there) {
  check_contains(error_of_kernel(+[](tl::Program& tl, tl::Tensor x) {
                   if (tl.program_id() == 0)
                     tl.send("E", x.ptr() + 8192, {4}, f16);  // the shard of PE 1
                 }),
                 {"tl.send: 8 bytes at x + 8192 lie in sip0.cube0.hbm_ctrl.pe1, not in a memory of "
                  "sip0.cube0.pe0"});
}
KERNBENCH_SYSTEMC_TEST(a_space_that_is_named_must_hold_the_bytes) {
  check_contains(
      error_of_kernel(+[](tl::Program& tl, tl::Tensor x) {
        if (tl.program_id() == 0) tl.send("E", x.local(), {4}, f16, MemorySpace::sram);
      }),
      {"tl.send: 8 bytes at x lie in sip0.cube0.hbm_ctrl.pe0, not in the sram of sip0.cube0.pe0"});
}

KERNBENCH_SYSTEMC_TEST(a_block_too_small_for_the_message_is_refused) {
  check_contains(
      error_of_kernel(+[](tl::Program& tl, tl::Tensor) { tl.recv("W", {16}, f16, tl.zeros({2})); }),
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
               }).find("its queues were reset when a launch failed (sip0.cube0.pe") !=
               std::string::npos);
    torch.ipcq.install(ring_of_two());
    launch(torch, exchange);
  });
}

BOOST_AUTO_TEST_SUITE_END()
