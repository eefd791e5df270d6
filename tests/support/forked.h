// Cases in forked children. SystemC elaborates once per process, so whatever elaborates runs in a
// child that is forked before the first SystemC call; a crash or a hang costs one case.
//
//   // A Boost.Test case whose body runs in a child:
//   KERNBENCH_SYSTEMC_TEST(link_serialises_flits_at_its_bandwidth) {
//     sc_core::sc_module_...; sc_core::sc_start(); BOOST_TEST(...);
//   }
//   // One value out of one simulation:
//   const auto times = forked_value([] { ...; return std::vector<Fs>{...}; });
//
// The child fails on a failed Boost check or rapidcheck assertion, an exception, a SystemC warning,
// error or fatal report that was not announced by expect_report(), a signal, and when it is not
// done in time. What it printed is part of the failure. Not carried over: what the body changes in
// the parent's memory, random draws of rapidcheck (draw outside), leak checks. Debugging: gdb, `set
// follow-fork-mode child`, KERNBENCH_TEST_TIMEOUT_S=0 (no limit), --run_test=CASE.
#pragma once

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "tests/support/encoding.h"

namespace kernbench::test {

// For one child, of wall time and of processor time, so that a busy machine fails no test; ten
// times that of wall time for one that computes less. Five times that with the sanitizers.
inline constexpr std::chrono::seconds default_timeout{30};

struct ForkResult {
  bool passed = false;
  std::string failure;  // every reason, one per line; empty if passed
  std::string output;   // stdout and stderr of the child
  std::string value;    // what the body returned

  std::string report() const;  // the reasons, then the output
};

// Runs the body in a child and returns its outcome; touches no Boost state of the parent.
ForkResult run_forked(const std::function<std::string()>& body,
                      std::chrono::milliseconds timeout = default_timeout);

// Runs the body in a child; a failure there is a failed check of the running case.
void forked(const std::function<void()>& body, std::chrono::milliseconds timeout = default_timeout);

// In the child: the next SystemC reports of this message type (the first argument of SC_REPORT_*)
// are part of the test. A child in which none arrives fails. An expected error or fatal report is
// thrown as sc_core::sc_report, as errors are.
void expect_report(const std::string& message_type);

class ForkedFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Runs the body in a child and returns its value (see encoding.h for the types); throws
// ForkedFailure with the child's report, which fails a Boost case and falsifies a rapidcheck
// property.
template <class Body>
auto forked_value(Body&& body, std::chrono::milliseconds timeout = default_timeout) {
  using Value = std::decay_t<std::invoke_result_t<Body&>>;
  const ForkResult result = run_forked(
      [&body] {
        std::string bytes;
        encode(bytes, body());
        return bytes;
      },
      timeout);
  if (!result.passed) throw ForkedFailure(result.report());
  std::string_view rest = result.value;
  return decode<Value>(rest);
}

}  // namespace kernbench::test

// A Boost.Test case whose body runs in a child.
#define KERNBENCH_SYSTEMC_TEST(name)                                          \
  static void name##_in_child();                                              \
  BOOST_AUTO_TEST_CASE(name) { ::kernbench::test::forked(&name##_in_child); } \
  static void name##_in_child()

// The same with a fixture, which is constructed and destroyed in the child.
#define KERNBENCH_SYSTEMC_FIXTURE_TEST(name, Fixture)           \
  namespace {                                                   \
  struct name##_in_child : Fixture {                            \
    void run();                                                 \
  };                                                            \
  }                                                             \
  BOOST_AUTO_TEST_CASE(name) {                                  \
    ::kernbench::test::forked([] { name##_in_child{}.run(); }); \
  }                                                             \
  void name##_in_child::run()
