// The times of spec 8.1 in a whole machine, with their derivations. PE 0 of a cube sends to PE 1,
// its neighbour on the mesh:
//
//   pe0.pe_dma -> r0c0 -> r0c1 -> pe1.pe_dma: 256 GB/s each, 1 fs, 2.5 mm (0.25 ns), 1 fs; pe_dma 1
//       ns, routers 2 ns.
//
// 512 bytes are two flits of 1 ns. Sent at 0 they are queued at the link at 1 ns. The first one is
// at r0c0 at 2 ns + 1 fs and has passed it at 4 ns + 1 fs, the second, 1 ns behind, with it; they
// are at r0c1 at 5.25 and 6.25 ns + 1 fs, both through at 7.25 ns + 1 fs, and at pe1.pe_dma at 8.25
// and 9.25 ns + 2 fs. So a message of n bytes has arrived 7.25 ns + n / 256 + 2 fs after the send.
// The credit's way back: overheads 1 + 2 + 2 + 1 ns, 0.25 ns + 2 fs, 16 / 256 = 0.0625 ns: 6.3125
// ns + 2 fs.
#include <boost/test/unit_test.hpp>

#include "models/pe/pe_ipcq.h"
#include "sw/tl/overlap.h"
#include "tests/support/forked.h"
#include "tests/support/torch_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(ipcq_timing)

namespace {

constexpr Fs ns = fs_per_ns;
constexpr Fs way = 7 * ns + ns / 4 + 2;  // of a message, without its bytes
constexpr Fs credit = 6 * ns + 312'500 + 2;

Fs message_time(std::uint64_t bytes) { return way + bytes * ns / 256; }

struct Times {
  std::vector<ExecutedOp> sends, copies, receives;
};

NeighbourGraph pair_of_pes() {
  NeighbourGraph graph;
  return graph.connect({0, 0, 0}, "E", {0, 0, 1}).connect({0, 0, 1}, "W", {0, 0, 0});
}

// Runs `kernel` on PEs 0 and 1 with rings between them.
template <class Kernel>
Times run_pair(TorchMachine& m, Kernel kernel, const IpcqSettings& options = {}) {
  m.run([&](Torch& torch) {
    torch.ipcq.install(pair_of_pes(), options);
    const Tensor where =
        torch.empty({2, 1}, f16, {Placement::replicate, Placement::row_wise, 1, 2}, "where");
    torch.launch(LaunchSpec("pair").on_pes({0, 1}), kernel, where);
  });
  return {m.ops("ipcq_send"), m.ops("ipcq_copy"), m.ops("ipcq_recv")};
}

// PE 0 sends blocks of f16, PE 1 receives them.
template <int elements, int messages = 1>
void send_blocks(tl::Program& tl, tl::Ptr) {
  for (int i = 0; i < messages; ++i) {
    if (tl.program_id() == 0) tl.send("E", tl.zeros({elements}));
    if (tl.program_id() == 1) tl.recv("W", {elements}, f16);
  }
}

// One slot, and a send that looks for its credit every poll_ns.
IpcqSettings polling(const std::string& poll_ns) {
  IpcqSettings options;
  options.n_slots = 1;
  options.backpressure = Backpressure::poll;
  options.poll_ns = Rational::parse(poll_ns);
  return options;
}

// A send pays its bytes at 64 GB/s, a receive 50 ns.
class SlowIpcq final : public PeIpcq {
 public:
  explicit SlowIpcq(const ComponentInit& init) : PeIpcq(init) {}

 private:
  Fs send_time(const IpcqSend& send) override { return send.nbytes() * ns / 64; }
  Fs receive_time(const IpcqReceive& /*receive*/) override { return 50 * ns; }
};

}  // namespace

// The slot: 512 / 512 = 1 ns on the TCM's write channel, then 1 ns on its read channel.
KERNBENCH_SYSTEMC_TEST(a_message_pays_its_way_the_slot_write_the_slot_read_and_the_credit) {
  TorchMachine m;
  const Times t = run_pair(m, send_blocks<256>);
  BOOST_REQUIRE((t.sends.size() == 1 && t.copies.size() == 1 && t.receives.size() == 1));
  const Fs start = t.sends[0].t_start;
  BOOST_TEST(t.sends[0].t_end == start);  // fire and forget
  BOOST_TEST(t.copies[0].t_start == start + message_time(512));
  BOOST_TEST(t.copies[0].t_end == start + message_time(512) + 1 * ns);
  BOOST_TEST(t.receives[0].t_start == start);
  BOOST_TEST(t.receives[0].t_end == start + message_time(512) + 2 * ns + credit);
  BOOST_TEST((t.copies[0].node == &m.engine({0, 0, 1}, PeEngine::pe_dma)));
  BOOST_TEST((t.receives[0].node == &m.engine({0, 0, 1}, PeEngine::pe_ipcq)));
  BOOST_TEST(t.copies[0].bytes == 512u);
  // The slot accesses occupied the channels of the TCM.
  BOOST_TEST(m.statistic({0, 0, 1}, PeEngine::pe_tcm, "write_busy") == 1 * ns);
  BOOST_TEST(m.statistic({0, 0, 1}, PeEngine::pe_tcm, "read_busy") == 1 * ns);
}

// 512 bytes at 64 GB/s are 8 ns. The message is in its slot at 8 + 9.25 + 1 ns, and has come before
// the receive looks for it, at 50 ns.
KERNBENCH_SYSTEMC_TEST(a_derived_ipcq_has_times_of_its_own_for_each_operation) {
  TorchMachine m("topology.tiny.yaml",
                 {{"cube.pe_template.components.pe_ipcq.impl", "test.slow_ipcq"}}, true,
                 [](ComponentRegistry& registry) {
                   registry.add(implementation_of<SlowIpcq>("test.slow_ipcq"));
                 });
  const Times t = run_pair(m, send_blocks<256>);
  BOOST_TEST_REQUIRE((t.sends.size() == 1U && t.copies.size() == 1U && t.receives.size() == 1U));
  const Fs start = t.sends[0].t_start;
  BOOST_TEST(t.sends[0].t_end == start + 8 * ns);
  BOOST_TEST(t.copies[0].t_start == start + 8 * ns + message_time(512));
  BOOST_TEST(t.copies[0].t_end == t.copies[0].t_start + 1 * ns);
  BOOST_TEST(t.receives[0].t_start == start);
  BOOST_TEST(t.receives[0].t_end == start + (50 + 1) * ns + credit);
}

// pe_exec_ns of the receiver includes the credit's return; the sender ends at once.
KERNBENCH_SYSTEMC_TEST(the_kernel_time_includes_the_return_of_the_credit) {
  TorchMachine m;
  m.run([&](Torch& torch) {
    torch.ipcq.install(pair_of_pes());
    const Tensor where =
        torch.empty({2, 1}, f16, {Placement::replicate, Placement::row_wise, 1, 2}, "where");
    const LaunchHandle handle =
        torch.launch(LaunchSpec("pair").on_pes({0, 1}), send_blocks<256>, where);
    BOOST_TEST(handle.metrics().per_pe.at({0, 0, 0}).pe_exec == 0u);
    BOOST_TEST(handle.metrics().per_pe.at({0, 0, 1}).pe_exec ==
               message_time(512) + 2 * ns + credit);
    BOOST_TEST(handle.metrics().merged.dma == 0u);  // the channels of PE_DMA are not held
  });
}

// PE 1 is at r0c1; its cube's SRAM behind links of which the narrowest has 128 GB/s: 2 + 512 /
// 512 + 512 / 128 = 7 ns. Its HBM: 6 + 512 / 256 + 512 / 256 = 10 ns.
KERNBENCH_SYSTEMC_TEST(a_slot_in_the_sram_pays_its_tier_and_the_hop) {
  TorchMachine m;
  IpcqSettings options;
  options.buffer_kind = MemorySpace::sram;
  const Times t = run_pair(m, send_blocks<256>, options);
  BOOST_TEST(t.copies[0].t_start ==
             t.sends[0].t_start + message_time(512));  // whatever the buffer kind
  BOOST_TEST(t.copies[0].t_end == t.copies[0].t_start + 7 * ns);
  BOOST_TEST(t.receives[0].t_end == t.copies[0].t_end + 7 * ns + credit);
  BOOST_TEST(m.statistic({0, 0, 1}, PeEngine::pe_tcm, "write_busy") == 0u);
}

KERNBENCH_SYSTEMC_TEST(a_slot_in_the_hbm_pays_its_tier_and_the_hop) {
  TorchMachine m;
  IpcqSettings options;
  options.buffer_kind = MemorySpace::hbm;
  const Times t = run_pair(m, send_blocks<256>, options);
  BOOST_TEST(t.copies[0].t_end == t.copies[0].t_start + 10 * ns);
  BOOST_TEST(t.receives[0].t_end == t.copies[0].t_end + 10 * ns + credit);
}

// From HBM as from TCM: the message leaves at the call.
BOOST_AUTO_TEST_CASE(reading_the_source_at_send_is_not_charged) {
  const auto times = [](bool from_memory) {
    return forked_value([&] {
      TorchMachine m;
      const Times t = run_pair(m, [from_memory](tl::Program& tl, tl::Ptr where) {
        if (tl.program_id() == 1) tl.recv("W", {1}, f16);
        if (tl.program_id() == 0)
          from_memory ? tl.send("E", where, {1}, f16) : tl.send("E", tl.zeros({1}));
      });
      return std::vector<Fs>{t.sends[0].t_end - t.sends[0].t_start,
                             t.copies[0].t_start - t.sends[0].t_start};
    });
  };
  BOOST_TEST(times(true)[0] == 0U);
  BOOST_TEST(times(true) == times(false), boost::test_tools::per_element());
}

// PE 1 sends four slots of 4096 bytes over the links of the credit's way, 64 ns, and receives
// meanwhile: slot read (6 + 2 + 2 ns in HBM, where nothing competes) and credit take what they take
// on an idle machine.
BOOST_AUTO_TEST_CASE(a_credit_waits_for_no_link) {
  const auto time_of = [](bool streams) {
    return forked_value([&] {
      TorchMachine m;
      IpcqSettings options;
      options.buffer_kind = MemorySpace::hbm;
      run_pair(
          m,
          [streams](tl::Program& tl, tl::Ptr) {
            if (tl.program_id() == 0) tl.send("E", tl.zeros({256}));
            for (int i = 0; streams && tl.program_id() == 1 && i < 4; ++i)
              tl.send("W", tl.zeros({2048}));
            if (tl.program_id() == 1) tl.recv("W", {256}, f16);
          },
          options);
      const auto copied_by = [&](int pe) {
        return m.ops("ipcq_copy", &m.engine({0, 0, pe}, PeEngine::pe_dma));
      };
      const ExecutedOp receive = m.ops("ipcq_recv").at(0);
      if (streams)
        BOOST_TEST(copied_by(0).back().t_start > receive.t_end + 10 * ns);  // still in flight
      return receive.t_end - copied_by(1).at(0).t_end;
    });
  };
  for (const bool streams : {false, true}) BOOST_TEST(time_of(streams) == 10 * ns + credit);
}

// 96 bytes in a slot of 4096: n is the payload. The flit takes 0.375 ns on each of three links;
// nothing streams behind it.
KERNBENCH_SYSTEMC_TEST(the_payload_counts_not_the_slot) {
  TorchMachine m;
  const Times t = run_pair(m, send_blocks<48>);
  const Fs flit = 375'000;
  BOOST_TEST(t.copies[0].t_start ==
             t.sends[0].t_start + 1 * ns + flit + 1 + 2 * ns + flit + ns / 4 + 2 * ns + flit + 1);
  BOOST_TEST(t.copies[0].t_end == t.copies[0].t_start + 187'500);  // 96 / 512
}

// Two messages at one instant: the second pays its overhead behind the first, then queues at the
// link: 1 ns later than it, and behind its two flits. Its slot write does not wait: the first one
// has ended when it comes.
KERNBENCH_SYSTEMC_TEST(messages_are_a_fifo_and_do_not_wait_for_acknowledgements) {
  TorchMachine m;
  const Times t = run_pair(m, send_blocks<256, 2>);
  const Fs start = t.sends[0].t_start;
  BOOST_TEST(t.sends[1].t_start == start);
  BOOST_TEST(t.copies[0].t_start == start + message_time(512));
  // At r0c0 its first flit comes at 4 ns + 1 fs, when the server is free; through at 6; the link is
  // free since 6; at r0c1 at 7.25, through at 9.25; the last link is free since 9.25; its two flits
  // are at pe1.pe_dma at 11.25 ns + 2 fs.
  BOOST_TEST(t.copies[1].t_start == start + 11 * ns + ns / 4 + 2);
  // The second receive begins when the first has its credit, long after the message came.
  BOOST_TEST(t.receives[1].t_start == t.receives[0].t_end);
  BOOST_TEST(t.receives[1].t_end == t.receives[1].t_start + 1 * ns + credit);
}

// 512 bytes at 64 GB/s take 8 ns: the second message has come while the first is being written, and
// waits.
KERNBENCH_SYSTEMC_TEST(slots_are_written_one_message_at_a_time) {
  TorchMachine m("topology.tiny.yaml",
                 {{"cube.pe_template.components.pe_tcm.attrs.write_bw_gbs", "64"}});
  const Times t = run_pair(m, send_blocks<256, 2>);
  BOOST_TEST(t.copies[0].t_end == t.copies[0].t_start + 8 * ns);
  BOOST_TEST(t.copies[1].t_start == t.copies[0].t_end);
  BOOST_TEST(t.copies[1].t_end == t.copies[1].t_start + 8 * ns);
}

// Four slots: the fifth send waits for the first credit, which the receiver returns after the slot
// read.
KERNBENCH_SYSTEMC_TEST(a_send_into_a_full_ring_sleeps_until_the_credit_comes) {
  TorchMachine m;
  const Times t = run_pair(m, send_blocks<256, 5>);
  for (std::size_t i = 0; i < 4; ++i) BOOST_TEST(t.sends[i].t_end == t.sends[0].t_start);
  BOOST_TEST(t.sends[4].t_start == t.sends[0].t_start);
  BOOST_TEST(t.sends[4].t_end ==
             t.receives[0].t_end);  // the receive ends with the delivery of its credit
  BOOST_TEST(m.statistic({0, 0, 0}, PeEngine::pe_ipcq, "send_blocked") ==
             t.sends[4].t_end - t.sends[4].t_start);
}

// Looks every 10 ns from its first one: the credit comes at message_time + 2 ns + credit = 17.5625
// ns + 4 fs, the look that finds it is at 20 ns.
KERNBENCH_SYSTEMC_TEST(a_polling_send_looks_every_poll_ns) {
  TorchMachine m;
  const Times t = run_pair(m, send_blocks<256, 2>, polling("10"));
  BOOST_TEST(t.receives[0].t_end == t.sends[0].t_start + 17'562'500 + 4);
  BOOST_TEST(t.sends[1].t_end == t.sends[0].t_start + 20 * ns);
}

// A look at the very instant at which the credit is delivered finds it.
KERNBENCH_SYSTEMC_TEST(a_look_at_the_instant_of_the_credit_finds_it) {
  TorchMachine m;
  const Times t = run_pair(m, send_blocks<256, 2>, polling("17.562504"));
  BOOST_TEST(t.sends[1].t_end == t.sends[0].t_start + 17'562'504);
}

// One more write of the TCM: 512 / 512 = 1 ns, before the credit leaves.
KERNBENCH_SYSTEMC_TEST(a_copy_is_one_more_tcm_write) {
  TorchMachine m;
  const Times t = run_pair(
      m, +[](tl::Program& tl, tl::Ptr) {
        if (tl.program_id() == 0) tl.send("E", tl.zeros({256}));
        if (tl.program_id() == 1) tl.recv("W", {256}, f16, tl.zeros({256}));
      });
  BOOST_TEST(t.receives[0].t_end == t.copies[0].t_end + 2 * ns + credit);
  BOOST_TEST(m.statistic({0, 0, 1}, PeEngine::pe_tcm, "write_busy") == 2 * ns);
}

// The place is taken at the call; the read and the credit are paid in wait, 100 ns later.
KERNBENCH_SYSTEMC_TEST(an_asynchronous_receive_pays_in_wait) {
  TorchMachine m;
  const Times t = run_pair(
      m, +[](tl::Program& tl, tl::Ptr) {
        if (tl.program_id() == 0) tl.send("E", tl.zeros({256}));
        if (tl.program_id() != 1) return;
        const tl::RecvFuture future = tl.recv_async("W", {256}, f16);
        tl.cycles(100);
        tl.wait(future);
      });
  BOOST_TEST(t.receives[0].t_start == t.sends[0].t_start + 100 * ns);
  BOOST_TEST(t.receives[0].t_end == t.receives[0].t_start + 1 * ns + credit);
}

// Under tl::Overlap PE_IPCQ receives concurrently with the kernel: it reads the message at its
// arrival, 1 ns, and the wait finds it there. The credit is on its way by then.
KERNBENCH_SYSTEMC_TEST(a_receive_in_flight_ends_with_its_slot_read_concurrently_with_the_kernel) {
  TorchMachine m;
  const Times t = run_pair(
      m, +[](tl::Program& tl, tl::Ptr) {
        if (tl.program_id() == 0) tl.send("E", tl.zeros({256}));
        if (tl.program_id() != 1) return;
        const tl::Overlap overlap(tl);
        const tl::RecvFuture future = tl.recv_async("W", {256}, f16);
        tl.cycles(100);
        tl.wait(future);
      });
  BOOST_TEST(t.receives[0].t_start == t.sends[0].t_start);
  BOOST_TEST(t.receives[0].t_end == t.copies[0].t_end + 1 * ns);
  BOOST_TEST(m.statistic({0, 0, 1}, PeEngine::pe_cpu, "running_time") == 100 * ns);
  BOOST_TEST(m.statistic({0, 0, 0}, PeEngine::pe_ipcq, "credits_received") == 1u);
}

// Six messages into four slots. The kernel goes on at once; the fifth leaves with the first credit,
// which PE 1 gives when it takes the first message, 100 ns later; the launch is answered when the
// sixth has left.
KERNBENCH_SYSTEMC_TEST(sends_in_flight_wait_for_credits_concurrently_with_the_kernel) {
  TorchMachine m;
  const Times t = run_pair(
      m, +[](tl::Program& tl, tl::Ptr) {
        const tl::Handle block = tl.zeros({256});
        if (tl.program_id() == 0) {
          std::vector<tl::Handle> sent;
          for (int i = 0; i < 6; ++i) sent.push_back(tl.send_async("E", block));
          tl.cycles(10);
          BOOST_TEST(sent[3].done());
          BOOST_TEST(!sent[4].done());
          tl.wait();
          BOOST_TEST(sent[5].done());
        }
        if (tl.program_id() != 1) return;
        tl.cycles(100);
        for (int i = 0; i < 6; ++i) tl.recv("W", {256}, f16);
      });
  BOOST_TEST(t.sends[3].t_end == t.sends[0].t_end);
  BOOST_TEST(t.sends[4].t_end == t.receives[0].t_end);
  BOOST_TEST(t.sends[5].t_end == t.receives[1].t_end);
  BOOST_TEST(m.statistic({0, 0, 0}, PeEngine::pe_cpu, "running_time") ==
             t.sends[5].t_end - t.sends[0].t_start);
  BOOST_TEST(m.statistic({0, 0, 0}, PeEngine::pe_ipcq, "send_blocked") ==
             t.sends[5].t_end - t.sends[0].t_start);
}

KERNBENCH_SYSTEMC_TEST(recv_no_consume_skips_slot_read_and_credit) {
  TorchMachine m;
  const Times t = run_pair(
      m, +[](tl::Program& tl, tl::Ptr) {
        for (int i = 0; i < 6;
             ++i) {  // more than there are slots: they are given back all the same
          if (tl.program_id() == 0) tl.send("E", tl.zeros({256}));
          if (tl.program_id() == 1) tl.recv_no_consume("W", {256}, f16);
        }
      });
  BOOST_TEST(t.receives[0].t_end == t.copies[0].t_end);
  BOOST_TEST(m.statistic({0, 0, 1}, PeEngine::pe_tcm, "read_busy") == 0u);
  BOOST_TEST(m.statistic({0, 0, 0}, PeEngine::pe_ipcq, "credits_received") == 6u);
  BOOST_TEST(t.sends[4].t_end == t.receives[0].t_end + credit);
}

// overhead_ns of PE_IPCQ, per operation; dispatch_cycles of PE_CPU, per call.
KERNBENCH_SYSTEMC_TEST(an_operation_pays_dispatch_and_the_overhead_of_pe_ipcq) {
  TorchMachine m("topology.tiny.yaml",
                 {{"cube.pe_template.components.pe_ipcq.attrs.overhead_ns", "3"},
                  {"cube.pe_template.components.pe_cpu.attrs.dispatch_cycles", "2"}});
  m.run([&](Torch& torch) {
    torch.ipcq.install(pair_of_pes());
    const Tensor where =
        torch.empty({2, 1}, f16, {Placement::replicate, Placement::row_wise, 1, 2}, "where");
    const LaunchHandle handle =
        torch.launch(LaunchSpec("pair").on_pes({0, 1}), send_blocks<256>, where);
    BOOST_TEST(handle.metrics().per_pe.at({0, 0, 0}).pe_exec == 5 * ns);
  });
  BOOST_TEST(m.ops("ipcq_send")[0].t_end == m.ops("ipcq_send")[0].t_start + 3 * ns);
}

// Without data the same messages take the same times.
BOOST_AUTO_TEST_CASE(times_do_not_hang_on_data) {
  const auto times = [](bool with_data) {
    return forked_value([with_data] {
      TorchMachine m("topology.tiny.yaml", {}, with_data);
      m.run([](Torch& torch) {
        torch.ipcq.install(graphs::intra_pe_ring(0, 0, 8));
        const DPPolicy rows{Placement::row_wise, Placement::row_wise, 1, 8};
        const Tensor x = torch.full({8, 300}, 1, f16, rows, "x"),
                     out = torch.empty({8, 300}, f16, rows, "out");
        torch.launch(
            "shift",
            +[](tl::Program& tl, tl::Tensor x, tl::Tensor out) {
              tl.send("E", tl.load(x.local(), x.local_shape(), x.dtype()));
              tl.store(out.local(), tl.recv("W", out.local_shape(), out.dtype()));
            },
            x, out);
      });
      std::vector<Fs> times;
      for (const OpRecord& record : m.op_log.records())
        times.insert(times.end(), {record.op.t_start, record.op.t_end});
      return times;
    });
  };
  BOOST_TEST(times(true) == times(false), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
