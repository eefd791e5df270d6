// The test support fails where a test would fail, and says why.
#include "tests/support/forked.h"

#include <rapidcheck/boost_test.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <iostream>
#include <systemc>
#include <thread>

#include "tests/support/error_text.h"

namespace kt = kernbench::test;
using kernbench::test::contains;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(forked_test)

namespace {

std::uint64_t simulate_wait_ns(int ns) {
  SC_MODULE(Waiter) {
    SC_HAS_PROCESS(Waiter);
    Waiter(sc_core::sc_module_name name, int ns_arg) : sc_core::sc_module(name), ns(ns_arg) {
      SC_THREAD(run);
    }
    void run() { wait(ns, sc_core::SC_NS); }
    int ns;
  };
  Waiter waiter("waiter", ns);
  sc_core::sc_start();
  return sc_core::sc_time_stamp().value();
}

kt::ForkResult run(const std::function<void()>& body, std::chrono::milliseconds timeout = 20s) {
  return kt::run_forked(
      [&] {
        body();
        return std::string();
      },
      timeout);
}

struct Machine {
  sc_core::sc_signal<int> signal{"signal"};
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_passing_body_passes) {
  const auto result = run([] { BOOST_TEST(1 + 1 == 2); });
  BOOST_TEST(result.passed);
  BOOST_TEST(result.failure == "");
}

BOOST_AUTO_TEST_CASE(a_failed_check_in_the_child_fails_with_its_text) {
  const auto result = run([] {
    BOOST_TEST(1 + 1 == 3);
    BOOST_TEST(2 == 5);
  });
  BOOST_TEST(!result.passed);
  BOOST_TEST(contains(result.failure, "2 checks failed"), result.failure);
  BOOST_TEST(contains(result.output, "[1 + 1 != 3]"), result.output);
  BOOST_TEST(contains(result.report(), "[2 != 5]"), result.report());
}

BOOST_AUTO_TEST_CASE(a_failed_requirement_ends_the_child_and_fails) {
  const auto result = run([] {
    BOOST_REQUIRE(false);
    std::cout << "not reached";
  });
  BOOST_TEST(contains(result.failure, "1 check failed"), result.failure);
  BOOST_TEST(!contains(result.output, "not reached"));
}

BOOST_AUTO_TEST_CASE(a_failed_check_in_a_process_fails) {
  const auto result = run([] {
    struct Checker : sc_core::sc_module {
      SC_HAS_PROCESS(Checker);
      explicit Checker(sc_core::sc_module_name name) : sc_core::sc_module(name) { SC_THREAD(run); }
      void run() {
        wait(1, sc_core::SC_NS);
        BOOST_REQUIRE(sc_core::sc_time_stamp() == sc_core::SC_ZERO_TIME);
      }
    } checker("checker");
    sc_core::sc_start();
  });
  BOOST_TEST(contains(result.failure, "1 check failed"), result.failure);
}

BOOST_AUTO_TEST_CASE(an_exception_in_the_child_fails_with_its_text) {
  const auto result = run([] { throw std::runtime_error("no such link"); });
  BOOST_TEST(result.failure == "exception: no such link");
}

BOOST_AUTO_TEST_CASE(a_crash_in_the_child_is_reported) {
  const auto aborted = run([] {
    std::cerr << "last words\n";
    std::abort();
  });
  BOOST_TEST(contains(aborted.failure, "crash: the child died of signal 6"), aborted.failure);
  BOOST_TEST(contains(aborted.output, "last words"), aborted.output);
  const auto segment = run([] {
    ::signal(SIGSEGV, SIG_DFL);  // the sanitizer has a handler
    ::raise(SIGSEGV);
  });
  BOOST_TEST(contains(segment.failure, "crash: the child died of signal 11"), segment.failure);
}

BOOST_AUTO_TEST_CASE(an_early_exit_of_the_child_is_reported) {
  BOOST_TEST(contains(run([] { ::_exit(0); }).failure, "exited with status 0 before the end"));
  BOOST_TEST(contains(run([] { ::_exit(7); }).failure, "exited with status 7 before the end"));
}

BOOST_AUTO_TEST_CASE(a_hang_is_killed_and_reported) {
  const auto result = run(
      [] {
        std::cout << "so far" << std::endl;
        for (volatile bool forever = true; forever;) {
        }
      },
      1s);
  BOOST_TEST(contains(result.failure, "hang: "), result.failure);
  BOOST_TEST(contains(result.output, "so far"), result.output);
}

// It waits for what never comes.
BOOST_AUTO_TEST_CASE(a_hang_that_computes_nothing_is_killed_later) {
  const auto before = std::chrono::steady_clock::now();
  const auto result = run([] { ::pause(); }, 100ms);
  BOOST_TEST(contains(result.failure, "hang: "), result.failure);
  BOOST_TEST((std::chrono::steady_clock::now() - before >= 1s));
}

// Longer than its limit, and far from ten times that: a busy machine starts it later.
BOOST_AUTO_TEST_CASE(a_child_that_has_computed_little_is_waited_for) {
  const auto result = run([] { std::this_thread::sleep_for(2500ms); }, 2s);
  BOOST_TEST(result.passed, result.report());
}

BOOST_AUTO_TEST_CASE(a_systemc_warning_fails) {
  const auto result = run([] { SC_REPORT_WARNING("/kernbench/test", "odd"); });
  BOOST_TEST(contains(result.failure, "/kernbench/test: odd"), result.failure);
}

BOOST_AUTO_TEST_CASE(a_systemc_error_fails_even_when_it_is_caught) {
  const auto result = run(
      [] { BOOST_CHECK_THROW(SC_REPORT_ERROR("/kernbench/test", "broken"), sc_core::sc_report); });
  BOOST_TEST(contains(result.failure, "/kernbench/test: broken"), result.failure);
}

BOOST_AUTO_TEST_CASE(a_systemc_fatal_report_fails_without_a_crash) {
  const auto result = run([] { SC_REPORT_FATAL("/kernbench/test", "rule broken"); });
  BOOST_TEST(contains(result.failure, "/kernbench/test: rule broken"), result.failure);
}

BOOST_AUTO_TEST_CASE(an_expected_report_passes_and_its_absence_fails) {
  const auto came = run([] {
    kt::expect_report("/kernbench/test");
    BOOST_CHECK_THROW(SC_REPORT_FATAL("/kernbench/test", "rule broken"), sc_core::sc_report);
  });
  BOOST_TEST(came.passed, came.report());
  const auto missing = run([] { kt::expect_report("/kernbench/test"); });
  BOOST_TEST(missing.failure == "expected SystemC report /kernbench/test did not come");
}

BOOST_AUTO_TEST_CASE(a_failed_child_fails_the_case_in_the_parent,
                     *boost::unit_test::expected_failures(1)) {
  kt::forked([] { BOOST_ERROR("on purpose"); });
}

BOOST_AUTO_TEST_CASE(each_child_elaborates_again) {
  BOOST_TEST(kt::forked_value([] { return simulate_wait_ns(3); }) ==
             kt::forked_value([] { return simulate_wait_ns(3); }));
}

BOOST_AUTO_TEST_CASE(values_come_back_from_the_child) {
  using Value = std::map<std::string, std::vector<std::pair<std::uint64_t, std::string>>>;
  const Value sent{{"link", {{1, "a"}, {2, std::string("\0b", 2)}}}, {"", {}}};
  BOOST_TEST((kt::forked_value([&] { return sent; }) == sent));
  const std::vector<std::uint64_t> large(200'000, 7);  // more than a pipe holds
  BOOST_TEST((kt::forked_value([&] { return large; }) == large));
}

BOOST_AUTO_TEST_CASE(a_value_of_a_failed_child_is_an_exception) {
  BOOST_CHECK_EXCEPTION(kt::forked_value([] {
                          BOOST_ERROR("on purpose");
                          return 1;
                        }),
                        kt::ForkedFailure,
                        [](const auto& failure) { return contains(failure.what(), "on purpose"); });
}

RC_BOOST_PROP(every_sample_of_a_property_may_simulate, ()) {
  const int ns = *rc::gen::inRange(0, 1000);
  RC_ASSERT(kt::forked_value([&] { return simulate_wait_ns(ns); }) ==
            static_cast<std::uint64_t>(ns) * 1000);
}

BOOST_AUTO_TEST_CASE(a_failed_child_falsifies_a_property) {
  const auto property = [] {
    const int n = *rc::gen::inRange(0, 100);
    kt::forked_value([&] {
      RC_ASSERT(n < 10);
      return 0;
    });
  };
  const auto result = rc::detail::checkTestable(property);
  BOOST_TEST(result.is<rc::detail::FailureResult>());
}

KERNBENCH_SYSTEMC_TEST(a_systemc_case_runs_in_a_child) {
  BOOST_TEST(sc_core::sc_get_status() == sc_core::SC_ELABORATION);
  simulate_wait_ns(5);
  BOOST_TEST(sc_core::sc_time_stamp() == sc_core::sc_time(5, sc_core::SC_NS));
}

KERNBENCH_SYSTEMC_FIXTURE_TEST(a_fixture_lives_in_the_child, Machine) {
  BOOST_TEST(signal.name() == std::string("signal"));
}

BOOST_AUTO_TEST_SUITE_END()
