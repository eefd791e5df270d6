// No silent end: blocked threads are listed, faults end the run with their cause and place
// (spec 4.2).
#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "platform/assembly/deadlock_watch.h"
#include "tests/support/forked.h"
#include "tests/support/silent_memory.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(deadlock)

namespace {

constexpr Fs ns = fs_per_ns;
constexpr Fs us = 1000 * ns;

MachineOptions with_silent_memory() {
  MachineOptions options(MachineOptions::Engines::builtin);
  options.components = [](ComponentRegistry& registry) {
    registry.add(implementation_of<SilentMemory>("test.silent_memory"));
  };
  options.data = false;
  return options;
}

std::vector<Override> with_hbm_ctrl(const std::string& hbm_ctrl, std::vector<Override> overrides) {
  if (!hbm_ctrl.empty()) overrides.push_back({"cube.components.hbm_ctrl", hbm_ctrl});
  return overrides;
}

// The tiny machine with built-in engines and other HBM controllers: "{impl: test.silent_memory,
// attrs: {poll_ns: 100}}".
struct Machine : WholeMachine {
  explicit Machine(const std::string& hbm_ctrl, const std::vector<Override>& more = {})
      : WholeMachine("topology.tiny.yaml", with_hbm_ctrl(hbm_ctrl, more), with_silent_memory()) {}
  std::uint64_t hbm(int pe) const { return WholeMachine::hbm({0, 0, pe}); }
  RunResult read_and_wait(const RunLimits& limits = {}) {
    return run(
        [this](HostPort& port) {
          port.wait(*port.submit(memory_read({0, 0, 0}, hbm(0), 256)));
        },
        limits);
  }
};

// Wakes up every so often and does nothing, like a clock.
class Clock final : public sc_core::sc_module {
 public:
  Clock(const sc_core::sc_module_name& name, Fs period)
      : sc_core::sc_module(name), period_(period), tick_("tick") {
    SC_HAS_PROCESS(Clock);
    SC_METHOD(run);
    sensitive << tick_;
  }

 private:
  void run() { tick_.notify(Component::fs(period_)); }
  Fs period_;
  sc_core::sc_event tick_;
};

std::shared_ptr<KernelLaunch> launch_of(std::function<void(KernelContext&)> body) {
  auto message = kernel_launch({{0, 0, 0}}, "stuck");
  message->body = std::make_shared<FunctionKernel>(std::move(body));
  return message;
}

// Of PE 0's HBM, in a kernel.
void read_burst(KernelContext& pe, std::uint64_t address) {
  Command command;
  command.what = DmaCommand{false, address, 256};
  pe.wait(*pe.issue(command));
}

void check_contains(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    BOOST_TEST(text.find(part) != text.npos, "'" << part << "' is not in: " << text);
}

const std::string silent = "{impl: test.silent_memory}";
const std::string polling = "{impl: test.silent_memory, attrs: {poll_ns: 100}}";

}  // namespace

// --- Nothing is pending

KERNBENCH_SYSTEMC_TEST(a_swallowed_request_lists_who_waits_for_it) {
  const RunResult result = Machine(silent).read_and_wait();
  BOOST_TEST(name_of(result.status) == "deadlock");
  BOOST_CHECK_THROW(std::rethrow_exception(result.cause), DeadlockError);
  check_contains(result.error, {"nothing is pending, and",
                                "\n  host.program waits for the end of MemoryRead 'r' since 0 ns"});
}

KERNBENCH_SYSTEMC_TEST(a_deadlocked_kernel_lists_every_blocked_thread_up_to_the_host) {
  Machine m(silent);
  const RunResult result = m.run([&](HostPort& port) {
    port.wait(*port.submit(launch_of([&](KernelContext& pe) { read_burst(pe, m.hbm(0)); })));
  });
  BOOST_TEST(name_of(result.status) == "deadlock");
  check_contains(result.error,
                 {"\n  host.program waits for the end of KernelLaunch 'stuck' since 0 ns",
                  "\n  sip0.cube0.m_cpu waits for answers to KernelLaunch 'stuck' since ",
                  "\n  sip0.cube0.pe0.pe_cpu waits for command ", " of kernel 'k' since ",
                  "\n  sip0.io0.io_cpu waits for answers to KernelLaunch 'stuck' since "});
}

// --- Nothing but polling and clocks is pending (deadlock_after_ns)

// The read is in flight at 15 ns (it leaves the end point at 5); the memory polls every 100 ns.
// Looks are 1 ms apart: at the first, what happened after 0 is new; at the second, nothing is.
KERNBENCH_SYSTEMC_TEST(polling_is_no_progress) {
  const RunResult result = Machine(polling).read_and_wait();
  BOOST_TEST(name_of(result.status) == "deadlock");
  BOOST_CHECK_THROW(std::rethrow_exception(result.cause), DeadlockError);
  check_contains(result.error,
                 {"livelock at 2000000 ns: nothing but polling and clocks for 1000000 ns, and",
                  "host.program waits for the end of MemoryRead 'r' since 0 ns"});
}

KERNBENCH_SYSTEMC_TEST(the_patience_is_a_limit_of_the_run) {
  RunLimits limits;
  limits.deadlock_after = 10 * us;
  check_contains(Machine(polling).read_and_wait(limits).error,
                 {"livelock at 20000 ns: nothing but polling and clocks for 10000 ns"});
}

KERNBENCH_SYSTEMC_TEST(without_a_patience_polling_goes_on) {
  RunLimits limits;
  limits.deadlock_after.reset();
  limits.until = 5000 * us;
  const RunResult result = Machine(polling).read_and_wait(limits);
  BOOST_TEST(name_of(result.status) == "until_reached");
  BOOST_TEST(result.simulated == 5000 * us);
}

KERNBENCH_SYSTEMC_TEST(a_clock_outside_the_machine_hides_no_deadlock) {
  Machine m(silent);
  const Clock clock("clock", 1 * ns);
  RunLimits limits;
  limits.deadlock_after = 10 * us;
  const RunResult result = m.run(
      [&](HostPort& port) {
        port.wait(*port.submit(launch_of([&](KernelContext& pe) { read_burst(pe, m.hbm(0)); })));
      },
      limits);
  BOOST_TEST(name_of(result.status) == "deadlock");
  check_contains(result.error, {"livelock at ", "sip0.cube0.pe0.pe_cpu waits for command "});
}

KERNBENCH_SYSTEMC_TEST(an_unawaited_request_is_listed_as_in_flight) {
  Machine m(polling);
  const RunResult result = m.run([&](HostPort& port) {
    port.submit(memory_read({0, 0, 0}, m.hbm(0), 256));
  });
  BOOST_TEST(name_of(result.status) == "deadlock");
  check_contains(result.error,
                 {"the read of 256 bytes of sip0.io0.pcie_ep at sip0.cube0.hbm_ctrl.pe0"});
}

// --- What is no deadlock

KERNBENCH_SYSTEMC_TEST(work_every_now_and_then_is_progress) {
  Machine m("");
  const Clock clock("clock", 100 * ns);
  const RunResult result = m.run([&](HostPort& port) {
    port.wait(*port.submit(launch_of([&](KernelContext& pe) {
      for (int i = 0; i < 8; ++i) {
        read_burst(pe, m.hbm(0));
        pe.cycles(900'000);  // 0.9 ms
      }
    })));
  });
  BOOST_TEST(result.error == "");
  BOOST_TEST(name_of(result.status) == "completed");
  BOOST_TEST(result.simulated > 7200 * us);
}

KERNBENCH_SYSTEMC_TEST(one_long_delay_is_progress_if_nothing_polls) {
  Machine m("", {{"cube.components.hbm_ctrl.attrs.overhead_ns", "9e6"}});
  const RunResult result = m.read_and_wait();
  BOOST_TEST(result.error == "");
  BOOST_TEST(result.simulated > 9000 * us);
}

// The clock would hide that the memory is at work: it counts nothing for 9 ms.
KERNBENCH_SYSTEMC_TEST(one_long_delay_of_a_model_is_progress_despite_a_free_running_clock) {
  Machine m("", {{"cube.components.hbm_ctrl.attrs.overhead_ns", "9e6"}});
  const Clock clock("clock", 100 * ns);
  const RunResult result = m.read_and_wait();
  BOOST_TEST(result.error == "");
  BOOST_TEST(result.simulated > 9000 * us);
}

// Of a module that says nothing of its events: here the kernel itself.
KERNBENCH_SYSTEMC_TEST(an_event_that_was_pending_when_something_was_done_is_waited_for) {
  Machine m("");
  const Clock clock("clock", 100 * ns);
  const RunResult result = m.run([&](HostPort& port) {
    port.wait(*port.submit(launch_of([&](KernelContext& pe) {
      read_burst(pe, m.hbm(0));
      sc_core::wait(9, sc_core::SC_MS);
    })));
  });
  BOOST_TEST(result.error == "");
  BOOST_TEST(result.simulated > 9000 * us);
}

KERNBENCH_SYSTEMC_TEST(no_patience_is_too_short_for_work) {
  Machine m("");
  RunLimits limits;
  limits.deadlock_after = 1;
  const RunResult result = m.run(
      [&](HostPort& port) {
        port.wait(*port.submit(launch_of([&](KernelContext& pe) {
          for (int i = 0; i < 3; ++i) {
            read_burst(pe, m.hbm(0));
            pe.cycles(70);
          }
        })));
      },
      limits);
  BOOST_TEST(result.error == "");
  BOOST_TEST(name_of(result.status) == "completed");
}

// Polling by its own hand.
KERNBENCH_SYSTEMC_TEST(a_kernel_that_only_lets_time_pass_is_a_livelock) {
  Machine m("");
  const RunResult result = m.run([&](HostPort& port) {
    port.wait(*port.submit(launch_of([&](KernelContext&) {
      for (;;) sc_core::wait(333, sc_core::SC_NS);
    })));
  });
  BOOST_TEST(name_of(result.status) == "deadlock");
  check_contains(result.error,
                 {"livelock at ", "\n  sip0.cube0.pe0.pe_cpu runs kernel 'k'; last call: none"});
}

KERNBENCH_SYSTEMC_TEST(polling_without_a_blocked_thread_is_no_deadlock) {
  Machine m(polling);
  RunLimits limits;
  limits.until = 4000 * us;
  const RunResult result = m.run([](HostPort&) { sc_core::wait(1, sc_core::SC_SEC); }, limits);
  BOOST_TEST(name_of(result.status) == "until_reached");
}

BOOST_AUTO_TEST_CASE(the_watch_looks_once_per_patience_and_wants_two_equal_looks) {
  std::uint64_t work = 0;
  int asked = 0;
  bool waiting = true;
  Fs busy_until = 0, pending_until = 0;
  DeadlockWatch watch(10, {[&] { return ++asked, work; }, [&] { return waiting; },
                           [&] { return busy_until; }, [&] { return pending_until; }});
  BOOST_TEST(!watch.expired(0));
  BOOST_TEST(watch.look_at() == 10u);
  BOOST_TEST(!watch.expired(9));
  BOOST_TEST(asked == 1);
  work = 1;
  BOOST_TEST(!watch.expired(12));
  BOOST_TEST(watch.look_at() == 22u);
  waiting = false;
  BOOST_TEST(!watch.expired(22));
  waiting = true;
  BOOST_TEST(!watch.expired(31));
  BOOST_TEST(watch.expired(32));
  BOOST_TEST(watch.quiet_since() == 22u);
  // A thread resumes at 50: after that time it would have.
  busy_until = 50;
  BOOST_TEST(!watch.expired(32));
  BOOST_TEST(watch.look_at() == 51u);
  BOOST_TEST(watch.expired(51));
  // What was pending when something was last done; not what has come since.
  ++work;
  pending_until = 70;
  BOOST_TEST(!watch.expired(52));
  pending_until = 1000;
  BOOST_TEST(!watch.expired(62));
  BOOST_TEST(watch.expired(72));
  DeadlockWatch never(never_fs, {[&] { return work; }, [] { return true; }, [] { return Fs{0}; },
                                 [] { return Fs{0}; }});
  BOOST_TEST(!never.expired(5));
  BOOST_TEST(!never.expired(1u << 30));
}

// --- Faults in a run: the cause and the place

// This machine has one cube.
KERNBENCH_SYSTEMC_TEST(a_bad_address_in_a_kernel_fails_the_launch_with_the_node_and_the_time) {
  Machine m("");
  const RunResult result = m.run([&](HostPort& port) {
    const auto request = port.submit(launch_of([](KernelContext& pe) {
      read_burst(pe, PhysAddr::ual_addr(0, 7, PhysAddr::ual_begin).encode());
    }));
    port.wait(*request);
    const Completion& completion = request->response().completion;
    BOOST_TEST(!completion.ok);
    check_contains(completion.error_message, {"sip0.cube0.pe0.pe_cpu at ",
                                              " ns: kernel 'k': physical address field die = 7"});
  });
  BOOST_TEST(result.error == "");
}

BOOST_AUTO_TEST_SUITE_END()
