// Failures of kernels on a machine with the built-in engines, under both policies, over several PEs
// and cubes (spec 4.2): the first cause has its name, nothing hangs, and the machine works
// afterwards.
#include <boost/test/unit_test.hpp>

#include "models/address/phys_addr.h"
#include "models/address/virtual_space.h"
#include "models/base/errors.h"
#include "tests/support/forked.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(failure_test)

namespace {

constexpr Fs us = 1000 * fs_per_ns;

std::vector<PeId> all_pes_of(std::vector<int> cubes) {
  std::vector<PeId> pes;
  for (const int cube : cubes) {
    for (int pe = 0; pe < 8; ++pe) pes.push_back({0, cube, pe});
  }
  return pes;
}

std::shared_ptr<KernelLaunch> launch_of(std::vector<PeId> targets, FailurePolicy policy,
                                        std::function<void(KernelContext&)> body) {
  auto message = kernel_launch(std::move(targets));
  message->failure_policy = policy;
  message->body = std::make_shared<FunctionKernel>(std::move(body));
  return message;
}

// Waits for what never comes, as a receiver does whose sender has failed.
void block(KernelContext& pe) {
  CommandState never(4711);
  pe.wait(never);
}

void transfer(KernelContext& pe, bool write, std::uint64_t address, std::uint64_t nbytes) {
  Command command;
  command.what = DmaCommand{write, address, nbytes};
  pe.wait(*pe.issue(command));
}

void check_contains(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    BOOST_TEST(text.find(part) != text.npos, "'" << part << "' is not in: " << text);
}

// A launch on the same PEs, which must go well.
void check_fit_for_work(HostPort& port, const std::vector<PeId>& pes) {
  const auto request = port.submit(
      launch_of(pes, FailurePolicy::fail_fast, [](KernelContext& pe) { pe.cycles(5); }));
  port.wait(*request);
  BOOST_TEST(request->response().completion.ok, request->response().completion.error_message);
  BOOST_TEST(request->response().metrics.start_skew == 0U);
}

struct BuiltinMachine : WholeMachine {
  // tear_down: what still runs at the end is killed, its stack unwound.
  explicit BuiltinMachine(const std::string& topology, bool tear_down = false)
      : WholeMachine(topology, {}, options(tear_down)) {}
  static MachineOptions options(bool tear_down) {
    MachineOptions options(Engines::builtin);
    options.tear_down = tear_down;
    return options;
  }
  // The response to one launch; checks that the run then completes with PEs that are fit for work.
  HostResponse response_to(const std::shared_ptr<KernelLaunch>& message) {
    HostResponse response;
    const RunResult result = run([&](HostPort& port) {
      const auto request = port.submit(message);
      port.wait(*request);
      response = request->response();
      check_fit_for_work(port, message->targets);
    });
    BOOST_TEST(result.error == "");
    BOOST_TEST(name_of(result.status) == "completed");
    BOOST_TEST(platform->pool().outstanding() == 0U);
    BOOST_TEST(!platform->pending_waits().any());
    return response;
  }
};

}  // namespace

// --- A PE is blocked while another fails

KERNBENCH_SYSTEMC_TEST(fail_fast_ends_pes_that_are_blocked) {
  BuiltinMachine m("topology.yaml");
  const HostResponse response = m.response_to(
      launch_of(all_pes_of({0, 5, 6}), FailurePolicy::fail_fast, [](KernelContext& pe) {
        if (!(pe.where() == PeId{0, 5, 3})) block(pe);
        pe.cycles(20);
        throw std::runtime_error("enough");
      }));
  BOOST_TEST(response.completion.error_code == "kernel_exception");
  check_contains(response.completion.error_message,
                 {"sip0.cube5.pe3.pe_cpu at ", " ns: kernel 'k': enough"});
  BOOST_TEST(response.failures.size() == 1U);
}

KERNBENCH_SYSTEMC_TEST(collect_all_lists_who_failed_and_who_is_blocked_with_what_it_waits_for) {
  BuiltinMachine m("topology.yaml");
  const HostResponse response =
      m.response_to(launch_of({{0, 0, 0}, {0, 0, 1}, {0, 5, 3}, {0, 6, 7}},
                              FailurePolicy::collect_all, [](KernelContext& pe) {
                                if (pe.where() == PeId{0, 0, 1})
                                  return pe.cycles(3000);  // ends well, later than the failure
                                if (pe.where().cube == 5) throw std::runtime_error("enough");
                                block(pe);
                              }));
  BOOST_TEST(response.failures.size() == 3U);
  BOOST_TEST(response.completion.error_code == "kernel_exception");  // the cause comes first
  check_contains(response.completion.error_message,
                 {"3 PEs failed: sip0.cube5.pe3: kernel_exception: ",
                  "enough; sip0.cube0.pe0: blocked: sip0.cube0.pe0.pe_cpu at ",
                  "kernel 'k': waited for command 4711 of kernel 'k' since ",
                  "when no event was pending", "; sip0.cube6.pe7: blocked: "});
  BOOST_TEST(response.per_pe.size() == 4U);
  BOOST_TEST(response.per_pe.at({0, 0, 1}).pe_exec == 3 * us);  // undisturbed
}

// The other launch is none of the failed one's business.
BOOST_AUTO_TEST_CASE(a_blocked_launch_without_a_failed_pe_is_a_deadlock) {
  for (const FailurePolicy policy : {FailurePolicy::fail_fast, FailurePolicy::collect_all}) {
    forked([policy] {
      BuiltinMachine m("topology.tiny.yaml");
      const RunResult result = m.run([&](HostPort& port) {
        const auto blocked = port.submit(launch_of({{0, 0, 0}, {0, 0, 1}}, policy, block));
        const auto failed = port.submit(launch_of(
            {{0, 0, 2}}, policy, [](KernelContext&) { throw std::runtime_error("enough"); }));
        port.wait(*failed);
        BOOST_TEST(!failed->response().completion.ok);
        port.wait(*blocked);
      });
      BOOST_TEST(name_of(result.status) == "deadlock");
      BOOST_CHECK_THROW(std::rethrow_exception(result.cause), DeadlockError);
      check_contains(result.error, {"sip0.cube0.pe0.pe_cpu waits for command 4711",
                                    "sip0.cube0.pe1.pe_cpu waits for command 4711"});
    });
  }
}

// A clock hides neither; blocked PEs are found when the patience is over.
KERNBENCH_SYSTEMC_TEST(collect_all_finds_blocked_pes_despite_a_free_running_clock) {
  BuiltinMachine m("topology.tiny.yaml");
  RunLimits limits;
  limits.deadlock_after = 10 * us;
  const sc_core::sc_clock clock("clock", 1, sc_core::SC_NS);
  const RunResult result = m.run(
      [&](HostPort& port) {
        const auto request = port.submit(
            launch_of({{0, 0, 0}, {0, 0, 1}}, FailurePolicy::collect_all, [](KernelContext& pe) {
              if (pe.where().pe == 0) throw std::runtime_error("enough");
              block(pe);
            }));
        port.wait(*request);
        BOOST_TEST(request->response().failures.size() == 2U);
        BOOST_TEST(request->ended >= 10 * us);
        check_fit_for_work(port, {{0, 0, 0}, {0, 0, 1}});
      },
      limits);
  BOOST_TEST(result.error == "");
}

// --- Commands in flight

// 200 composites of 64 tiles each are in the scheduler's queue when the kernel throws. Those that
// have not begun are dropped: the PE answers after the output tile in progress, not after 12 800
// tiles of at least 16 ns each.
BOOST_AUTO_TEST_CASE(what_a_failed_kernel_has_queued_is_dropped) {
  for (const FailurePolicy policy : {FailurePolicy::fail_fast, FailurePolicy::collect_all}) {
    forked([policy] {
      BuiltinMachine m("topology.tiny.yaml");
      const auto scheduler = m.platform->machine().engine({0, 0, 0}, PeEngine::pe_scheduler);
      const RunResult result = m.run([&](HostPort& port) {
        const auto request = port.submit(launch_of({{0, 0, 0}}, policy, [&](KernelContext& pe) {
          CompositeGemm gemm;
          gemm.m = gemm.n = 32;
          gemm.k = 64 * 64;
          gemm.a.address = gemm.b.address = gemm.out.address = m.hbm({0, 0, 0});
          for (int i = 0; i < 200; ++i) pe.issue({gemm, nullptr});
          pe.cycles(1000);
          throw std::runtime_error("enough");
        }));
        port.wait(*request);
        BOOST_TEST(request->response().completion.error_code == "kernel_exception");
        BOOST_TEST(request->ended < 10 * us);
        check_fit_for_work(port, {{0, 0, 0}});
      });
      BOOST_TEST(result.error == "");
      for (const Statistic& statistic : m.platform->component(scheduler).statistics()) {
        if (statistic.name == "completed" || statistic.name == "failed")
          BOOST_TEST(*statistic.value == 200U, statistic.name);
        if (statistic.name == "tiles") BOOST_TEST(*statistic.value < 200U);
      }
    });
  }
}

// --- Addresses

namespace {

struct BadAccess {
  const char* name;
  std::uint64_t address;
  std::uint64_t nbytes;
  std::vector<std::string> parts;
};

// On the default machine: 6 GiB per HBM partition, 32 MiB of SRAM per cube, 2 MiB of TCM per PE.
std::vector<BadAccess> bad_accesses() {
  return {{"no mapping", va_base + 4096, 64, {"no mapping"}},
          {"a cube without a place", PhysAddr::hbm_addr(5, 0, 0).encode(), 64, {"sip 5"}},
          {"an IO chiplet without memory",
           PhysAddr::ual_addr(0, 16, PhysAddr::ual_begin).encode(),
           64,
           {"UAL"}},
          {"reserved bits", PhysAddr::end, 64, {"bit"}},
          {"beyond the HBM",
           PhysAddr::hbm_addr(0, 0, PhysAddr::hbm_window_bytes - 64).encode(),
           64,
           {"HBM"}}};
}

}  // namespace

// One of the 8 PEs of each of two cubes goes astray early, the others do their work later.
KERNBENCH_SYSTEMC_TEST(
    an_access_to_nowhere_fails_its_pe_with_node_time_and_address_under_both_policies) {
  BuiltinMachine m("topology.yaml");
  const std::vector<PeId> pes = all_pes_of({3, 12});
  const RunResult result = m.run([&](HostPort& port) {
    for (const BadAccess& bad : bad_accesses()) {
      for (const FailurePolicy policy : {FailurePolicy::fail_fast, FailurePolicy::collect_all}) {
        for (const bool write : {false, true}) {
          BOOST_TEST_CONTEXT(bad.name << ", write " << write) {
            int ended_well = 0;
            const auto request = port.submit(launch_of(pes, policy, [&](KernelContext& pe) {
              const bool culprit = pe.where().pe == 6;
              pe.cycles(culprit ? 10 : 2000);
              transfer(pe, write, culprit ? bad.address : m.hbm(pe.where()), bad.nbytes);
              ++ended_well;
            }));
            port.wait(*request);
            check_fit_for_work(port, pes);  // and every kernel has ended
            const HostResponse& response = request->response();
            const std::string text = response.completion.error_message;
            BOOST_TEST(response.completion.error_code == "access_fault");
            check_contains(text, {"sip0.cube3.pe6.pe_", " at ", " ns: "});
            check_contains(text, bad.parts);
            const bool all = policy == FailurePolicy::collect_all;
            BOOST_TEST(ended_well == (all ? 14 : 0));
            BOOST_TEST(response.failures.size() == (all ? 2U : 1U));
            if (all)
              check_contains(text, {"2 PEs failed: sip0.cube3.pe6: ", "sip0.cube12.pe6.pe_"});
          }
        }
      }
    }
  });
  BOOST_TEST(result.error == "");
  BOOST_TEST(m.platform->pool().outstanding() == 0U);
}

// --- Launches that overlap, limits

BOOST_AUTO_TEST_CASE(a_launch_behind_a_failed_one_on_the_same_pes_runs) {
  for (const FailurePolicy policy : {FailurePolicy::fail_fast, FailurePolicy::collect_all}) {
    forked([policy] {
      BuiltinMachine m("topology.yaml");
      int ran = 0;
      const RunResult result = m.run([&](HostPort& port) {
        std::vector<std::shared_ptr<HostRequest>> requests;
        for (int i = 0; i < 6;
             ++i) {  // every second one fails on one PE; all are in flight at once
          requests.push_back(
              port.submit(launch_of(all_pes_of({0, 1}), policy, [&ran, i](KernelContext& pe) {
                pe.cycles(static_cast<std::uint64_t>(pe.where().pe * 10 + 10));
                if (i % 2 == 0 && pe.where() == PeId{0, 1, 4})
                  throw std::runtime_error("number " + std::to_string(i));
                ++ran;
              })));
        }
        for (int i = 0; i < 6; ++i) {
          port.wait(*requests[static_cast<std::size_t>(i)]);
          const Completion& completion =
              requests[static_cast<std::size_t>(i)]->response().completion;
          BOOST_TEST(completion.ok == (i % 2 != 0));
          if (i % 2 == 0) check_contains(completion.error_message, {"number " + std::to_string(i)});
        }
      });
      BOOST_TEST(result.error == "");
      BOOST_TEST((policy == FailurePolicy::collect_all ? ran == 3 * 15 + 3 * 16 : ran >= 3 * 16));
    });
  }
}

BOOST_AUTO_TEST_CASE(a_limit_in_the_middle_of_a_launch_ends_every_kernel_and_leaks_nothing) {
  for (const bool by_time : {true, false}) {
    forked([by_time] {
      BuiltinMachine m("topology.yaml", true);
      int unwound = 0;
      RunLimits limits;
      if (by_time) {
        limits.until = 3 * us;
      } else {
        limits.interrupted = [] { return Component::now() > 3 * us; };  // as by Ctrl-C
      }
      const RunResult result = m.run(
          [&](HostPort& port) {
            const auto request = port.submit(launch_of(
                all_pes_of({0, 1, 2, 3}), FailurePolicy::fail_fast, [&](KernelContext& pe) {
                  struct Mark {
                    int& unwound;
                    ~Mark() { ++unwound; }
                  } mark{unwound};
                  if (pe.where().pe == 0) block(pe);
                  for (;;) transfer(pe, pe.where().pe % 2 == 0, m.hbm(pe.where()), 4096);
                }));
            port.wait(*request);
          },
          limits);
      BOOST_TEST(name_of(result.status) == (by_time ? "until_reached" : "interrupted"));
      BOOST_TEST(result.error == "");
      if (by_time) BOOST_TEST(result.simulated == 3 * us);
      BOOST_TEST(unwound == 32);
    });
  }
}

BOOST_AUTO_TEST_SUITE_END()
