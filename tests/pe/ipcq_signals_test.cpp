// Signals and statistics of ring buffers: what a waveform shows (spec 11.1).
#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <string>

#include "tests/pe/ring_of_two.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(ipcq_signals)

namespace {

const TraceSignal& signal(TorchMachine& m, int pe, const std::string& name) {
  for (const TraceSignal& each : m.engine({0, 0, pe}, PeEngine::pe_ipcq).signals()) {
    if (each.name() == name) return each;
  }
  throw std::logic_error("no signal " + name);
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(signals_and_statistics_show_heads_tails_and_credits) {
  TorchMachine m;
  m.run([](Torch& torch) {
    torch.ipcq.install(ring_of_two());
    const Tensor x = torch.zeros({2, 4}, f16, rows(2), "x");
    torch.launch(
        LaunchSpec("kernel").on_pes({0, 1}),
        +[](tl::Program& tl, tl::Tensor x) {
          for (int i = 0; i < 3; ++i) {
            if (tl.program_id() == 0) tl.send("E", x.local(), x.local_shape(), f16);
          }
          if (tl.program_id() == 1) tl.recv("W", {4}, f16);
        },
        x);
  });
  BOOST_TEST(signal(m, 0, "pair0_credits").value() == 2u);  // E: three sent, one back
  BOOST_TEST(signal(m, 1, "pair1_head").value() == 3u);     // W
  BOOST_TEST(signal(m, 1, "pair1_tail").value() == 1u);
  BOOST_TEST(m.statistic({0, 0, 0}, PeEngine::pe_ipcq, "sends") == 3u);
  BOOST_TEST(m.statistic({0, 0, 1}, PeEngine::pe_ipcq, "receives") == 1u);
  BOOST_TEST(m.statistic({0, 0, 1}, PeEngine::pe_dma, "messages_written") == 3u);
}

KERNBENCH_SYSTEMC_TEST(signals_of_a_ring_appear_with_its_installation) {
  struct Added final : tlm::tlm_analysis_if<AddedSignal> {
    void write(const AddedSignal& added) override {
      names.push_back(added.signal.name());
      unchanged = unchanged && added.signal.value() == 0;
    }
    std::vector<std::string> names;
    bool unchanged = true;
  } added;
  TorchMachine m;
  Component& ipcq = m.engine({0, 0, 1}, PeEngine::pe_ipcq);
  BOOST_TEST(ipcq.signals().size() == 1u);  // state
  ipcq.added_signals().bind(added);
  m.run([](Torch& torch) { torch.ipcq.install(ring_of_two()); });
  BOOST_REQUIRE(added.names.size() == 12u);  // E and W
  BOOST_TEST(added.names.front() == "pair0_credits");
  BOOST_TEST(added.names.back() == "pair1_peer");
  BOOST_TEST(added.unchanged);  // each is announced before its first change
  const TraceSignal& peer = signal(m, 1, "pair0_peer");
  BOOST_TEST(peer.labels()[peer.value()] == "sip0.cube0.pe0.pe_ipcq");
}

KERNBENCH_SYSTEMC_TEST(signals_of_a_ring_that_is_replaced_or_removed_are_unknown) {
  TorchMachine m;
  m.engine({0, 0, 1}, PeEngine::pe_ipcq).signals();
  m.run([&](Torch& torch) {
    torch.ipcq.install(ring_of_two());
    BOOST_TEST(signal(m, 1, "pair1_credits").value() == 4U);
    NeighbourGraph line;
    line.connect({0, 0, 0}, "down", {0, 0, 1}).connect({0, 0, 1}, "up", {0, 0, 0});
    torch.ipcq.install(line);
    BOOST_TEST(signal(m, 1, "pair0_credits").value() == 4U);
    BOOST_TEST(!signal(m, 1, "pair1_credits").known());
    torch.ipcq.remove();
  });
  BOOST_TEST(!signal(m, 1, "pair0_credits").known());
  BOOST_TEST(!signal(m, 1, "pair0_peer").known());
}

BOOST_AUTO_TEST_SUITE_END()
