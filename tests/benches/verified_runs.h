// Runs of shipped benches in children of their own, judged by phase 2.
#pragma once

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "tests/support/bench_runner.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"

namespace kernbench::test {

using Parameters = std::vector<GivenParameter>;

// The bench completes, and `elements` values of its outputs agree with the reference.
template <class BenchOrName>
void expect_right(const BenchOrName& bench, const Parameters& parameters, std::uint64_t elements,
                  const BenchRunOptions& options = {},
                  std::chrono::seconds timeout = default_timeout) {
  std::string label;
  for (const auto& [name, value] : parameters) label += " " + name + "=" + value;
  forked(
      [&] {
        const BenchOutcome outcome = run_bench(bench, parameters, options);
        BOOST_TEST(outcome.status == "completed", label << ": " << outcome.error);
        BOOST_TEST(outcome.failures == "", label << ": " << outcome.failures);
        BOOST_TEST(outcome.verified == elements,
                   label << ": " << outcome.verified << " of " << elements << " verified");
        BOOST_TEST(outcome.ended > 0U);
      },
      timeout);
}

// "failed: why", or "usage: why" where the program ends with status 2.
inline std::string failure_of(const std::string& bench, const Parameters& parameters,
                              const BenchRunOptions& options = {}) {
  return forked_value([&] {
    const BenchOutcome outcome = run_bench(bench, parameters, options);
    return (outcome.usage_error ? "usage" : outcome.status) + ": " + outcome.error;
  });
}

// A function of the test as a bench, which completes. Inside a forked child.
inline BenchOutcome complete_function(void (*run)(Torch&), const BenchRunOptions& options = {}) {
  const BenchOutcome outcome = run_function(run, options);
  BOOST_TEST(outcome.status == "completed", outcome.error);
  return outcome;
}

// Its outputs agree, too.
inline BenchOutcome check_function(void (*run)(Torch&), const BenchRunOptions& options = {}) {
  const BenchOutcome outcome = complete_function(run, options);
  BOOST_TEST(outcome.failures == "");
  return outcome;
}

}  // namespace kernbench::test
