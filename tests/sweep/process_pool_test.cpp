// Worker processes of a sweep: values, faults, bounds (spec 10.6).
#include "platform/sweep/process_pool.h"

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <iostream>
#include <map>

#include "tests/support/error_text.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(process_pool)

namespace {

ProcessOutcome next(ProcessPool& pool) {
  constexpr int hang_limit_ms = 60'000;
  const std::optional<ProcessOutcome> outcome = pool.wait(hang_limit_ms);
  BOOST_TEST_REQUIRE(outcome.has_value());
  return *outcome;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_process_returns_its_value_and_no_more_run_than_allowed) {
  ProcessPool pool(2, [](std::uint64_t id) { return std::string(200'000 * id, 'x'); });
  std::map<std::uint64_t, std::size_t> sizes;
  for (std::uint64_t id = 1; id <= 5; ++id) {
    pool.start(id);
    if (!pool.full()) continue;
    const ProcessOutcome outcome = next(pool);
    sizes[outcome.id] = outcome.value.size();
  }
  while (!pool.empty()) {
    const ProcessOutcome outcome = next(pool);
    sizes[outcome.id] = outcome.value.size();
    BOOST_TEST(outcome.fault == "");
    BOOST_TEST(outcome.peak_memory_bytes > 0u);
  }
  BOOST_TEST_REQUIRE(sizes.size() == 5u);
  for (const auto& [id, size] : sizes) BOOST_TEST(size == 200'000 * id);
}

BOOST_AUTO_TEST_CASE(a_process_that_is_killed_or_ends_has_a_fault_instead_of_a_value) {
  ProcessPool pool(1, [](std::uint64_t id) {
    std::cout << "lost" << std::flush;
    std::cerr << "what happened" << std::flush;
    if (id == 1) ::raise(SIGKILL);
    if (id == 2) ::_exit(7);
    return std::string("value");
  });
  const std::vector<std::string> faults{"killed by signal 9 (Killed)", "has ended with status 7",
                                        ""};
  for (std::uint64_t id = 1; id <= 3; ++id) {
    pool.start(id);
    const ProcessOutcome outcome = next(pool);
    BOOST_TEST(outcome.fault == faults[id - 1]);
    BOOST_TEST(outcome.errors == "what happened");
    BOOST_TEST(outcome.value == (id == 3 ? "value" : ""));
  }
}

BOOST_AUTO_TEST_CASE(processes_that_end_together_are_all_returned) {
  ProcessPool pool(3, [](std::uint64_t) { return std::string("value"); });
  for (std::uint64_t id = 1; id <= 3; ++id) pool.start(id);
  ::usleep(200'000);  // all have ended before the first is asked for; if not, the test is weaker
  for (int i = 0; i < 3; ++i) BOOST_TEST(next(pool).value == "value");
  BOOST_TEST(pool.empty());
}

BOOST_AUTO_TEST_CASE(processes_that_still_run_at_the_end_are_killed) {
  ProcessPool pool(1, [](std::uint64_t) {
    ::pause();
    return std::string();
  });
  pool.start(1);
  BOOST_TEST(!pool.wait(1).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
