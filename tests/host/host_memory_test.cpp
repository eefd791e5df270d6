// MemoryWrite and MemoryRead of the host: their time by hand, their bytes, and what is rejected
// (spec 2.5, 2.6, 4.1).
#include <boost/test/unit_test.hpp>

#include "tests/support/forked.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(host_memory_test)

namespace {

Fs duration(HostPort& port, const std::shared_ptr<HostRequest>& request) {
  port.wait(*request);
  BOOST_TEST(request->response().completion.ok);
  return request->ended - request->issued;
}

std::vector<std::uint8_t> ones(std::size_t n) { return std::vector<std::uint8_t>(n, 1); }

}  // namespace

// tiny, PE0: pcie_ep -> io_noc -> conn0 -> io_ucie-P0 -> cube UCIe-N -> conn0 -> r0c0 ->
// hbm_ctrl.pe0, past io_cpu and m_cpu.
//   overheads         5 (pcie_ep) + 8 (io_ucie) + 8 (UCIe-N) + 2 (r0c0) = 23 ns
//   256 B on 7 links  1 (256 GB/s) + 2 + 2 (128) + 0.5 (512) + 2 + 2 (128) + 1 (256) = 10.5 ns
//   propagation       0.2 (2 mm io_ucie -> UCIe-N) + 6 x 1 fs = 0.200006 ns
//   one burst         256 B at 256 / 8 GB/s = 8 ns
KERNBENCH_SYSTEMC_TEST(a_host_write_is_posted_and_completes_at_commit) {
  WholeMachine m("topology.tiny.yaml");
  const RunResult result = m.run([&](HostPort& port) {
    BOOST_TEST(duration(port, port.submit(memory_write({0, 0, 0}, m.hbm({0, 0, 0}), ones(256)))) ==
               41'700'006u);
  });
  BOOST_TEST(result.error == "");
}

// There: the same overheads and propagations without data, 23.200006 ns; the burst, 8 ns;
// back: 10.5 ns of links, 0.200006 ns of propagation, and the overheads of r0c0, UCIe-N and
// io_ucie, 18 ns; none at hbm_ctrl and at pcie_ep, where the response ends.
KERNBENCH_SYSTEMC_TEST(a_host_read_ends_with_its_last_flit_at_the_pcie_ep) {
  WholeMachine m("topology.tiny.yaml");
  const RunResult result = m.run([&](HostPort& port) {
    BOOST_TEST(duration(port, port.submit(memory_read({0, 0, 0}, m.hbm({0, 0, 0}), 256))) ==
               59'900'012u);
  });
  BOOST_TEST(result.error == "");
}

// default, cube 5 = (1, 1), PE0: P1 into cube 1, down its column 1, over the seam into cube 5.
//   overheads   5 + 8 (io_ucie) + 8 (N) + 6 routers x 2 + 8 (S) + 8 (N of cube 5) + 2 (r0c0) = 51
//       ns
//   links       1 + 2 + 2 + 0.5 | 2 + 2 + 5 x 1 + 2 + 2 | 0.5 | 2 + 2 + 1 = 24 ns
//   propagation 0.2 + 1.1 (11 mm of column) + 0.1 (seam) + 10 x 1 fs = 1.40001 ns
//   burst 8 ns
KERNBENCH_SYSTEMC_TEST(a_host_write_crosses_cubes_on_the_default_machine) {
  WholeMachine m("topology.yaml");
  const RunResult result = m.run([&](HostPort& port) {
    BOOST_TEST(duration(port, port.submit(memory_write({0, 5, 0}, m.hbm({0, 5, 0}), ones(256)))) ==
               84'400'010u);
    // SIP 1 has a pcie_ep of its own: no switch on the way, the same time.
    BOOST_TEST(duration(port, port.submit(memory_write({1, 5, 0}, m.hbm({1, 5, 0}), ones(256)))) ==
               84'400'010u);
  });
  BOOST_TEST(result.error == "");
}

// tiny: ... r0c0 -> pe_dma -> pe_tcm. As the write to HBM without the burst: 23 + 10.5 + 0.200006
// ns; pe_dma adds nothing.
KERNBENCH_SYSTEMC_TEST(a_host_write_to_tcm_passes_pe_dma_free_of_charge) {
  WholeMachine m("topology.tiny.yaml");
  const RunResult result = m.run([&](HostPort& port) {
    BOOST_TEST(duration(port, port.submit(memory_write({0, 0, 0}, m.tcm({0, 0, 0}), ones(256)))) ==
               33'700'006u);
  });
  BOOST_TEST(result.error == "");
}

// MCPU_SRAM at r2c0, here with an overhead of 20 ns, so that the UCIe ports (8 ns per message) are
// not what the second read waits for. The command comes after 5 + 8 + 8 + 3 x 2 ns and 0.600006 ns
// of propagation, 27.600006 ns. The response: 22 ns of overheads, 256 B on 1 + 1 (mesh) + 2 + 2 +
// 0.5 + 2 + 2 + 1 = 11.5 ns, 0.600006 ns: 34.100006 ns. The read channel has capacity 1: the second
// of two reads waits 20 ns. A write has a channel of its own: its flit comes 11.5 ns after the
// commands and is through 20 ns later.
KERNBENCH_SYSTEMC_TEST(m_cpu_serves_its_sram_with_one_read_and_one_write_channel) {
  WholeMachine m("topology.tiny.yaml", {{"cube.components.m_cpu.attrs.overhead_ns", "20"}});
  const std::uint64_t pa = m.address(MemoryArea::mcpu_sram, {0, 0, 0}, 0);
  const RunResult result = m.run([&](HostPort& port) {
    const auto first = port.submit(memory_read({0, 0, 0}, pa, 256));
    const auto second = port.submit(memory_read({0, 0, 0}, pa + 256, 256));
    const auto write = port.submit(memory_write({0, 0, 0}, pa + 512, ones(256)));
    BOOST_TEST(duration(port, first) == 81'700'012u);
    BOOST_TEST(duration(port, second) == 101'700'012u);
    BOOST_TEST(duration(port, write) == 59'100'006u);
  });
  BOOST_TEST(result.error == "");
}

// 5 (pcie_ep) + 2 fs; 10 (io_cpu); 256 B from io_noc to pcie_ep 1 ns + 2 fs. No channel to wait
// for; the second response finds its link taken for 1 ns.
KERNBENCH_SYSTEMC_TEST(io_cpu_answers_for_its_sram_after_its_overhead) {
  WholeMachine m("topology.tiny.yaml");
  const std::uint64_t pa = m.address(MemoryArea::io_sram, {0, 0, 0}, 0);
  const RunResult result = m.run([&](HostPort& port) {
    const auto first = port.submit(memory_read({0, 0, 0}, pa, 256));
    const auto second = port.submit(memory_read({0, 0, 0}, pa + 256, 256));
    BOOST_TEST(duration(port, first) == 16'000'004u);
    BOOST_TEST(duration(port, second) == 17'000'004u);
  });
  BOOST_TEST(result.error == "");
}

// As a_host_read_ends_with_its_last_flit_at_the_pcie_ep, whatever becomes of the bytes: the host
// has them, or no thread.
KERNBENCH_SYSTEMC_TEST(a_discarded_read_takes_the_same_time_and_brings_no_value) {
  WholeMachine m("topology.tiny.yaml");
  const std::uint64_t pa = m.hbm({0, 0, 0});
  const RunResult result = m.run([&](HostPort& port) {
    port.wait(*port.submit(memory_write({0, 0, 0}, pa, ones(256))));
    const auto kept = port.submit(memory_read({0, 0, 0}, pa, 256));
    BOOST_TEST(duration(port, kept) == 59'900'012u);
    BOOST_REQUIRE(kept->response().image != nullptr);
    const std::vector<std::byte> bytes =
        m.data.bytes({*kept->response().image, {256}, DType::i8, {}});
    BOOST_TEST(bytes.size() == 256u);
    BOOST_TEST((bytes.back() == std::byte{1}));
    const auto message = memory_read({0, 0, 0}, pa, 256);
    message->dst_kind = ReadSink::discard;
    const auto discarded = port.submit(message);
    BOOST_TEST(duration(port, discarded) == 59'900'012u);
    BOOST_TEST((discarded->response().image == nullptr));
  });
  BOOST_TEST(result.error == "");
}

KERNBENCH_SYSTEMC_TEST(a_write_puts_its_bytes_into_memory_at_commit) {
  WholeMachine m("topology.tiny.yaml");
  const std::uint64_t pa = m.hbm({0, 0, 2}, 1000);
  const auto byte = [&](std::uint64_t at) {
    return std::to_integer<int>(m.data.memory().read_bytes(at, 1)[0]);
  };
  const RunResult result = m.run([&](HostPort& port) {
    const auto request = port.submit(memory_write({0, 0, 2}, pa, {10, 11, 12}));
    BOOST_TEST(byte(pa) == 0);
    port.wait(*request);
    BOOST_TEST(byte(pa) == 10);
    BOOST_TEST(byte(pa + 2) == 12);

    const auto fill = host_message<MemoryWrite>();
    fill->dst = {0, 0, 2};
    fill->pa = pa;
    fill->nbytes = 6;
    fill->source = FillPattern{FillPattern::Kind::fp16, 0x3C00};  // 1.0
    port.wait(*port.submit(fill));
    for (int i = 0; i < 6; ++i)
      BOOST_TEST(byte(pa + static_cast<std::uint64_t>(i)) == (i % 2 == 0 ? 0x00 : 0x3C));

    const auto zero = host_message<MemoryWrite>();
    zero->dst = {0, 0, 2};
    zero->pa = pa;
    zero->nbytes = 3;
    port.wait(*port.submit(zero));
    BOOST_TEST(byte(pa + 1) == 0);
    BOOST_TEST(byte(pa + 3) == 0x3C);
  });
  BOOST_TEST(result.error == "");
}

KERNBENCH_SYSTEMC_TEST(
    a_memory_message_with_a_missing_or_contradictory_tag_is_rejected_before_it_enters_the_fabric) {
  WholeMachine m("topology.tiny.yaml");
  const PeId pe{0, 0, 1};
  const RunResult result = m.run([&](HostPort& port) {
    const auto rejected = [&](auto message, const std::string& part) {
      BOOST_CHECK_EXCEPTION(
          port.submit(std::shared_ptr<const typename decltype(message)::element_type>(message)),
          UsageError, [&](const UsageError& error) {
            BOOST_TEST_MESSAGE(error.what());
            return std::string(error.what()).find(part) != std::string::npos;
          });
    };
    const auto good = [&] { return memory_write(pe, m.hbm(pe), ones(16)); };
    auto message = good();
    message->correlation_id.clear();
    rejected(message, "correlation_id is missing");
    message = good();
    message->request_id.clear();
    rejected(message, "request_id is missing");
    message = good();
    message->target_device.reset();
    rejected(message, "target_device is missing");
    message = good();
    message->target_device = 1;
    rejected(message, "target_device is sip1, the message goes to sip0");
    message = good();
    message->nbytes = 0;
    rejected(message, "nbytes is 0");
    message = good();
    message->nbytes = 17;
    rejected(message, "the host buffer has 16");
    message = good();
    message->dst.sip = 1;
    message->target_device = 1;
    rejected(message, "sip is 1, allowed is 0..0");
    message = good();
    message->dst.cube = -1;
    rejected(message, "cube is -1");
    message = good();
    message->dst.pe = 8;
    rejected(message, "pe is 8, allowed is 0..7");
    message = good();
    message->dst.pe = 2;
    rejected(message,
             "the address lies in sip0.cube0.hbm_ctrl.pe1, the message says sip0.cube0.pe2");
    message = good();
    message->dst_mem_kind = MemoryKind::tcm;
    rejected(message, "the message says sip0.cube0.pe1 TCM");
    message = good();
    message->pa = m.tcm(pe);
    message->dst_mem_kind = MemoryKind::hbm;
    rejected(message, "the address lies in sip0.cube0.pe1.pe_tcm");
    message = good();
    message->pa = m.hbm(pe, m.platform->machine().hbm_slice_bytes - 8);
    rejected(message, "run past the end of sip0.cube0.hbm_ctrl.pe1");
    auto read = memory_read(pe, m.hbm(pe), 0);
    rejected(read, "nbytes is 0");
    read = memory_read(pe, m.hbm(pe), std::uint64_t{1} << 32);
    rejected(read, "less than 4 GiB");
    BOOST_CHECK_THROW(
        port.submit(memory_read(pe, PhysAddr::ual_addr(0, 16, PhysAddr::ual_begin).encode(), 4)),
        RoutingError);
    BOOST_CHECK_THROW(port.submit(memory_read(pe, PhysAddr::end, 4)), AddressError);
    BOOST_TEST(m.platform->pool().allocated() == 0u);
  });
  BOOST_TEST(result.error == "");
}

BOOST_AUTO_TEST_SUITE_END()
