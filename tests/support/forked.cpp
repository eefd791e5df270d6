#include "tests/support/forked.h"

#include <fcntl.h>
#include <poll.h>
#include <rapidcheck.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/test/execution_monitor.hpp>
#include <boost/test/results_collector.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <system_error>
#include <systemc>
#include <vector>

#include "tests/support/child_time.h"

namespace kernbench::test {
namespace {

// --- In the child: one per process, because SystemC's handler and sc_main take no argument of
// ours.

struct Expectation {
  std::string message_type;
  bool seen = false;
};

struct Child {
  const std::function<std::string()>* body = nullptr;
  std::string value;
  std::vector<std::string> failures;
  std::vector<Expectation> expectations;
};

Child child;

void on_report(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if (report.get_severity() >= sc_core::SC_WARNING) {
    bool expected = false;
    for (Expectation& expectation : child.expectations) {
      if (expectation.message_type == report.get_msg_type()) expected = expectation.seen = true;
    }
    if (!expected)
      child.failures.push_back("SystemC report: " + sc_core::sc_report_compose_message(report));
  }
  sc_core::sc_actions adjusted = actions;
  if (report.get_severity() == sc_core::SC_FATAL) {
    adjusted = (actions & ~sc_core::sc_actions{sc_core::SC_ABORT}) | sc_core::SC_THROW;
  }
  sc_core::sc_report_handler::default_handler(report, adjusted);
}

unsigned long failed_checks() {
  namespace ut = boost::unit_test;
  return ut::results_collector.results(ut::framework::current_test_unit().p_id)
      .p_assertions_failed.get();
}

void run_body() {
  const unsigned long failed_before = failed_checks();
  try {
    child.value = (*child.body)();
  } catch (
      const boost::execution_aborted&) {  // BOOST_REQUIRE and BOOST_FAIL: counted as a failed check
  } catch (const sc_core::sc_report& report) {
    if (child.failures.empty())
      child.failures.push_back(std::string("SystemC report: ") + report.what());
  } catch (const rc::detail::CaseResult& result) {
    child.failures.push_back("rapidcheck: " + result.description);
  } catch (const std::exception& error) {
    child.failures.push_back(std::string("exception: ") + error.what());
  } catch (...) {
    child.failures.emplace_back("exception of an unknown type");
  }
  if (const unsigned long failed = failed_checks() - failed_before; failed > 0) {
    child.failures.push_back(std::to_string(failed) +
                             (failed == 1 ? " check failed" : " checks failed"));
  }
  for (const Expectation& expectation : child.expectations) {
    if (!expectation.seen)
      child.failures.push_back("expected SystemC report " + expectation.message_type +
                               " did not come");
  }
}

void write_all(int fd, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    done += static_cast<std::size_t>(n);
  }
}

// Boost.Test's handlers jump into frames of the parent; a child shall die of its signals. The
// sanitizers' own handlers stay.
void restore_signals() {
  std::vector<int> signals{SIGABRT, SIGALRM, SIGTERM, SIGINT};
  if (!sanitized) signals.insert(signals.end(), {SIGSEGV, SIGBUS, SIGFPE, SIGILL});
  for (const int signal : signals) ::signal(signal, SIG_DFL);
  ::alarm(0);
}

[[noreturn]] void be_child(const std::function<std::string()>& body, int result_fd, int output_fd,
                           pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  restore_signals();
  ::dup2(::open("/dev/null", O_RDONLY), 0);
  ::dup2(output_fd, 1);
  ::dup2(output_fd, 2);

  child = {};
  child.body = &body;
  ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  sc_core::sc_report_handler::set_handler(on_report);
  char name[] = "test";
  char* arguments[] = {name, nullptr};
  sc_core::sc_elab_and_sim(1, arguments);

  std::cout.flush();
  std::cerr.flush();
  std::clog.flush();
  std::fflush(nullptr);
  std::string bytes;
  encode(bytes, child.failures);
  encode(bytes, child.value);
  write_all(result_fd, bytes);
  ::_exit(0);
}

// --- In the parent.

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
  return ends;
}

// Reads both until the child has closed them; false if time ran out. 0 ms: no limit.
bool read_until_closed(std::array<int, 2> from, std::array<std::string*, 2> into, pid_t child_pid,
                       std::chrono::milliseconds timeout) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t most = std::size_t{64} << 20;
  constexpr int between_looks_ms = 100;
  const auto begin = Clock::now();
  std::array<pollfd, 2> fds{{{from[0], POLLIN, 0}, {from[1], POLLIN, 0}}};
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
    if (out_of_time(child_pid, passed, timeout)) return false;
    const int wait_ms = timeout.count() > 0 ? between_looks_ms : -1;
    if (::poll(fds.data(), fds.size(), wait_ms) < 0 && errno != EINTR) return false;
    for (std::size_t i = 0; i < fds.size(); ++i) {
      if (fds[i].fd < 0 || fds[i].revents == 0) continue;
      char buffer[65536];
      const ssize_t n = ::read(fds[i].fd, buffer, sizeof buffer);
      if (n > 0 && into[i]->size() < most) into[i]->append(buffer, static_cast<std::size_t>(n));
      if (n == 0 || (n < 0 && errno != EINTR)) fds[i].fd = -1;
    }
  }
  return true;
}

std::string join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

}  // namespace

std::string ForkResult::report() const {
  std::string text = failure;
  if (!output.empty())
    text += "\n--- output of the child\n" + output + (output.back() == '\n' ? "---" : "\n---");
  return text;
}

ForkResult run_forked(const std::function<std::string()>& body, std::chrono::milliseconds timeout) {
  timeout = child_limit(timeout);
  const std::array<int, 2> result_pipe = make_pipe();
  const std::array<int, 2> output_pipe = make_pipe();
  std::cout.flush();
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid == 0) {
    ::close(result_pipe[0]);
    ::close(output_pipe[0]);
    be_child(body, result_pipe[1], output_pipe[1], parent);
  }
  ::close(result_pipe[1]);
  ::close(output_pipe[1]);

  ForkResult result;
  std::string record;
  const bool in_time =
      read_until_closed({result_pipe[0], output_pipe[0]}, {&record, &result.output}, pid, timeout);
  ::close(result_pipe[0]);
  ::close(output_pipe[0]);
  if (!in_time) {
    ::kill(-pid, SIGKILL);
    ::kill(pid, SIGKILL);
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }

  if (!in_time) {
    result.failure = "hang: the child was not done after " + std::to_string(timeout.count()) +
                     " ms and was killed";
  } else if (WIFSIGNALED(status)) {
    result.failure = std::string("crash: the child died of signal ") +
                     std::to_string(WTERMSIG(status)) + " (" + ::strsignal(WTERMSIG(status)) + ")";
  } else if (record.empty() || WEXITSTATUS(status) != 0) {
    result.failure = "the child exited with status " + std::to_string(WEXITSTATUS(status)) +
                     " before the end of its body";
  } else {
    std::string_view rest = record;
    result.failure = join(decode<std::vector<std::string>>(rest));
    result.value = decode<std::string>(rest);
    result.passed = result.failure.empty();
  }
  return result;
}

void forked(const std::function<void()>& body, std::chrono::milliseconds timeout) {
  const ForkResult result = run_forked(
      [&body] {
        body();
        return std::string();
      },
      timeout);
  BOOST_CHECK_MESSAGE(result.passed, result.report());
  if (result.passed && !result.output.empty()) BOOST_TEST_MESSAGE(result.output);
}

void expect_report(const std::string& message_type) {
  child.expectations.push_back({message_type});
}

}  // namespace kernbench::test

// libsystemc refers to it and sc_elab_and_sim calls it: the body of the child.
int sc_main(int, char*[]) {
  kernbench::test::run_body();
  return 0;
}
