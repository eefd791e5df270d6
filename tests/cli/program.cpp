#include "tests/cli/program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace kernbench::test {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0)
      throw std::system_error(errno, std::generic_category(), "pipe");
  }
  int ends[2];
};

[[noreturn]] void become(const char* program, const std::vector<std::string>& arguments, int out,
                         int err) {
  std::vector<char*> argv{const_cast<char*>("kernbench")};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::dup2(::open("/dev/null", O_RDONLY), 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  ::execv(program, argv.data());
  ::_exit(127);
}

bool is_due(const Signal& signal, const ProgramResult& so_far) {
  if (!signal.text.empty()) return so_far.err.find(signal.text) != std::string::npos;
  std::error_code error;
  const auto size = std::filesystem::file_size(signal.file, error);
  return !error && size >= signal.bytes;
}

double seconds(const ::timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

ProgramResult run_program(const std::vector<std::string>& arguments, const Signal& signal,
                          const char* out_path, const char* program,
                          const std::function<void()>& prepare) {
  const auto since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  const Clock::time_point begin = Clock::now();
  Clock::time_point signalled_at = begin;
  Pipe out, err;
  const ::pid_t pid = ::fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid == 0) {
    prepare();
    become(program, arguments, out_path == nullptr ? out.ends[1] : ::open(out_path, O_WRONLY),
           err.ends[1]);
  }
  ::close(out.ends[1]);
  ::close(err.ends[1]);

  ProgramResult result;
  constexpr int between_looks_ms = 10;
  bool signalled = signal.number == 0;
  ::pollfd ends[2] = {{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}};
  std::string* texts[2] = {&result.out, &result.err};
  for (int open = 2; open > 0;) {
    if (::poll(ends, 2, signalled ? -1 : between_looks_ms) < 0 && errno != EINTR) break;
    if (!signalled && is_due(signal, result)) {
      ::kill(pid, signal.number);
      signalled = true;
      signalled_at = Clock::now();
    }
    for (int i = 0; i < 2; ++i) {
      if (ends[i].fd < 0 || (ends[i].revents & (POLLIN | POLLHUP)) == 0) continue;
      char buffer[65536];
      const ::ssize_t n = ::read(ends[i].fd, buffer, sizeof buffer);
      if (n > 0) {
        texts[i]->append(buffer, static_cast<std::size_t>(n));
      } else {
        ::close(ends[i].fd);
        ends[i].fd = -1;
        --open;
      }
    }
  }
  int status = 0;
  ::rusage usage{};
  while (::wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  result.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result.wall_s = since(begin);
  result.after_signal_s = since(signalled_at);
  result.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  return result;
}

void check_refusal(const ProgramResult& result, const Words& parts, int status,
                   const std::string& text) {
  BOOST_TEST(result.status == status, result.status << ": " << result.err);
  BOOST_TEST(result.out == "");
  BOOST_TEST(result.err.rfind("kernbench: error: ", 0) == 0U, result.err);
  check_contains(text, parts);
}

std::string command_line(const Words& words) {
  std::string line = "kernbench";
  for (const std::string& word : words) line += " '" + word + "'";
  return line;
}

}  // namespace

ProgramResult kernbench_program(const std::vector<std::string>& arguments, const Signal& signal,
                                const char* out_path, const char* program) {
  return run_program(arguments, signal, out_path, program, [] {});
}

ProgramResult kernbench_program_limited(const std::vector<std::string>& arguments, int resource,
                                        unsigned long limit, bool as_nobody) {
  return run_program(arguments, {}, nullptr, KERNBENCH_PROGRAM, [resource, limit, as_nobody] {
    constexpr ::uid_t nobody = 64'123;
    const ::rlimit bound{limit, limit};
    if (::setrlimit(static_cast<__rlimit_resource_t>(resource), &bound) != 0) ::_exit(126);
    if (as_nobody && (::setgid(nobody) != 0 || ::setuid(nobody) != 0)) ::_exit(126);
  });
}

// --- Wrong use

void check_refusal(const ProgramResult& result, const Words& parts) {
  check_refusal(result, parts, 2, result.err);
}

void check_refused(const Words& words, const Words& parts) {
  BOOST_TEST_CONTEXT(command_line(words)) { check_refusal(kernbench_program(words), parts); }
}

void check_refused_in_a_line(const Words& words, const Words& parts, int status) {
  BOOST_TEST_CONTEXT(command_line(words)) {
    const ProgramResult result = kernbench_program(words);
    check_refusal(result, parts, status, result.err.substr(0, result.err.find('\n')));
  }
}

}  // namespace kernbench::test
