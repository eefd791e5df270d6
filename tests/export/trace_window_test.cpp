// What of a run a waveform holds: a window of time, a condition, what changes; signals that come in
// the course of the run, and values that are unknown (spec 11.1).
#include "models/base/component_registry.h"
#include "models/base/errors.h"
#include "tests/export/traced_run.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(trace_window_test)

namespace {

constexpr Fs ns = fs_per_ns;
const std::string dma = "sip0.pe0.pe_dma.";

Vcd traced_vcd(TraceSettings settings, const std::string& when = "") {
  return read_vcd(forked_value([&] { return traced_run("w.vcd", settings, when); }));
}

// Gets a signal in the course of the run.
class GrowingEngine : public Component {
 public:
  explicit GrowingEngine(const ComponentInit& init)
      : Component(init), busy(add_signal("busy", "serves", SignalFormat::flag())) {}
  TraceSignal& grow() { return add_signal("ring", "of the pair", SignalFormat::count("", 8)); }
  TraceSignal& address() { return add_signal("at", "read", SignalFormat::address(16)); }
  TraceSignal& busy;
};

// Registers what it has with SystemC's means.
struct Pins : sc_core::sc_module {
  explicit Pins(sc_core::sc_module_name name) : sc_core::sc_module(name) {}
  void trace(sc_core::sc_trace_file* file) const override {
    sc_core::sc_trace(file, valid, std::string(this->name()) + ".valid");
  }
  sc_core::sc_signal<bool> valid{"valid"};
};
class PinnedEngine : public FakeEngine {
 public:
  explicit PinnedEngine(const ComponentInit& init) : FakeEngine(init), pins("rtl") {}
  Pins pins;
};

}  // namespace

// At 6 ns the read is in flight; the change at 9 ns is beyond.
BOOST_AUTO_TEST_CASE(a_window_begins_with_the_values_that_hold) {
  const Vcd vcd = traced_vcd({6 * ns, 8 * ns, false});
  BOOST_TEST(vcd.first == 6 * ns);
  BOOST_TEST(vcd.last == 8 * ns);
  BOOST_TEST(vcd.at(dma + "stage", 6 * ns) == "DMA_READ");
  BOOST_TEST(vcd.variables.at(dma + "stage").changes.size() == 2U);
  BOOST_TEST(vcd.at(dma + "stage", 8 * ns) == "GEMM");
  BOOST_TEST(vcd.at("sip0.ucie-N.busy", 8 * ns) == "0");
}

// Both ends belong to it.
BOOST_AUTO_TEST_CASE(a_window_holds_its_ends) {
  const Vcd vcd = traced_vcd({5 * ns, 9 * ns, false});
  BOOST_TEST(vcd.first == 5 * ns);
  BOOST_TEST(vcd.at(dma + "busy", 5 * ns) == "1");
  BOOST_TEST(vcd.at(dma + "busy", 9 * ns) == "0");
}

BOOST_AUTO_TEST_CASE(a_window_behind_the_run_holds_nothing) {
  const Vcd vcd = traced_vcd({20 * ns, 30 * ns, false});
  BOOST_TEST(vcd.timestamps == 0U);
  BOOST_TEST(vcd.variables.size() == 9U);
}

// From the instant on in which it holds, whatever it does then.
BOOST_AUTO_TEST_CASE(a_condition_on_a_signal_begins_the_file) {
  const Vcd vcd = traced_vcd({}, dma + "queue_depth>=3");
  BOOST_TEST(vcd.first == 7'000'001U);
  BOOST_TEST(vcd.last == 10 * ns);
  BOOST_TEST(vcd.at(dma + "queue_depth", 7'000'001) == "11");
  BOOST_TEST(vcd.at(dma + "queue_depth", 9 * ns) == "0");
  BOOST_TEST(traced_vcd({}, dma + "stage == DMA_READ").first == 5 * ns);
  BOOST_TEST(traced_vcd({}, dma + "queue_depth>3").timestamps == 0U);
  BOOST_TEST(traced_vcd({}, dma + "stage!=IDLE").first == 5 * ns);
}

// It is asked at the end of each instant in which something happens.
BOOST_AUTO_TEST_CASE(a_condition_on_a_statistic_begins_the_file) {
  const Vcd vcd = traced_vcd({}, dma + "commands>1");
  BOOST_TEST(vcd.timestamps > 0U);
  BOOST_TEST(vcd.first >= 7'000'001U);
  BOOST_TEST(vcd.first <= 9 * ns);
}

// The condition is asked from the begin of the window on.
BOOST_AUTO_TEST_CASE(a_window_and_a_condition_hold_both) {
  BOOST_TEST(traced_vcd({6 * ns, never_fs, false}, dma + "busy==1").first == 6 * ns);
  BOOST_TEST(traced_vcd({8 * ns, never_fs, false}, dma + "busy==0").first == 9 * ns);
  BOOST_TEST(traced_vcd({0, 6 * ns, false}, dma + "queue_depth==3").timestamps == 0U);
}

BOOST_AUTO_TEST_CASE(what_never_changes_is_left_out) {
  const Vcd all = traced_vcd({0, never_fs, true});
  BOOST_TEST(all.variables.size() == 3U);
  BOOST_TEST(all.variables.count(dma + "busy") == 1U);
  const Vcd window = traced_vcd({6 * ns, 8 * ns, true});  // the stage and the queue
  BOOST_TEST(window.variables.size() == 2U);
  BOOST_TEST(window.variables.count(dma + "busy") == 0U);
}

KERNBENCH_SYSTEMC_TEST(a_signal_that_comes_later_is_unknown_before) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  FakeServices services;
  Attributes attributes;
  const auto engine = make_component<GrowingEngine>({"pe_ipcq", 0, attributes, services});
  const TemporaryFile wave("w.vcd");
  TraceFile file(wave.path());
  TraceScope({"*.ring", "*.at"}).observe(objects_of<Component>(), file);
  run_ns(1);
  TraceSignal& ring = engine->grow();
  TraceSignal& address = engine->address();
  ring.set(5);
  run_ns(1);
  address.set(0);
  run_ns(1);
  address.clear();
  run_ns(1);
  file.close(Component::now());
  const std::string text = wave.text();
  BOOST_TEST(
      text.substr(text.find("#0")) ==
          "#0\n$dumpvars\nbx !\nbx \"\n$end\n#1000000\nb101 !\n#2000000\nb0 \"\n#3000000\nbx "
          "\"\n#4000000\n",
      text);
}

KERNBENCH_SYSTEMC_TEST(modules_of_a_component_register_what_they_have) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  FakeServices services;
  Attributes attributes;
  const auto engine = make_component<PinnedEngine>({"pe_gemm", 0, attributes, services});
  const TemporaryFile wave("w.vcd");
  TraceFile file(wave.path());
  TraceScope({"pe_gemm"}).observe(objects_of<Component>(), file);
  run_ns(1);
  engine->pins.valid.write(true);
  run_ns(1);
  file.close(Component::now());
  const Vcd vcd = read_vcd(wave.text());
  BOOST_TEST(vcd.at("pe_gemm.rtl.valid", 0) == "0");
  BOOST_TEST(vcd.at("pe_gemm.rtl.valid", 1 * ns) == "1");
  BOOST_TEST(vcd.variables.count("pe_gemm.busy") == 1U);
}

// After the window no subscription is left.
KERNBENCH_SYSTEMC_TEST(behind_its_window_a_file_observes_nothing) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  FakeMachine machine;
  const TemporaryFile wave("w.vcd");
  TraceFile file(wave.path(), {0, 2 * ns, false});
  TraceScope({"*.pe_dma"}).observe(objects_of<Component>(), file);
  file.rest();
  BOOST_TEST(machine.dma->busy.observed());
  run_ns(3);
  file.rest();
  BOOST_TEST(!machine.dma->busy.observed());
}

BOOST_AUTO_TEST_SUITE_END()
