// Launches that fail on some of their PEs, under both failure policies (spec 4.2).
#include <boost/test/unit_test.hpp>

#include "tests/host/control_path.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(launch_failure_test)

// PE1 fails 10 ns after the start, PE0 would run for 1 us.
KERNBENCH_SYSTEMC_TEST(fail_fast_answers_with_the_first_failure_and_ends_the_other_pes) {
  WholeMachine m("topology.tiny.yaml");
  plan(m, "sip0.cube0.pe0.pe_cpu").run = 1000 * ns;
  plan(m, "sip0.cube0.pe1.pe_cpu").run = 10 * ns;
  plan(m, "sip0.cube0.pe1.pe_cpu").result = Completion::failure("kernel_exception", "PE1 threw");
  const Fs failed = at_io_cpu + io_to_m + m_to_pe1 + 10 * ns;
  const Fs at_m_cpu = failed + pe1_to_m;
  const Fs aborted =
      at_m_cpu + m_to_pe0;  // the notice pays pe_cpu's overhead as every message does
  const RunResult result = m.run([&](HostPort& port) {
    const auto request = port.submit(kernel_launch({pe0, pe1}));
    const auto next = port.submit(kernel_launch({pe0}));
    port.wait(*request);
    const HostResponse& response = request->response();
    BOOST_TEST(request->ended ==
               at_m_cpu + m_to_io + io_to_host);  // the notice costs m_cpu and io_cpu nothing
    BOOST_TEST(!response.completion.ok);
    BOOST_TEST(response.completion.error_code == "kernel_exception");
    BOOST_TEST(response.completion.error_message == "PE1 threw");
    BOOST_TEST(response.failures.size() == 1u);
    port.wait(*next);
  });
  BOOST_TEST(result.error == "");
  BOOST_TEST(launched(m, "sip0.cube0.pe0.pe_cpu").aborted);
  BOOST_TEST(launched(m, "sip0.cube0.pe0.pe_cpu").answered == aborted);
  // The next launch waits for PE0's answer, not for the failure's.
  BOOST_TEST(launched(m, "sip0.cube0.pe0.pe_cpu", 1).target_start ==
             aborted + pe0_to_m + m_to_io + io_to_m + m_to_pe0);
}

KERNBENCH_SYSTEMC_TEST(fail_fast_reaches_the_pes_of_other_cubes) {
  WholeMachine m("topology.yaml");
  plan(m, "sip0.cube5.pe3.pe_cpu").run = 1000 * ns;
  plan(m, "sip0.cube6.pe3.pe_cpu").answers = false;
  plan(m, "sip0.cube0.pe0.pe_cpu").result = Completion::failure("kernel_exception", "PE0 threw");
  const RunResult result = m.run([&](HostPort& port) {
    const auto request = port.submit(kernel_launch({pe0, {0, 5, 3}, {0, 6, 3}}));
    port.wait(*request);
    BOOST_TEST(request->response().completion.error_message == "PE0 threw");
    BOOST_TEST(launched(m, "sip0.cube5.pe3.pe_cpu").answered == never_fs);
    const auto again = port.submit(kernel_launch({{0, 6, 3}}));
    plan(m, "sip0.cube6.pe3.pe_cpu").answers = true;
    port.wait(*again);
    BOOST_TEST(again->response().completion.ok);
  });
  BOOST_TEST(result.error == "");
  BOOST_TEST(launched(m, "sip0.cube5.pe3.pe_cpu").aborted);
  BOOST_TEST(launched(m, "sip0.cube6.pe3.pe_cpu").aborted);
  BOOST_TEST(m.platform->pool().outstanding() == 0u);
}

KERNBENCH_SYSTEMC_TEST(an_abort_that_crosses_the_answer_is_ignored) {
  WholeMachine m("topology.tiny.yaml");
  plan(m, "sip0.cube0.pe0.pe_cpu").run = 18 * ns;  // answers while the notice is in flight
  plan(m, "sip0.cube0.pe1.pe_cpu").run = 10 * ns;
  plan(m, "sip0.cube0.pe1.pe_cpu").result = Completion::failure("kernel_exception", "PE1 threw");
  const RunResult result = m.run([&](HostPort& port) {
    const auto request = port.submit(kernel_launch({pe0, pe1}));
    port.wait(*request);
    BOOST_TEST(request->response().completion.error_message == "PE1 threw");
  });
  BOOST_TEST(result.error == "");
  BOOST_TEST(m.engines.ignored_aborts == 1u);
  BOOST_TEST(!launched(m, "sip0.cube0.pe0.pe_cpu").aborted);
}

KERNBENCH_SYSTEMC_TEST(collect_all_waits_for_every_pe_and_lists_every_failure) {
  WholeMachine m("topology.yaml");
  const auto message = kernel_launch({pe0, pe1, {0, 5, 3}});
  message->failure_policy = FailurePolicy::collect_all;
  plan(m, "sip0.cube0.pe0.pe_cpu").run = 1000 * ns;
  plan(m, "sip0.cube0.pe1.pe_cpu").result = Completion::failure("early", "PE1 threw");
  plan(m, "sip0.cube5.pe3.pe_cpu").result = Completion::failure("far", "PE3 threw");
  const RunResult result = m.run([&](HostPort& port) {
    const auto request = port.submit(message);
    port.wait(*request);
    const HostResponse& response = request->response();
    BOOST_TEST(request->ended > launched(m, "sip0.cube0.pe0.pe_cpu").answered);
    BOOST_TEST(response.completion.error_code == "early");
    BOOST_TEST(response.completion.error_message ==
               "2 PEs failed: sip0.cube0.pe1: early: PE1 threw; sip0.cube5.pe3: far: PE3 threw");
    BOOST_TEST(response.failures.size() == 2u);
  });
  BOOST_TEST(result.error == "");
  BOOST_TEST(!launched(m, "sip0.cube0.pe0.pe_cpu").aborted);
}

// PE0 answers only after the abort request, which is sent when nothing else is pending.
KERNBENCH_SYSTEMC_TEST(collect_all_ends_the_pes_that_are_found_blocked_and_lists_them) {
  WholeMachine m("topology.yaml");
  const auto message = kernel_launch({pe0, pe1, {0, 5, 3}});
  message->failure_policy = FailurePolicy::collect_all;
  plan(m, "sip0.cube0.pe0.pe_cpu").answers = false;
  plan(m, "sip0.cube5.pe3.pe_cpu").answers = false;
  plan(m, "sip0.cube0.pe1.pe_cpu").result = Completion::failure("early", "PE1 threw");
  const RunResult result = m.run([&](HostPort& port) {
    const auto request = port.submit(message);
    port.wait(*request);
    BOOST_TEST(request->response().completion.error_message ==
               "3 PEs failed: sip0.cube0.pe1: early: PE1 threw; sip0.cube0.pe0: aborted: "
               "sip0.cube0.pe0.pe_cpu was aborted on request; "
               "sip0.cube5.pe3: aborted: sip0.cube5.pe3.pe_cpu was aborted on request");
    plan(m, "sip0.cube0.pe0.pe_cpu").answers = true;
    const auto next = port.submit(kernel_launch({pe0}));
    port.wait(*next);
    BOOST_TEST(next->response().completion.ok);
  });
  BOOST_TEST(result.error == "");
  BOOST_TEST(name_of(result.status) == "completed");
}

KERNBENCH_SYSTEMC_TEST(
    a_collect_all_without_an_end_is_a_deadlock_that_reports_the_failures_so_far) {
  WholeMachine m("topology.tiny.yaml");
  const auto message = kernel_launch({pe0, pe1});
  message->failure_policy = FailurePolicy::collect_all;
  plan(m, "sip0.cube0.pe0.pe_cpu").answers = false;
  plan(m, "sip0.cube0.pe0.pe_cpu").obeys = false;
  plan(m, "sip0.cube0.pe1.pe_cpu").result = Completion::failure("early", "PE1 threw");
  const RunResult result = m.run([&](HostPort& port) { port.wait(*port.submit(message)); });
  BOOST_TEST(name_of(result.status) == "deadlock");
  BOOST_TEST((result.error.find(
                  "sip0.cube0.m_cpu waits for answers to KernelLaunch 'r', after: PE1 threw") !=
              std::string::npos),
             result.error);
}

BOOST_AUTO_TEST_SUITE_END()
