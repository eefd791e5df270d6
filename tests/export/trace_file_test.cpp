// The waveform: bytes of a small machine, several changes of one instant, selection, polled
// objects, closing (spec 11.1).
#include "platform/export/trace_file.h"

#include "models/base/errors.h"
#include "tests/export/traced_run.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(trace_file_test)

namespace {

std::string waveform(const std::vector<std::string>& patterns) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  FakeMachine machine;
  TemporaryFile vcd("wave.vcd");
  TraceFile file(vcd.path());
  TraceScope(patterns).observe(objects_of<Component>(), file);
  play(machine);
  file.close(Component::now());
  return vcd.text();
}

}  // namespace

// Times in the file are femtoseconds, to the digit; the date is fixed; components stand in their
// scopes; labels are strings.
BOOST_AUTO_TEST_CASE(a_waveform_holds_every_femtosecond) {
  const std::string expected = R"($date
  Sat Jan  1 00:00:00 2000
$end
$version
  KernBench
$end
$timescale
  1 fs
$end
$scope module sip0 $end
$scope module pe0 $end
$scope module pe_dma $end
$var wire 1 ! busy $end
$var wire 8 " queue_depth [7:0] $end
$var string 1 # stage $end
$upscope $end
$scope module pe_gemm $end
$var wire 1 $ busy $end
$upscope $end
$upscope $end
$scope module ucie-N $end
$var wire 1 % busy $end
$upscope $end
$upscope $end
$enddefinitions $end
#0
$dumpvars
0!
b0 "
sIDLE #
0$
0%
$end
#5000000
1!
sDMA_READ #
#7000001
b11 "
sGEMM #
#9000000
0!
b0 "
sIDLE #
#10000000
)";
  BOOST_TEST(forked_value([] { return waveform({"sip0.pe0.pe_dma", "*.busy"}); }) == expected);
}

BOOST_AUTO_TEST_CASE(equal_runs_give_equal_bytes) {
  const auto run = [] { return forked_value([] { return waveform({"*"}); }); };
  const std::string first = run();
  BOOST_TEST(!first.empty());
  BOOST_TEST((first == run()));
}

// 3 -> 4 -> 5 in one instant is 5; 1 -> 0 -> 1 is no change.
KERNBENCH_SYSTEMC_TEST(an_instant_has_one_value_the_last) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  FakeMachine machine;
  TemporaryFile vcd("instant.vcd");
  TraceFile file(vcd.path());
  TraceScope({"*.pe_dma"}).observe(objects_of<Component>(), file);
  run_ns(1);
  for (const unsigned depth : {3U, 4U, 5U}) machine.dma->depth.set(depth);
  machine.dma->busy.set(1);
  run_ns(1);
  machine.dma->busy.set(0);
  machine.dma->busy.set(1);
  run_ns(1);
  file.close(Component::now());
  const std::string text = vcd.text();
  BOOST_TEST(text.substr(text.find("#1000000")) == "#1000000\n1!\nb101 \"\n#3000000\n");
}

// Largest addresses 0x1fff and 0x12: 13 bits are two bytes. A number of a transaction that needs 33
// bits takes five bytes; an address of another width is that of a port.
KERNBENCH_SYSTEMC_TEST(addresses_and_numbers_of_transactions_are_as_wide_as_their_values) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  FakeMachine machine;
  TemporaryFile vcd("width.vcd");
  TraceFile file(vcd.path());
  TraceSignal first("first", "", SignalFormat::address(51));
  TraceSignal second("second", "", SignalFormat::address(51));
  TraceSignal number("number", "", SignalFormat::id(64));
  TraceSignal pin("pin", "", SignalFormat::address(32));
  for (TraceSignal* signal : {&first, &second, &number, &pin}) file.add(*machine.dma, *signal);
  run_ns(1);
  first.set(0x1fff);
  second.set(0x12);
  number.set(std::uint64_t{1} << 32);
  pin.set(1);
  run_ns(1);
  first.clear();
  run_ns(1);
  file.close(Component::now());
  const std::string text = vcd.text();
  for (const std::string line : {"$var wire 16 ! first [15:0]", "$var wire 16 \" second [15:0]",
                                 "$var wire 40 # number [39:0]", "$var wire 32 $ pin [31:0]"})
    BOOST_TEST(contains(text, line), text);
}

// What changes before time first moves on is an initial value.
KERNBENCH_SYSTEMC_TEST(changes_of_the_first_instant_are_initial_values) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  FakeMachine machine;
  TemporaryFile vcd("initial.vcd");
  TraceFile file(vcd.path());
  TraceScope({"*.pe_dma.busy"}).observe(objects_of<Component>(), file);
  machine.dma->busy.set(1);
  run_ns(2);
  file.close(Component::now());
  const std::string text = vcd.text();
  BOOST_TEST(text.substr(text.find("#0")) == "#0\n$dumpvars\n1!\n$end\n#2000000\n");
}

KERNBENCH_SYSTEMC_TEST(a_scope_takes_a_component_a_scope_around_it_or_a_signal) {
  BOOST_TEST(TraceScope({}).takes("sip0.cube3.pe7.pe_dma", "busy"));
  BOOST_TEST(!TraceScope({}).takes("sip0.cube3.hbm_ctrl.pe7", "busy"));
  BOOST_TEST(TraceScope({"sip0.cube0.pe0.*"}).takes("sip0.cube0.pe0.pe_dma", "busy"));
  BOOST_TEST(TraceScope({"sip0.cube0.pe0"}).takes("sip0.cube0.pe0.pe_dma", "busy"));
  BOOST_TEST(!TraceScope({"sip0.cube0.pe0"}).takes("sip0.cube0.pe01.pe_dma", "busy"));
  BOOST_TEST(TraceScope({"*.busy"}).takes("sip0.cube0.ucie-N", "busy"));
  BOOST_TEST(!TraceScope({"*.busy"}).takes("sip0.cube0.ucie-N", "stage"));
  BOOST_TEST(TraceScope({"x", "sip[01].*"}).takes("sip1.cube0", "busy"));
}

KERNBENCH_SYSTEMC_TEST(a_scope_that_takes_nothing_is_an_error) {
  FakeMachine machine;
  TemporaryFile vcd("nothing.vcd");
  TraceFile file(vcd.path());
  BOOST_CHECK_EXCEPTION(TraceScope({"*.busy", "sip0.pe0.pe_gem"}).check(objects_of<Component>()),
                        UsageError, [](const auto& error) {
                          return contains(error.what(),
                                          "--trace-scope 'sip0.pe0.pe_gem' matches no signal") &&
                                 contains(error.what(), "sip0.pe0.pe_gemm");
                        });
}

// What holds when the run breaks off is in the file: every change before, and the present time.
KERNBENCH_SYSTEMC_TEST(a_run_that_breaks_off_leaves_a_whole_file) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  FakeMachine machine;
  TemporaryFile vcd("broken.vcd");
  try {
    TraceFile file(vcd.path());
    TraceScope({"*.pe_dma.busy"}).observe(objects_of<Component>(), file);
    run_ns(3);
    machine.dma->busy.set(1);
    throw std::runtime_error("broken off");
  } catch (const std::runtime_error&) {
    machine.dma->busy.set(0);  // no observer any more
  }
  const std::string text = vcd.text();
  BOOST_TEST(text.substr(text.find("#0")) == "#0\n$dumpvars\n0!\n$end\n#3000000\n1!\n");
}

KERNBENCH_SYSTEMC_TEST(a_file_that_cannot_be_written_is_named) {
  BOOST_CHECK_EXCEPTION(TraceFile("/nowhere/x.vcd"), UsageError, [](const auto& error) {
    return std::string(error.what()) ==
           "cannot write the trace file '/nowhere/x.vcd': No such file or directory";
  });
  TraceFile full("/dev/full");
  BOOST_CHECK_EXCEPTION(full.close(), Error, [](const auto& error) {
    return std::string(error.what()) ==
           "the trace file '/dev/full' is not complete: No space left on device";
  });
}

// Objects of plug-ins: polled once per instant, next to the signals, in their own scopes.
KERNBENCH_SYSTEMC_TEST(objects_registered_with_sc_trace_are_polled) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  FakeMachine machine;
  TemporaryFile vcd("polled.vcd");
  TraceFile file(vcd.path());
  TraceScope({"*.pe_gemm.busy"}).observe(objects_of<Component>(), file);
  sc_core::sc_signal<bool> valid("valid");
  sc_core::sc_signal<int> beat("beat");
  sc_dt::sc_lv<4> lanes("01XZ");
  double rate = 0.5;
  unsigned state = 0;
  const char* states[] = {"OFF", "ON", nullptr};
  sc_core::sc_event done("done");
  sc_core::sc_trace(&file, valid, "sip0.pe0.pe_gemm.rtl.valid");
  sc_core::sc_trace(&file, beat, "sip0.pe0.pe_gemm.rtl.beat");
  sc_core::sc_trace(&file, lanes, "sip0.pe0.pe_gemm.rtl.lanes");
  sc_core::sc_trace(&file, rate, "rate");
  sc_core::sc_trace(&file, state, "state", states);
  sc_core::sc_trace(&file, done, "done");
  run_ns(1);
  valid.write(true);
  beat.write(-2);
  rate = 1.25;
  machine.gemm->busy.set(1);
  run_ns(1);
  state = 1;
  done.notify(1, sc_core::SC_NS);
  run_ns(4);
  file.close(Component::now());
  const std::string text = vcd.text();
  // SystemC sorts before sip0: capitals come first in byte order.
  BOOST_TEST(contains(text,
                      "$scope module SystemC $end\n$var real 64 ! rate $end\n$var string 1 \" "
                      "state $end\n$var event 1 # done $end\n"),
             text);
  BOOST_TEST(contains(text,
                      "$var wire 1 $ busy $end\n$scope module rtl $end\n$var wire 1 % valid "
                      "$end\n$var wire 32 & beat [31:0] $end\n"),
             text);
  BOOST_TEST(text.substr(text.find("#0")) ==
             "#0\n$dumpvars\nr0.5 !\nsOFF \"\n0$\n0%\nb0 &\nb01xz '\n$end\n"
             "#1000000\nr1.25 !\n1$\n1%\nb11111111111111111111111111111110 &\n"
             "#2000000\nsON \"\n#3000000\n1#\n#6000000\n");
}

// Integers have the bits of their width, most significant first; -3 in 5 bits is 11101, 7 ns are
// 7,000,000 fs. x and z are in small letters. Fixed-point numbers are decimals.
KERNBENCH_SYSTEMC_TEST(every_type_that_sc_trace_takes_has_its_bits_or_its_number) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  TemporaryFile vcd("types.vcd");
  TraceFile file(vcd.path());
  const bool flag = true;
  const sc_dt::sc_bit bit(true);
  const sc_dt::sc_logic logic('Z');
  const sc_dt::sc_bv<3> vector("101");
  const sc_dt::sc_lv<3> lanes("1XZ");
  const sc_dt::sc_int<5> integer(-3);
  const sc_dt::sc_uint<4> natural(5);
  const sc_dt::sc_bigint<70> large(-1);
  const sc_dt::sc_biguint<66> large_natural(1);
  const float real = 0.25F;
  const sc_dt::sc_fxval value(1.5);
  const sc_core::sc_time time(7, sc_core::SC_NS);
  const unsigned char byte = 0xfe;
  sc_core::sc_trace(&file, flag, "flag");
  sc_core::sc_trace(&file, bit, "bit");
  sc_core::sc_trace(&file, logic, "logic");
  sc_core::sc_trace(&file, vector, "vector");
  sc_core::sc_trace(&file, lanes, "lanes");
  sc_core::sc_trace(&file, integer, "integer");
  sc_core::sc_trace(&file, natural, "natural");
  sc_core::sc_trace(&file, large, "large");
  sc_core::sc_trace(&file, large_natural, "large_natural");
  sc_core::sc_trace(&file, real, "real");
  sc_core::sc_trace(&file, value, "value");
  sc_core::sc_trace(&file, time, "time");
  sc_core::sc_trace(&file, byte, "byte", 4);
  run_ns(1);
  file.close(Component::now());
  const std::string text = vcd.text();
  BOOST_TEST(text.substr(text.find("$dumpvars")) ==
             "$dumpvars\n1!\n1\"\nz#\nb101 $\nb1xz %\nb11101 &\nb0101 '\nb" + std::string(70, '1') +
                 " (\nb" + std::string(65, '0') +
                 "1 )\nr0.25 *\nr1.5 +\nb11010101100111111000000 ,\nb1110 -\n$end\n#1000000\n");
}

BOOST_AUTO_TEST_SUITE_END()
