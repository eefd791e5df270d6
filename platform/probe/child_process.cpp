#include "platform/probe/child_process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <memory>
#include <system_error>
#include <thread>

#include "models/base/errors.h"
#include "platform/assembly/fault_guard.h"
#include "platform/assembly/pipe.h"

namespace kernbench {
namespace {

// The first byte of a child's message identifies the kind of the rest.
constexpr char is_value = 'v';
constexpr char is_deadlock = 'd';
constexpr char is_error = 'e';

std::string outcome_of(const std::function<std::string()>& body) {
  try {
    return is_value + body();
  } catch (const DeadlockError& error) {
    return is_deadlock + std::string(error.what());
  } catch (const std::exception& error) {
    return is_error + std::string(error.what());
  } catch (...) {
    return is_error + std::string("an exception of unknown type");
  }
}

std::string receive_all(int from) {
  std::string bytes;
  char buffer[4096];
  for (;;) {
    const ::ssize_t n = ::read(from, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(n));
  }
}

}  // namespace

ChildProcess::ChildProcess(const std::function<std::string()>& body) {
  const auto [read_end, write_end] = Pipe().ends;
  child_ = ::fork();
  const int error = errno;
  if (child_ == 0) {
    ::close(read_end);
    write_all(write_end, outcome_of(body));
    FaultGuard::end_process(0);
  }
  ::close(write_end);
  from_child_ = read_end;
  if (child_ > 0) return;
  ::close(from_child_);
  throw std::system_error(error, std::generic_category(), "fork");
}

ChildProcess::~ChildProcess() {
  if (child_ < 0) return;
  ::kill(child_, SIGKILL);
  wait();
}

int ChildProcess::wait() {
  ::close(from_child_);
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  return status;
}

std::string ChildProcess::value() {
  const std::string outcome = receive_all(from_child_);
  const int status = wait();
  if (WIFSIGNALED(status))
    throw Error(std::string("the child process of a measurement was ended by a signal: ") +
                ::strsignal(WTERMSIG(status)));
  if (outcome.empty()) throw Error("the child process of a measurement ended without a result");
  const std::string rest = outcome.substr(1);
  if (outcome[0] == is_deadlock) throw DeadlockError(rest);
  if (outcome[0] == is_error) throw Error(rest);
  return rest;
}

std::vector<std::string> in_children(const std::vector<std::function<std::string()>>& bodies) {
  const std::size_t at_once = std::max(1U, std::thread::hardware_concurrency());
  std::deque<std::unique_ptr<ChildProcess>> running;
  std::vector<std::string> values;
  for (const auto& body : bodies) {
    if (running.size() == at_once) {
      values.push_back(running.front()->value());
      running.pop_front();
    }
    running.push_back(std::make_unique<ChildProcess>(body));
  }
  for (; !running.empty(); running.pop_front()) values.push_back(running.front()->value());
  return values;
}

}  // namespace kernbench
