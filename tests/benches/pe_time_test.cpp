// Time of kernels that leave commands in flight (spec 6, 11.3), and the work of the MAC array:
// by hand, on one PE. 4 KiB to load; the scheduler takes 1 ns per command, a product of 32x64x32
// 16 ns, exp of 32x256 elements 64 rows of 4 cycles.
#include "platform/observe/activity_windows.h"
#include "platform/report/pe_times.h"
#include "sw/tl/overlap.h"
#include "tests/support/torch_machine.h"

using namespace kernbench;
using test::TorchMachine;

BOOST_AUTO_TEST_SUITE(pe_time)

namespace {

constexpr Fs ns = fs_per_ns;
constexpr std::int64_t rows = 32, depth = 64, columns = 32;
constexpr double macs = 32 * 64 * 32;

using Kernel = void (*)(tl::Program&, tl::Tensor, tl::Tensor);

struct Measured {
  PeTime time;
  ActivitySummary activity;
};

Measured measure(Kernel kernel) {
  TorchMachine machine("topology.tiny.yaml", {}, false);
  const PeTimes times(machine.platform->observation());
  ActivityWindows windows;
  machine.platform->observation().executed_ops.bind(windows);
  machine.run([&](Torch& torch) {
    const DPPolicy one = DPPolicy::on_one_pe();
    const Tensor x = torch.empty({rows, depth}, f16, one, "x"),
                 w = torch.empty({depth, columns}, f16, one, "w");
    torch.launch(LaunchSpec("kernel").on_pe(0), kernel, x, w);
  });
  BOOST_TEST_REQUIRE(times.kernels().size() == 1U);
  const auto rate = [](const std::string&) { return MacRate{4096, Rational(1)}; };
  return {times.kernels().front().time, windows.summary(rate)};
}

tl::Handle load_async(tl::Program& tl, const tl::Tensor& x) {
  return tl.load_async(x.local(), {rows, depth}, f16);
}

void load_alone(tl::Program& tl, tl::Tensor x, tl::Tensor) {
  tl.load(x.local(), {rows, depth}, f16);
}
void load_waited_for_late(tl::Program& tl, tl::Tensor x, tl::Tensor) {
  const tl::Handle block = load_async(tl, x);
  tl.cycles(10);
  tl.wait(block);
}
void load_used_late(tl::Program& tl, tl::Tensor x, tl::Tensor) {
  const tl::Handle block = load_async(tl, x);
  tl.cycles(10);
  tl.dot(block, tl.zeros({depth, columns}));
}
void product_with_exp(tl::Program& tl, tl::Tensor, tl::Tensor) {
  const tl::Overlap overlap(tl);
  tl.dot(tl.zeros({rows, depth}), tl.zeros({depth, columns}));
  tl.exp(tl.zeros({rows, 256}));
  tl.wait();
}
void products_of_all_kinds(tl::Program& tl, tl::Tensor x, tl::Tensor w) {
  tl.load(x.local(), {rows, depth}, f16);
  tl.dot(tl.zeros({rows, depth}), tl.zeros({depth, columns}));
  tl.dot(tl.zeros({4, rows, depth}), tl.zeros({4, depth, columns}));
  tl.wait(tl.composite(
      tl::gemm(tl.ref(x.local(), {rows, depth}, f16), tl.ref(w.local(), {depth, columns}, f16))));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_wait_for_a_handle_counts_to_the_engine_that_makes_it) {
  const auto part = [](Kernel kernel, PeTimePart which) {
    return test::forked_value([&] { return measure(kernel).time.of(which); });
  };
  const Fs load = part(&load_alone, PeTimePart::dma);
  BOOST_TEST(load > 17 * ns);  // 4 KiB / 256 GB/s, and the way there
  BOOST_TEST(part(&load_waited_for_late, PeTimePart::dma) == load - 10 * ns);
  BOOST_TEST(part(&load_waited_for_late, PeTimePart::running) == 10 * ns);
  BOOST_TEST(part(&load_used_late, PeTimePart::dma) == load - 10 * ns);
  BOOST_TEST(part(&load_used_late, PeTimePart::gemm) == 17 * ns);
  BOOST_TEST(part(&load_used_late, PeTimePart::running) == 10 * ns);
}

// The product from 1 to 17 ns, exp dispatched at 2 ns and behind it, from 17 to 273 ns.
KERNBENCH_SYSTEMC_TEST(commands_in_flight_are_waited_for_in_their_order) {
  const PeTime time = measure(&product_with_exp).time;
  BOOST_TEST(time.of(PeTimePart::gemm) == 17 * ns);
  BOOST_TEST(time.of(PeTimePart::math) == 256 * ns);
  BOOST_TEST(time.total() == 273 * ns);
  BOOST_TEST(time.math_for_slot() == 15 * ns);
  BOOST_TEST(time.gemm_for_slot() == 0U);
}

// 1 + 4 + 1 products of 16 ns.
KERNBENCH_SYSTEMC_TEST(products_of_all_kinds_are_work_of_the_mac_array) {
  const Measured measured = measure(&products_of_all_kinds);
  BOOST_TEST(measured.time.gemm_busy() == 6 * 16 * ns);
  BOOST_TEST(measured.time.of(PeTimePart::gemm) == (1 + 16 + 1 + 64) * ns);
  const PeActivity& pe = measured.activity.pes.at(0);
  BOOST_TEST(static_cast<double>(pe.macs) == 6 * macs);
  BOOST_TEST(pe.gemm_busy == 6 * 16 * ns);
  // The window begins with the load, behind its dispatch, and ends with the kernel.
  BOOST_TEST(pe.mac_window().length() == measured.time.total() - 1 * ns);
  BOOST_TEST(*measured.activity.mac_utilisation == 96.0 / to_ns(pe.mac_window().length()),
             boost::test_tools::tolerance(1e-12));
  BOOST_TEST(*measured.activity.useful_efficiency == *measured.activity.mac_utilisation,
             boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_SUITE_END()
