// Kernels of different streams on one PE (spec 4.4): together, in contexts of their own, with the
// engines and the scratch shared.
#include "tests/support/error_text.h"
#include "tests/support/forked.h"
#include "tests/support/function_kernel.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(kernel_contexts)

namespace {

constexpr Fs ns = fs_per_ns;
using Body = std::function<void(KernelContext&)>;

struct Kernel {
  Body body;
  std::uint32_t stream = 0;
  std::vector<std::string> follows = {};
  std::uint64_t scratch_bytes = 0;
};

MachineOptions without_data() {
  MachineOptions options(MachineOptions::Engines::builtin);
  options.data = false;
  return options;
}

struct Contexts {
  explicit Contexts(const std::vector<Override>& overrides = {})
      : machine("topology.tiny.yaml", overrides, without_data()) {}

  // All submitted at once, on PE 0, as requests "r0", "r1", ...
  void run(const std::vector<Kernel>& kernels) {
    const RunResult result = machine.run([&](HostPort& port) {
      for (std::size_t i = 0; i < kernels.size(); ++i) {
        const auto launch = kernel_launch({{0, 0, 0}}, "r" + std::to_string(i));
        launch->kernel.name = "k" + std::to_string(i);
        launch->body = std::make_shared<FunctionKernel>(kernels[i].body);
        launch->stream = kernels[i].stream;
        launch->follows = kernels[i].follows;
        launch->scratch_bytes = kernels[i].scratch_bytes;
        requests.push_back(port.submit(launch));
      }
      for (const auto& request : requests) port.wait(*request);
    });
    BOOST_TEST(result.error == "");
  }
  const Completion& completion(std::size_t kernel) const {
    return requests.at(kernel)->response().completion;
  }
  const KernelMetrics& metrics(std::size_t kernel) const {
    return requests.at(kernel)->response().metrics;
  }
  Fs ended(std::size_t kernel) const { return requests.at(kernel)->ended; }

  WholeMachine machine;
  std::vector<std::shared_ptr<HostRequest>> requests;
};

std::string attribute(const std::string& name) {
  return "cube.pe_template.components.pe_cpu.attrs." + name;
}

Body cycles(std::uint64_t count) {
  return [count](KernelContext& pe) { pe.cycles(count); };
}

// 16 ns each.
Body products(int count) {
  return [count](KernelContext& pe) {
    for (int i = 0; i < count; ++i) {
      Command command;
      command.what = DotCommand{32, 64, 32, DType::f16};
      pe.wait(*pe.issue(command));
    }
  };
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(kernels_of_two_streams_run_together) {
  Contexts c;
  c.run({{cycles(1000), 0}, {cycles(700), 1}});
  BOOST_TEST(c.metrics(0).pe_exec == 1000 * ns);
  BOOST_TEST(c.metrics(1).pe_exec == 700 * ns);
  BOOST_TEST(c.ended(0) - c.ended(1) == 300 * ns);
}

KERNBENCH_SYSTEMC_TEST(kernels_of_one_stream_run_in_order) {
  Contexts c;
  c.run({{cycles(1000), 3}, {cycles(700), 3}});
  BOOST_TEST(c.ended(1) > c.ended(0) + 700 * ns);
}

KERNBENCH_SYSTEMC_TEST(a_launch_runs_behind_those_that_it_follows) {
  Contexts c;
  c.run({{cycles(1000), 0}, {cycles(500), 1}, {cycles(100), 2, {"r0"}}});
  BOOST_TEST(c.ended(1) < c.ended(0));
  BOOST_TEST(c.ended(2) > c.ended(0) + 100 * ns);
}

// The third one may not take the place that the second, which is older, will need.
KERNBENCH_SYSTEMC_TEST(contexts_are_given_in_the_order_of_the_launches) {
  Contexts c({{attribute("kernel_contexts"), "2"}});
  c.run({{cycles(1000), 0}, {cycles(500), 1, {"r0"}}, {cycles(100), 2}});
  BOOST_TEST(c.ended(2) > c.ended(0) + 100 * ns);
  BOOST_TEST(c.ended(2) < c.ended(1));
}

KERNBENCH_SYSTEMC_TEST(one_context_runs_one_kernel_at_a_time) {
  Contexts c({{attribute("kernel_contexts"), "1"}});
  c.run({{cycles(1000), 0}, {cycles(700), 1}});
  BOOST_TEST(c.ended(1) > c.ended(0) + 700 * ns);
}

// Each has the slot for its own products, in turn with the other: 10 + 10 of 16 ns.
KERNBENCH_SYSTEMC_TEST(usage_is_counted_per_kernel) {
  Contexts c;
  c.run({{products(10), 0}, {products(10), 1}});
  for (const std::size_t kernel : {0U, 1U}) {
    BOOST_TEST(c.metrics(kernel).compute == 160 * ns);
    BOOST_TEST(c.metrics(kernel).dma == 0U);
    BOOST_TEST(c.metrics(kernel).pe_exec >= 304 * ns);  // 19 of 20 before its last one has ended
  }
}

// --- Scratch

namespace {

// Holds so many bytes for so many cycles; asks again while others may give some back.
Body hold(std::uint64_t bytes, std::uint64_t count) {
  return [=](KernelContext& pe) {
    while (pe.scratch().largest_free_bytes() < bytes && pe.await_scratch()) {
    }
    const std::uint64_t at = pe.scratch().allocate(bytes, 16);
    pe.cycles(count);
    pe.scratch().free(at, bytes);
    pe.dispatch();
  };
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(a_kernel_waits_for_scratch_held_by_a_second_kernel) {
  Contexts c({{attribute("scratch_bytes"), "1024"}});
  c.run({{hold(1000, 500), 0}, {hold(100, 50), 1}});
  BOOST_TEST(c.metrics(0).pe_exec == 500 * ns);
  BOOST_TEST(c.metrics(1).pe_exec == 550 * ns);
}

KERNBENCH_SYSTEMC_TEST(a_part_of_its_own_is_left_alone) {
  Contexts c({{attribute("scratch_bytes"), "1024"}});
  std::uint64_t free = 0;
  c.run({{cycles(500), 1, {}, 600},
         {[&](KernelContext& pe) { free = pe.scratch().largest_free_bytes(); }, 0},
         {hold(600, 50), 2, {}, 600}});
  BOOST_TEST(free == 424U);
  BOOST_TEST(c.ended(2) > c.ended(0) + 50 * ns);  // 600 + 600 are more than there are
}

// Both hold what the other one wants: the later one gets the error, and the earlier one goes on
// with what it has held.
KERNBENCH_SYSTEMC_TEST(a_scratch_deadlock_of_two_kernels_is_reported) {
  Contexts c({{attribute("scratch_bytes"), "1024"}});
  const auto twice = [](std::uint64_t first) -> Body {
    return [first](KernelContext& pe) {
      const std::uint64_t at = pe.scratch().allocate(500, 4);
      pe.cycles(first);
      while (pe.scratch().largest_free_bytes() < 500 && pe.await_scratch()) {
      }
      const bool has_room = pe.scratch().largest_free_bytes() >= 500;
      const std::string sharers = pe.scratch_sharers();
      pe.scratch().free(at, 500);  // as handles do where an error leaves the kernel
      if (!has_room) throw UsageError("no room" + sharers);
    };
  };
  c.run({{twice(100), 0}, {twice(200), 1}});
  BOOST_TEST(c.completion(0).error_message == "");
  check_contains(c.completion(1).error_message, {"no room; the PE is shared with kernel 'k0'"});
}

BOOST_AUTO_TEST_SUITE_END()
