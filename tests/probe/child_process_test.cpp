// Work in a child process: its value, its errors, its end.
#include "platform/probe/child_process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>

#include "models/base/errors.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(child_process)

namespace {

std::string in_child(const std::function<std::string()>& body) {
  return ChildProcess(body).value();
}

template <class E>
std::string error_of(const std::function<std::string()>& body) {
  try {
    in_child(body);
  } catch (const E& error) {
    return error.what();
  }
  return "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_child_returns_a_value_of_any_length_and_changes_nothing_here) {
  int here = 1;
  const std::string value = in_child([&] {
    here = 2;
    return std::string(300'000, 'x');
  });
  BOOST_TEST(value.size() == 300'000u);
  BOOST_TEST(here == 1);
  BOOST_TEST(in_child([] { return std::string(); }) == "");
}

BOOST_AUTO_TEST_CASE(what_a_child_throws_is_thrown_here) {
  BOOST_TEST(error_of<Error>([]() -> std::string { throw ModelError("a rule"); }) == "a rule");
  BOOST_TEST(error_of<DeadlockError>([]() -> std::string { throw DeadlockError("no progress"); }) ==
             "no progress");
}

BOOST_AUTO_TEST_CASE(the_end_of_a_child_by_a_signal_is_an_error) {
  const std::string error = error_of<Error>([]() -> std::string {
    ::raise(SIGKILL);
    return "";
  });
  BOOST_TEST(error.find("signal") != std::string::npos, error);
}

BOOST_AUTO_TEST_CASE(values_of_several_children_come_in_order) {
  std::vector<std::function<std::string()>> bodies;
  for (int i = 0; i < 9; ++i) {
    bodies.emplace_back([i] {
      ::usleep(static_cast<unsigned>(9 - i) * 2000);
      return std::to_string(i) + std::string(i == 0 ? 200'000 : 0, 'x');  // more than a pipe holds
    });
  }
  const std::vector<std::string> values = in_children(bodies);
  BOOST_TEST_REQUIRE(values.size() == 9u);
  for (int i = 0; i < 9; ++i)
    BOOST_TEST(values[static_cast<std::size_t>(i)][0] == static_cast<char>('0' + i));
}

// One fails while others sleep: they are ended, nothing is left behind.
BOOST_AUTO_TEST_CASE(unawaited_children_are_ended) {
  const auto sleeps = []() -> std::string {
    ::sleep(100);
    return "";
  };
  const auto fails = []() -> std::string { throw ModelError("first"); };
  BOOST_CHECK_THROW(in_children({fails, sleeps}), Error);
  BOOST_TEST(::waitpid(-1, nullptr, WNOHANG) == -1);
}

BOOST_AUTO_TEST_SUITE_END()
