#include "platform/probe/child_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "models/base/errors.h"

namespace kernbench {
namespace {

// The first byte of what a child sends tells what the rest is.
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

void send(int to, const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ::ssize_t n = ::write(to, bytes.data() + sent, bytes.size() - sent);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return;  // the parent is gone
    sent += static_cast<std::size_t>(n);
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

std::string in_child(const std::function<std::string()>& body) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const ::pid_t child = ::fork();
  if (child < 0) {
    const int error = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    throw std::system_error(error, std::generic_category(), "fork");
  }
  if (child == 0) {
    ::close(ends[0]);
    send(ends[1], outcome_of(body));
    ::_exit(0);
  }
  ::close(ends[1]);
  const std::string outcome = receive_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) throw Error(std::string("the child process of a measurement was ended by a signal: ") + ::strsignal(WTERMSIG(status)));
  if (outcome.empty()) throw Error("the child process of a measurement ended without a result");
  const std::string rest = outcome.substr(1);
  if (outcome[0] == is_deadlock) throw DeadlockError(rest);
  if (outcome[0] == is_error) throw Error(rest);
  return rest;
}

}  // namespace kernbench
