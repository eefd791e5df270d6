// PE_CPU (spec 4.2 to 4.4, 5, 6). A launch takes one link (1 fs) to the PE and pays 2 ns there.
#include <boost/test/unit_test.hpp>
#include <map>
#include <string>

#include "models/address/virtual_space.h"
#include "models/base/errors.h"
#include "models/pe/pe_cpu.h"
#include "tests/pe/pe_testbench.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"
#include "tests/support/function_kernel.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(cpu_test)

namespace {

constexpr Fs ns = fs_per_ns;
constexpr Fs ready = 2 * ns + 1;

std::shared_ptr<KernelLaunch> kernel(std::function<void(KernelContext&)> body,
                                     std::optional<Fs> target_start = std::nullopt) {
  auto launch = std::make_shared<KernelLaunch>();
  launch->kernel.name = "k";
  launch->body = std::make_shared<FunctionKernel>(std::move(body));
  launch->targets = {PeId{}};
  launch->target_start = target_start;
  return launch;
}

template <class What>
Command command(const What& what) {
  Command made;
  made.what = what;
  return made;
}

// The first two calls of a launch miss an instruction cache: 50 cycles each, and 1 of the others.
class ColdCpu final : public PeCpu {
 public:
  explicit ColdCpu(const ComponentInit& init) : PeCpu(init) {}

 private:
  std::uint64_t call_cycles(std::uint64_t call) override { return call < 2 ? 50 : 1; }
};

// Runs one kernel and returns its answer.
std::pair<PeTestbench::Answer, HostResponse> launch_one(PeTestbench& pe,
                                                        std::shared_ptr<KernelLaunch> launch) {
  std::size_t request = 0;
  pe.at(0, [&] { request = pe.send_control("pe_cpu", launch); });
  pe.run();
  return {pe.answer(request), pe.response(request)};
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(a_launch_pays_its_overhead_once_and_waits_for_target_start) {
  PeTestbench pe;
  Fs started = 0;
  const auto [answer, response] =
      launch_one(pe, kernel([&](KernelContext& context) { started = context.now(); }, 100 * ns));
  BOOST_TEST(started == 100 * ns);
  BOOST_TEST(answer.time == 100 * ns + 1);
  BOOST_TEST(response.completion.ok);
  BOOST_TEST(response.metrics.start_skew == 0u);
  BOOST_TEST(response.metrics.pe_exec == 0u);
}

KERNBENCH_SYSTEMC_TEST(a_late_launch_starts_on_receipt_and_reports_its_skew) {
  PeTestbench pe;
  Fs started = 0;
  const auto [answer, response] = launch_one(pe, kernel(
                                                     [&](KernelContext& context) {
                                                       started = context.now();
                                                       context.cycles(10);
                                                     },
                                                     1 * ns));
  BOOST_TEST(started == ready);
  BOOST_TEST(response.metrics.start_skew == 1 * ns + 1);
  BOOST_TEST(response.metrics.pe_exec == ready + 10 * ns - 1 * ns);  // from target_start
}

// dot: 1 ns scheduler + 16 ns. load: 1 + 1 + 16 ns + 2 fs.
KERNBENCH_SYSTEMC_TEST(metrics_are_execution_channel_held_and_slot_held_time) {
  PeTestbench pe;
  const auto [answer, response] =
      launch_one(pe, kernel(
                         [](KernelContext& context) {
                           auto load = context.issue(command(DmaCommand{false, 0, 4096}));
                           context.wait(*load);
                           auto dot = context.issue(command(DotCommand{32, 64, 32, DType::f16}));
                           context.wait(*dot);
                         },
                         10 * ns));
  BOOST_TEST(response.metrics.pe_exec == (1 + 17 + 1 + 16) * ns + 2);
  BOOST_TEST(response.metrics.dma == 17 * ns + 2);
  BOOST_TEST(response.metrics.compute == 16 * ns);
}

KERNBENCH_SYSTEMC_TEST(signals_of_a_kernel_that_runs_begin_with_the_values_of_now) {
  PeTestbench pe;
  std::map<std::string, std::uint64_t> seen;
  pe.at(5 * ns, [&] {  // the dot ends at 19 ns
    for (const TraceSignal& signal : pe.engine("pe_cpu").signals())
      seen[signal.name()] = signal.value();
  });
  launch_one(pe, kernel([](KernelContext& context) {
               context.wait(*context.issue(command(DotCommand{32, 64, 32, DType::f16})));
             }));
  BOOST_TEST(seen.at("state") == 3u);  // waiting_for_command
  BOOST_TEST(seen.at("command") == 1u);
}

KERNBENCH_SYSTEMC_TEST(metrics_count_from_the_start_of_the_launch) {
  PeTestbench pe;
  const auto body = [](KernelContext& context) {
    context.wait(*context.issue(command(DotCommand{32, 64, 32, DType::f16})));
  };
  std::vector<std::size_t> requests;
  pe.at(0, [&] { requests.push_back(pe.send_control("pe_cpu", kernel(body))); });
  pe.at(1 * ns, [&] { requests.push_back(pe.send_control("pe_cpu", kernel(body))); });
  pe.run();
  BOOST_TEST(pe.response(requests[1]).metrics.compute == 16 * ns);
  // The second launch came while the first one ran: it starts when that has been answered.
  BOOST_TEST(pe.answer(requests[0]).time == ready + 17 * ns + 1);
  BOOST_TEST(pe.answer(requests[1]).time == ready + 34 * ns + 1);
}

KERNBENCH_SYSTEMC_TEST(the_engines_drain_before_the_answer) {
  PeTestbench pe;
  const auto [answer, response] =
      launch_one(pe, kernel([](KernelContext& context) {
                   context.issue(command(DotCommand{32, 64, 32, DType::f16}));
                 }));
  BOOST_TEST(response.metrics.pe_exec == 17 * ns);  // unawaited commands count as the kernel's, too
  BOOST_TEST(answer.time == ready + 17 * ns + 1);
  BOOST_TEST(response.metrics.compute == 16 * ns);
}

// 3 cycles at 0.5 GHz are 6 ns; the command itself goes at once, and the cycles that a kernel asks
// for are what it says.
KERNBENCH_SYSTEMC_TEST(a_dispatch_pays_its_cycles_of_the_clock_and_what_follows_pays_none) {
  PeTestbench pe({{"pe_cpu", {{"dispatch_cycles", "3"}, {"clock_ghz", "0.5"}}}});
  const auto [answer, response] =
      launch_one(pe, kernel([](KernelContext& context) {
                   context.dispatch();
                   context.wait(*context.issue(command(DotCommand{32, 64, 32, DType::f16})));
                   context.cycles(5);
                 }));
  BOOST_TEST(response.metrics.pe_exec == (6 + 17 + 10) * ns);
}

// 50 + 50 + 1 cycles of 1 GHz: calls are counted from 0 in each launch.
KERNBENCH_SYSTEMC_TEST(a_derived_cpu_has_cycles_of_its_own_for_each_call) {
  PeTestbench pe;
  pe.replace<ColdCpu>("pe_cpu");
  std::vector<std::size_t> requests;
  for (const Fs time : {Fs{0}, 1000 * ns}) {
    pe.at(time, [&] {
      requests.push_back(pe.send_control("pe_cpu", kernel([](KernelContext& context) {
                                           for (int i = 0; i < 3; ++i) context.dispatch();
                                         })));
    });
  }
  pe.run();
  BOOST_TEST_REQUIRE(requests.size() == 2U);
  for (const std::size_t request : requests)
    BOOST_TEST(pe.response(request).metrics.pe_exec == 101 * ns);
}

KERNBENCH_SYSTEMC_TEST(a_kernel_that_throws_is_answered_with_code_node_and_time) {
  PeTestbench pe;
  const auto [answer, response] = launch_one(pe, kernel([](KernelContext& context) {
                                               context.cycles(5);
                                               throw std::runtime_error("index out of range");
                                             }));
  BOOST_TEST(!response.completion.ok);
  BOOST_TEST(response.completion.error_code == "kernel_exception");
  BOOST_TEST(response.completion.error_message ==
             "pe_cpu at 7.000001 ns: kernel 'k': index out of range");
  BOOST_TEST(answer.time == 7 * ns + 2);
  BOOST_TEST(pe.statistic("pe_cpu", "failures") == 1u);
}

KERNBENCH_SYSTEMC_TEST(what_is_no_std_exception_does_not_escape_either) {
  PeTestbench pe;
  const auto [answer, response] = launch_one(pe, kernel([](KernelContext&) { throw 5; }));
  BOOST_TEST(response.completion.error_code == "kernel_exception");
}

KERNBENCH_SYSTEMC_TEST(waiting_for_a_command_that_faulted_throws_an_access_fault) {
  PeTestbench pe;
  const auto [answer, response] =
      launch_one(pe, kernel([](KernelContext& context) {
                   context.wait(*context.issue(command(DmaCommand{false, va_base, 64})));
                 }));
  BOOST_TEST(response.completion.error_code == "access_fault");
  BOOST_TEST(contains(response.completion.error_message,
                      "pe_dma at 4.000001 ns: no mapping for virtual address"),
             response.completion.error_message);
}

KERNBENCH_SYSTEMC_TEST(a_fault_of_an_unawaited_command_fails_the_launch_too) {
  PeTestbench pe;
  const auto [answer, response] =
      launch_one(pe, kernel([](KernelContext& context) {
                   context.issue(command(DmaCommand{true, va_base, 64}));
                 }));
  BOOST_TEST(response.completion.error_code == "access_fault");
}

KERNBENCH_SYSTEMC_TEST(a_tile_that_never_fits_fails_at_the_call) {
  PeTestbench pe;
  CompositeGemm g;
  g.m = g.k = g.n = 512;
  g.tile = TileShape{512, 512, 512};
  Fs failed = 0;
  const auto [answer, response] = launch_one(pe, kernel([&](KernelContext& context) {
                                               try {
                                                 context.issue(command(g));
                                               } catch (const UsageError&) {
                                                 failed = context.now();
                                                 throw;
                                               }
                                             }));
  BOOST_TEST(failed == ready);
  BOOST_TEST(response.completion.error_code == "usage_error");
}

// The notice comes at 10 ns + 1 fs and pays the overhead; the kernel sees it at its next call.
KERNBENCH_SYSTEMC_TEST(an_aborted_kernel_ends_at_its_next_call) {
  PeTestbench pe;
  int calls = 0;
  const auto launch = kernel([&](KernelContext& context) {
    for (;;) {
      try {
        context.cycles(5);
        ++calls;
      } catch (const std::exception&) {  // a kernel does not hold an abort back
      }
    }
  });
  std::size_t request = 0;
  std::size_t notice = 0;
  pe.at(0, [&] { request = pe.send_control("pe_cpu", launch); });
  pe.at(10 * ns, [&] {
    auto abort = std::make_shared<LaunchAbort>();
    abort->launch = launch;
    notice = pe.send_control("pe_cpu", abort, true);
  });
  pe.run();
  BOOST_TEST(calls == 2);  // 2 -> 7 -> 12 ns + 1 fs, where the third call begins
  BOOST_TEST(pe.answer(request).time == 12 * ns + 2);
  BOOST_TEST(pe.answer(notice).time == 12 * ns + 1);
  BOOST_TEST(pe.response(request).completion.error_code == "aborted");
}

// The kernel's call begins at 2 ns + 1 fs and is dispatched for 20 ns; the notice is there at 12 ns
// + 1 fs.
KERNBENCH_SYSTEMC_TEST(an_abort_during_dispatch_ends_the_kernel_before_its_call_does_anything) {
  PeTestbench pe({{"pe_cpu", {{"dispatch_cycles", "20"}}}});
  bool dispatched = false;
  const auto launch = kernel([&](KernelContext& context) {
    context.dispatch();
    dispatched = true;
  });
  std::size_t request = 0;
  pe.at(0, [&] { request = pe.send_control("pe_cpu", launch); });
  pe.at(10 * ns, [&] {
    auto abort = std::make_shared<LaunchAbort>();
    abort->launch = launch;
    pe.send_control("pe_cpu", abort, true);
  });
  pe.run();
  BOOST_TEST(!dispatched);
  BOOST_TEST(pe.answer(request).time == ready + 20 * ns + 1);
  BOOST_TEST(pe.response(request).completion.error_code == "aborted");
}

KERNBENCH_SYSTEMC_TEST(an_abort_for_another_launch_is_ignored) {
  PeTestbench pe;
  std::size_t request = 0;
  pe.at(0, [&] {
    request = pe.send_control("pe_cpu", kernel([](KernelContext& context) { context.cycles(20); }));
  });
  pe.at(1 * ns, [&] { pe.send_control("pe_cpu", std::make_shared<LaunchAbort>(), true); });
  pe.run();
  BOOST_TEST(pe.response(request).completion.ok);
}

KERNBENCH_SYSTEMC_TEST(a_kernel_sees_its_pe_its_launch_and_a_fresh_scratch) {
  PeTestbench pe({{"pe_cpu", {{"scratch_bytes", "1024"}}}});
  const auto body = [](KernelContext& context) {
    BOOST_TEST((context.where() == PeId{0, 0, 0}));
    BOOST_TEST(context.launch().kernel.name == "k");
    BOOST_TEST(context.scratch().allocate(1000) == 0u);
    context.scratch().allocate(100);
  };
  std::vector<std::size_t> requests;
  pe.at(0, [&] {
    requests.push_back(pe.send_control("pe_cpu", kernel(body)));
    requests.push_back(pe.send_control("pe_cpu", kernel(body)));
  });
  pe.run();
  for (const std::size_t request : requests)
    BOOST_TEST(pe.response(request).completion.error_code == "allocation_error");
}

KERNBENCH_SYSTEMC_TEST(a_kernel_looks_addresses_up_without_time) {
  PeTestbench pe({{"pe_mmu", {{"tlb_overhead_ns", "7"}}}});
  std::size_t request = 0;
  PhysRanges ranges;
  pe.at(0, [&] {
    auto map = std::make_shared<MmuMap>();
    map->entries = {{va_base, 100, 256}, {va_base + 256, 9000, 256}};
    pe.send_control("pe_mmu", map);
  });
  pe.at(10 * ns, [&] {
    request = pe.send_control("pe_cpu", kernel([&](KernelContext& context) {
                                ranges = context.translate(va_base + 128, 256);
                              }));
  });
  pe.run();
  BOOST_REQUIRE(ranges.size() == 2u);
  BOOST_TEST(ranges[0].pa == 228u);
  BOOST_TEST(ranges[1].pa == 9000u);
  BOOST_TEST(pe.response(request).metrics.pe_exec == 0u);
}

KERNBENCH_SYSTEMC_TEST(the_kernel_thread_has_the_stack_that_its_attribute_says) {
  PeTestbench pe({{"pe_cpu", {{"kernel_stack_bytes", "1048576"}}}});
  const auto [answer, response] = launch_one(pe, kernel([](KernelContext& context) {
                                               volatile char block[800 * 1024];
                                               for (std::size_t i = 0; i < sizeof block; i += 4096)
                                                 block[i] = 1;
                                               context.cycles(1);
                                             }));
  BOOST_TEST(response.completion.ok);
}

BOOST_AUTO_TEST_SUITE_END()
