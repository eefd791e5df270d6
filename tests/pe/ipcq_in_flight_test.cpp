// Sends and receives that a kernel leaves in flight (spec 6, 8.1): their order, and their end.
#include <boost/test/unit_test.hpp>

#include "sw/tl/overlap.h"
#include "tests/pe/ipcq_kernels.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(ipcq_in_flight)

// Ten messages to the east, one to the west, of which the peer takes the last one first: in queues
// of their own they do not wait for each other. Sends that block would be a deadlock.
KERNBENCH_SYSTEMC_TEST(messages_in_flight_wait_for_those_of_their_direction_only) {
  TorchMachine m;
  const auto exchange = [](tl::Program& tl, tl::Tensor x, tl::Tensor out) {
    const tl::Handle mine = tl.load(x.local(), {11, 1}, f16);
    for (int i = 0; i < 11; ++i) tl.send_async(i < 10 ? "E" : "W", tl.slice(mine, i, i + 1));
    tl.store(out.local() + 20, tl.recv("E", {1}, f16));
    for (int i = 0; i < 10; ++i) tl.store(out.local() + 2 * i, tl.recv("W", {1}, f16));
    tl.wait();
  };
  BOOST_TEST(run(m, ring_of(2), exchange, input(2, 11), moved(input(2, 11), 1)) == "");
}

// Receives that are announced are carried out in their order, also by waits in another; a handle
// that is overwritten afterwards has been sent as it was.
KERNBENCH_SYSTEMC_TEST(receives_in_flight_keep_their_order) {
  TorchMachine m;
  const auto exchange = [](tl::Program& tl, tl::Tensor x, tl::Tensor out) {
    const tl::Overlap overlap(tl);
    const tl::RecvFuture first = tl.recv_async("W", {2}, f16),
                         second = tl.recv_async("W", {2}, f16);
    const tl::Handle mine = tl.load_async(x.local(), {2, 2}, f16);
    tl.send_async("E", tl.reshape(tl.slice(mine, 0, 1), {2}));
    tl.send_async("E", tl.reshape(tl.slice(mine, 1, 2), {2}));
    tl.store(out.local() + 4, tl.wait(second));
    tl.store(out.local(), tl.wait(first));
    tl.wait();
  };
  BOOST_TEST(run(m, ring_of(2), exchange, input(2, 4), moved(input(2, 4), 1)) == "");
}

// What has not been waited for leaves all the same, when the peer has taken enough, 1000 ns later.
KERNBENCH_SYSTEMC_TEST(a_launch_ends_when_its_messages_have_left) {
  TorchMachine m;
  const auto exchange = [](tl::Program& tl, tl::Tensor x, tl::Tensor out) {
    const tl::Handle mine = tl.load(x.local(), {6, 1}, f16);
    if (tl.program_id() == 0) {
      for (int i = 0; i < 6; ++i) tl.send_async("E", tl.slice(mine, i, i + 1));
      tl.store(out.local(), tl.zeros({6}));
      return;
    }
    tl.cycles(1000);
    for (int i = 0; i < 6; ++i) tl.store(out.local() + 2 * i, tl.recv("W", {1}, f16));
  };
  std::vector<double> expected = moved(input(2, 6), 1);
  std::fill(expected.begin(), expected.begin() + 6, 0.0);
  BOOST_TEST(run(m, ring_of(2), exchange, input(2, 6), expected) == "");
  BOOST_TEST(m.statistic({0, 0, 0}, PeEngine::pe_cpu, "running_time") > 1000 * fs_per_ns);
}

// The places are those of the calls, whatever the order of the waits; what is received in between
// comes behind them.
KERNBENCH_SYSTEMC_TEST(asynchronous_receives_have_the_places_of_their_calls) {
  TorchMachine m;
  const auto backwards = [](tl::Program& tl, tl::Tensor x, tl::Tensor out) {
    const tl::Handle mine = tl.load(x.local(), {4, 1}, f16);
    for (int i = 0; i < 4; ++i) tl.send("E", tl.slice(mine, i, i + 1));
    const tl::RecvFuture first = tl.recv_async("W", {1}, f16),
                         second = tl.recv_async("W", {1}, f16);
    tl.store(out.local() + 4, tl.recv("W", {1}, f16));
    tl.store(out.local() + 2, tl.wait(second));
    tl.store(out.local(), tl.wait(first));
    tl.store(out.local() + 6, tl.recv("W", {1}, f16));
    tl.wait(first);  // received already
  };
  BOOST_TEST(run(m, ring_of(2), backwards, input(2, 4), moved(input(2, 4), 1)) == "");
}

// The kernel that reserved a place has ended without waiting: the next kernel gets the message.
KERNBENCH_SYSTEMC_TEST(the_slot_of_an_unawaited_receive_is_released_at_the_end_of_the_kernel) {
  TorchMachine m;
  m.run([](Torch& torch) {
    torch.ipcq.install(ring_of(2));
    const Tensor x = torch.from_host(input(2, 4), rows(2), "x"),
                 out = torch.zeros({2, 4}, f16, rows(2), "out");
    const LaunchSpec both = LaunchSpec("kernel").on_pes({0, 1});
    torch.launch(
        both,
        +[](tl::Program& tl, tl::Tensor x) {
          tl.send("E", x.local(), x.local_shape(), f16);
          tl.recv_async("W", {4}, f16);
        },
        x);
    torch.launch(
        both,
        +[](tl::Program& tl, tl::Tensor out) {
          tl.store(out.local(), tl.recv("W", {1, 4}, f16));
        },
        out);
    torch.verify(out, [] { return moved(input(2, 4), 1); });
  });
  BOOST_TEST(m.failures() == "");
}

BOOST_AUTO_TEST_SUITE_END()
