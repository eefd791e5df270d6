#include "platform/sweep/process_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

#include "platform/assembly/fault_guard.h"
#include "platform/assembly/pipe.h"

namespace kernbench {
namespace {

constexpr std::size_t most_error_bytes = 16 << 10;

double seconds(const ::timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

ProcessPool::~ProcessPool() {
  for (const Worker& worker : running_) ::kill(worker.pid, SIGKILL);
  while (!running_.empty()) reap(running_.size() - 1);
}

void ProcessPool::work(std::uint64_t id, int values, int errors) const {
  ::setpgid(0, 0);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nowhere, STDIN_FILENO);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  write_all(values, body_(id));
  FaultGuard::end_process(0);
}

void ProcessPool::start(std::uint64_t id) {
  const Pipe values, errors;
  const ::pid_t parent = ::getpid(), pid = ::fork();
  const int error = errno;
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) FaultGuard::end_process(1);  // it has ended before that
    work(id, values.ends[1], errors.ends[1]);
  }
  ::close(values.ends[1]);
  ::close(errors.ends[1]);
  if (pid < 0) {
    ::close(values.ends[0]);
    ::close(errors.ends[0]);
    throw std::system_error(error, std::generic_category(), "fork");
  }
  running_.push_back({pid, values.ends[0], errors.ends[0], {}});
  running_.back().outcome.id = id;
}

// Reads what is there; beyond `most` bytes it is dropped.
void ProcessPool::read_from(int& pipe, std::string& into, std::size_t most) {
  std::array<char, 65536> buffer;
  const ::ssize_t n = ::read(pipe, buffer.data(), buffer.size());
  if (n < 0 && errno == EINTR) return;
  if (n <= 0) {
    ::close(pipe);
    pipe = -1;
  } else if (into.size() < most) {
    into.append(buffer.data(), std::min(static_cast<std::size_t>(n), most - into.size()));
  }
}

std::optional<ProcessOutcome> ProcessPool::wait(int timeout_ms) {
  while (!running_.empty()) {
    // Several may have ended since the last call.
    for (std::size_t i = 0; i < running_.size(); ++i) {
      if (running_[i].values < 0 && running_[i].errors < 0) return reap(i);
    }
    std::vector<::pollfd> pipes;
    for (const Worker& worker : running_) {
      pipes.push_back({worker.values, POLLIN, 0});
      pipes.push_back({worker.errors, POLLIN, 0});
    }
    if (::poll(pipes.data(), pipes.size(), timeout_ms) <= 0) return std::nullopt;
    for (std::size_t i = 0; i < running_.size(); ++i) {
      Worker& worker = running_[i];
      if (pipes[2 * i].revents != 0)
        read_from(worker.values, worker.outcome.value, std::string::npos);
      if (pipes[2 * i + 1].revents != 0)
        read_from(worker.errors, worker.outcome.errors, most_error_bytes);
    }
  }
  return std::nullopt;
}

ProcessOutcome ProcessPool::reap(std::size_t index) {
  Worker worker = std::move(running_[index]);
  running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(index));
  for (const int pipe : {worker.values, worker.errors})
    if (pipe >= 0) ::close(pipe);
  int status = 0;
  ::rusage usage{};
  while (::wait4(worker.pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  ProcessOutcome& outcome = worker.outcome;
  outcome.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  outcome.peak_memory_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    outcome.fault = fmt::format("killed by signal {} ({})", signal, ::strsignal(signal));
  } else if (outcome.value.empty()) {
    outcome.fault = fmt::format("has ended with status {}", WEXITSTATUS(status));
  }
  if (!outcome.fault.empty()) outcome.value.clear();
  return std::move(outcome);
}

}  // namespace kernbench
