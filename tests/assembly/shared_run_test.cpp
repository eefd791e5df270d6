// Machines inside a user's modules, also several in one process: names, results as alone,
// faults, deadlocks, runs in pieces (docs/use-as-a-library.md).
#include "platform/assembly/shared_run.h"

#include <boost/test/unit_test.hpp>
#include <functional>
#include <memory>

#include "models/base/errors.h"
#include "models/host/host.h"
#include "platform/assembly/machine_builder.h"
#include "platform/assembly/machine_root.h"
#include "tests/assembly/shell_machine.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"
#include "tests/support/plain_tlm/lt_initiator.h"
#include "tests/support/plain_tlm/lt_memory.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(shared_run)

namespace {

// Writes, a launch on all PEs of a cube whose DMAs meet, reads.
void work(HostPort& port, WholeMachine& m) {
  for (int pe = 0; pe < 8; ++pe)
    port.submit(memory_write({0, 0, pe}, m.hbm({0, 0, pe}), std::vector<std::uint8_t>(4096, 7)));
  std::vector<PeId> pes;
  for (int pe = 0; pe < 8; ++pe) pes.push_back({0, 0, pe});
  auto launch = kernel_launch(pes);
  const std::uint64_t target = m.hbm({0, 0, 3});
  launch->body = std::make_shared<FunctionKernel>([target](KernelContext& pe) {
    Command command;
    command.what = DmaCommand{false, target, 2048};
    pe.wait(*pe.issue(command));
    pe.cycles(17);
  });
  port.wait(*port.submit(launch));
  port.wait(*port.submit(memory_read({0, 0, 1}, m.hbm({0, 0, 1}), 1000)));
  port.submit(memory_write({0, 0, 2}, m.hbm({0, 0, 2}), std::vector<std::uint8_t>(9000, 1)));
}
void longer(HostPort& port, WholeMachine& m) {
  for (int i = 0; i < 5; ++i) work(port, m);
}
void block(HostPort& port, WholeMachine&) {
  const sc_core::sc_event never("");
  port.wait(never, "what never comes");
}

const char* const tiny = "topology.tiny.yaml";
const char* const large = "topology.yaml";

// Of a machine alone in the module `name`.
std::string alone(const char* name, const char* topology, const Body& body) {
  return forked_value([&] {
    Shell shell(name, topology);
    Program program(shell, body);
    std::string results;
    shell.platform().set_program(program);
    run_together({&shell.platform()}, {},
                 [&](Platform&, const RunResult& result) { results = shell.results(result); });
    return results;
  });
}

struct Two {
  explicit Two(const char* second = tiny) : a("a", tiny), b("b", second) {}
  std::vector<RunResult> run(const Body& of_a, const Body& of_b, const RunLimits& limits = {},
                             const MachineEnded& ended = {}) {
    program_a = std::make_unique<Program>(a, of_a);
    program_b = std::make_unique<Program>(b, of_b);
    a.platform().set_program(*program_a);
    b.platform().set_program(*program_b);
    return run_together({&a.platform(), &b.platform()}, limits, ended);
  }
  Shell a, b;
  std::unique_ptr<Program> program_a, program_b;
};

}  // namespace

// --- The hierarchy

KERNBENCH_SYSTEMC_TEST(a_machine_in_a_module_has_all_its_objects_below_it) {
  Shell shell("top", tiny);
  std::vector<std::string> names;
  for (const sc_core::sc_object* object : sc_core::sc_get_top_level_objects())
    names.emplace_back(object->name());
  BOOST_TEST(names == (std::vector<std::string>{"top"}), boost::test_tools::per_element());
  for (const char* name : {"top.host", "top.end_of_timestep", "top.sip0.cube0.r0c0"})
    BOOST_TEST((sc_core::sc_find_object(name) != nullptr), name);
  BOOST_TEST(shell.platform().name() == "top");
  const Component& router =
      shell.platform().component(shell.platform().graph().at("sip0.cube0.r0c0"));
  BOOST_TEST(std::string(name_in_machine(router)) == "sip0.cube0.r0c0");
  Program program(shell, work);
  const RunResult result = shell.platform().run(program);
  BOOST_TEST(result.error == "");
  BOOST_TEST(!contains(shell.results(result), "top."));
}

BOOST_AUTO_TEST_CASE(results_are_those_of_a_machine_at_the_top) {
  const std::string at_top = forked_value([] {
    WholeMachine machine(tiny, {}, MachineOptions(MachineOptions::Engines::builtin));
    const RunResult result = machine.run([&](HostPort& port) { work(port, machine); });
    return std::to_string(result.simulated);
  });
  BOOST_TEST(contains(alone("top", tiny, work), "completed " + at_top + "\n"));
}

KERNBENCH_SYSTEMC_TEST(a_module_takes_one_machine) {
  struct Double : sc_core::sc_module {
    explicit Double(const sc_core::sc_module_name& name) : sc_module(name) {
      first = std::make_unique<WholeMachine>(tiny);
      BOOST_TEST(error_of<UsageError>([] { WholeMachine second(tiny); }) ==
                 "module 'top' already has an object 'host', as of a machine: each machine of a "
                 "process is built in a module of its own");
    }
    std::unique_ptr<WholeMachine> first;
  } top("top");
}

// --- Time resolution

KERNBENCH_SYSTEMC_TEST(a_time_resolution_of_1_fs_may_be_set_already) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  const sc_core::sc_time mine(3, sc_core::SC_NS);
  WholeMachine machine(tiny);
  BOOST_TEST(machine.run([](HostPort&) {}).error == "");
  BOOST_TEST(mine.value() == 3 * fs_per_ns);
}

BOOST_AUTO_TEST_CASE(another_time_resolution_is_an_error_that_says_what_is_needed) {
  const auto error = [](const std::function<void()>& prepare) {
    return forked_value([&] {
      prepare();
      return error_of<UsageError>([] { WholeMachine machine(tiny); });
    });
  };
  const std::string needed =
      " already, and a machine needs 1 fs: call sc_set_time_resolution(1, SC_FS) before the first "
      "sc_time is made";
  BOOST_TEST(error([] { sc_core::sc_set_time_resolution(10, sc_core::SC_FS); }) ==
             "SystemC's time resolution is 10 fs" + needed);
  BOOST_TEST(error([] { sc_core::sc_time used(1, sc_core::SC_NS); }) ==
             "SystemC's time resolution is 1 ps" + needed);
}

KERNBENCH_SYSTEMC_TEST(a_machine_is_built_before_the_simulation_starts) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  BOOST_TEST(error_of<UsageError>([] { WholeMachine machine(tiny); }) ==
             "a machine is built before the simulation starts: it has started");
}

// --- Two machines

BOOST_AUTO_TEST_CASE(each_of_two_machines_has_the_results_of_a_run_alone_to_the_byte) {
  for (const char* second : {tiny, large}) {
    const auto both = forked_value([&] {
      Two two(second);
      std::string of_a, of_b;
      const auto results =
          two.run(longer, work, {}, [&](Platform& machine, const RunResult& result) {
            Shell& shell = &machine == &two.a.platform() ? two.a : two.b;
            (&shell == &two.a ? of_a : of_b) = shell.results(result);
          });
      BOOST_TEST(results[0].error == "");
      BOOST_TEST(results[1].error == "");
      BOOST_TEST(results[0].simulated > 2 * results[1].simulated);
      return std::vector<std::string>{of_a, of_b};
    });
    BOOST_TEST(both[0].size() > 10'000U);
    BOOST_TEST((both[0] == alone("a", tiny, longer)));
    BOOST_TEST((both[1] == alone("b", second, work)));
  }
}

KERNBENCH_SYSTEMC_TEST(a_fault_in_one_ends_the_run_and_names_the_machine) {
  Two two;
  const auto results = two.run(longer, [](HostPort& port, WholeMachine& m) {
    port.wait(*port.submit(memory_read({0, 0, 1}, m.hbm({0, 0, 1}), 1000)));
    m.platform->services().as_machine().fatal(m.platform->host(), "a rule is broken");
  });
  BOOST_TEST((results[1].status == RunStatus::failed));
  BOOST_TEST(contains(results[1].error, "b.host at "));
  BOOST_TEST(contains(results[1].error, "a rule is broken"));
  BOOST_TEST((results[0].status == RunStatus::interrupted));
  BOOST_TEST(results[0].error == results[1].error);
}

KERNBENCH_SYSTEMC_TEST(a_program_that_misbehaves_in_one_is_a_fault_of_its_machine) {
  Two two;
  const auto results = two.run(longer, [](HostPort&, WholeMachine&) { sc_core::sc_stop(); });
  BOOST_TEST((results[1].status == RunStatus::failed));
  BOOST_TEST(contains(results[1].error,
                      "b.host.program at 0 ns: bench 'unnamed' has called "
                      "sc_stop()"));
  BOOST_TEST((results[0].status == RunStatus::interrupted));
}

KERNBENCH_SYSTEMC_TEST(a_deadlock_in_one_is_found_when_the_other_has_ended) {
  Two two;
  const auto results = two.run(longer, block);
  BOOST_TEST((results[0].status == RunStatus::completed));
  BOOST_TEST(results[0].error == "");
  BOOST_TEST((results[1].status == RunStatus::deadlock));
  BOOST_TEST(contains(results[1].error, "b: deadlock at "));
  BOOST_TEST(
      contains(results[1].error, "\n  b.host.program waits for what never comes since 0 ns"));
  BOOST_TEST(!contains(results[1].error, "a."));
}

KERNBENCH_SYSTEMC_TEST(until_is_that_of_the_run) {
  Two two;
  RunLimits limits;
  limits.until = 500 * fs_per_ns;
  for (const RunResult& result : two.run(longer, longer, limits)) {
    BOOST_TEST((result.status == RunStatus::until_reached));
    BOOST_TEST(result.simulated == 500 * fs_per_ns);
  }
}

// --- In pieces: sc_start called by the user

BOOST_AUTO_TEST_CASE(programs_run_under_an_sc_start_of_the_user) {
  const auto times = forked_value([] {
    Two two;
    Program a(two.a, longer), b(two.b, work);
    two.a.platform().set_program(a);
    two.b.platform().set_program(b);
    sc_core::sc_start(100, sc_core::SC_NS);
    BOOST_TEST(!two.a.platform().ended());
    BOOST_TEST((two.a.platform().result().status == RunStatus::until_reached));
    BOOST_TEST(sc_core::sc_time_stamp().value() == 100 * fs_per_ns);
    sc_core::sc_start();
    std::vector<std::string> texts;
    for (const Shell* shell : {&two.a, &two.b}) {
      BOOST_TEST(shell->platform().ended());
      const RunResult result = shell->platform().result();
      BOOST_TEST(result.error == "");
      texts.push_back(std::string(name_of(result.status)) + " " + std::to_string(result.simulated) +
                      "\n");
    }
    return texts;
  });
  BOOST_TEST(alone("a", tiny, longer).rfind(times[0], 0) == 0U);
  BOOST_TEST(alone("b", tiny, work).rfind(times[1], 0) == 0U);
}

KERNBENCH_SYSTEMC_TEST(a_thread_that_waits_for_the_end_of_a_program_is_notified) {
  struct Watch : sc_core::sc_module {
    SC_HAS_PROCESS(Watch);
    Watch(const sc_core::sc_module_name& name, Platform& platform)
        : sc_module(name), platform_(platform) {
      SC_THREAD(run);
    }
    void run() {
      while (!platform_.ended()) wait(platform_.ended_event());
      seen = sc_core::sc_time_stamp().value();
      outstanding = platform_.pool().outstanding();
      sc_core::sc_stop();  // theirs: no fault
    }
    Platform& platform_;
    Fs seen = 0;
    std::size_t outstanding = 1;
  };
  Shell shell("top", tiny);
  Watch watch("watch", shell.platform());
  Program program(shell, work);
  shell.platform().set_program(program);
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO,
                                          sc_core::SC_DO_NOTHING);
  sc_core::sc_start();
  const RunResult result = shell.platform().result();
  BOOST_TEST((result.status == RunStatus::completed));
  BOOST_TEST(watch.seen >= result.simulated);
  BOOST_TEST(watch.outstanding == 0U);
}

KERNBENCH_SYSTEMC_TEST(under_an_sc_start_of_the_user_a_fault_pauses_and_a_deadlock_is_reported) {
  Two two;
  Program a(two.a, block), b(two.b, [](HostPort&port, WholeMachine&m) {
    port.wait(*port.submit(memory_read({0, 0, 1}, m.hbm({0, 0, 1}), 1000)));
    throw std::runtime_error("no more");
  });
  two.a.platform().set_program(a);
  two.b.platform().set_program(b);
  sc_core::sc_start();
  BOOST_TEST(two.b.platform().ended());
  BOOST_TEST((two.b.platform().result().status == RunStatus::failed));
  BOOST_TEST(contains(two.b.platform().result().error, ": no more; last call: none"));
  while (sc_core::sc_pending_activity()) sc_core::sc_start();
  BOOST_TEST((two.a.platform().result().status == RunStatus::deadlock));
  BOOST_TEST(contains(two.a.platform().result().error, "a: deadlock at "));
}

// --- Modules of the program

KERNBENCH_SYSTEMC_TEST(an_initiator_and_a_target_of_the_program_are_bound_by_name) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  struct Board : sc_core::sc_module {
    explicit Board(const sc_core::sc_module_name& name)
        : sc_module(name), builder(topology_path(tiny)) {
      platform = builder.add_initiator("dma0", "sip0.cube0.r0c0").replace_srams().build({});
      BOOST_TEST(error_of<UsageError>([&] {
                   plain_tlm::LtMemory unused("unused");
                   builder.bind_target("sip0.cube0.srm", unused.socket);
                 }) ==
                 "no bridge waits for a target at 'sip0.cube0.srm'; those that do: "
                 "sip0.cube0.sram; did you mean 'sip0.cube0.sram'?");
    }
    MachineBuilder builder;
    std::unique_ptr<Platform> platform;
  } board("board");
  std::vector<unsigned char> got;
  const std::uint64_t sram =
      board.platform->address_map().address_of({MemoryArea::cube_sram, 0, 0, 0, 64}).encode();
  plain_tlm::LtInitiator dma("dma", {[&](plain_tlm::LtInitiator& i) {
                               i.write(sram, {1, 2, 3});
                               got = i.read(sram, 3);
                             }});
  plain_tlm::LtMemory memory("memory");
  board.builder.bind_initiator("sip0.cube0.dma0", dma.socket);
  board.builder.bind_target("sip0.cube0.sram", memory.socket);
  BOOST_TEST(board.platform->run().error == "");
  BOOST_TEST(got == (std::vector<unsigned char>{1, 2, 3}), boost::test_tools::per_element());
  BOOST_TEST(memory.requests.size() == 2U);
}

KERNBENCH_SYSTEMC_TEST(an_unbound_bridge_is_named) {
  expect_report("complete binding failed");
  MachineBuilder builder(topology_path(tiny));
  const auto platform = builder.add_initiator("dma0", "sip0.cube0.r0c0").build({});
  const RunResult result = platform->run();
  BOOST_TEST((result.status == RunStatus::failed));
  BOOST_TEST(contains(result.error, "sip0.cube0.dma0.socket"));
}

BOOST_AUTO_TEST_SUITE_END()
