#include "tests/cli/program.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "tests/support/child_time.h"
#include "tests/support/every_case.h"

namespace kernbench::test {
namespace {

using Clock = std::chrono::steady_clock;

// Far more than any command of the tests needs: against hangs alone.
constexpr std::chrono::minutes hang_limit{2};

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

bool has_point(const Signal& signal) { return !signal.text.empty() || !signal.file.empty(); }

bool is_reached(const Signal& signal, const ProgramResult& so_far) {
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
  // Long tests run layers at full size.
  const std::chrono::milliseconds limit =
      child_limit(every_or({hang_limit}, {10 * hang_limit}).front());
  std::chrono::milliseconds computed_before_signal{0};
  Pipe out, err;
  const ::pid_t pid = ::fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    prepare();
    become(program, arguments, out_path == nullptr ? out.ends[1] : ::open(out_path, O_WRONLY),
           err.ends[1]);
  }
  ::close(out.ends[1]);
  ::close(err.ends[1]);

  ProgramResult result;
  constexpr int between_looks_ms = 10, between_checks_ms = 100;
  bool reached = !has_point(signal), killed = false;
  ::pollfd ends[2] = {{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}};
  std::string* texts[2] = {&result.out, &result.err};
  for (int open = 2; open > 0;) {
    if (::poll(ends, 2, reached ? between_checks_ms : between_looks_ms) < 0 && errno != EINTR)
      break;
    if (!reached && is_reached(signal, result)) {
      reached = true;
      result.reached_s = since(begin);
      computed_before_signal = processor_time_of(pid);
      if (signal.number != 0) ::kill(pid, signal.number);
    }
    const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
    if (!killed && out_of_time(pid, passed, limit)) {
      ::kill(-pid, SIGKILL);
      killed = true;
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
  result.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  result.cpu_after_signal_s =
      result.cpu_s - std::chrono::duration<double>(computed_before_signal).count();
  if (killed) result.err += "\n[the test has killed it: it hangs]\n";
  return result;
}

// A filter of system calls rather than a limit of processes, which root does not have: no other
// user is needed, who might not be allowed to read the program. clone3() is one that the kernel
// does not know, so that the C library takes clone(), whose flags a filter sees.
void refuse_threads() {
  constexpr ::__u16 load = BPF_LD | BPF_W | BPF_ABS, equal = BPF_JMP | BPF_JEQ | BPF_K,
                    has_bit = BPF_JMP | BPF_JSET | BPF_K, answer = BPF_RET | BPF_K;
  std::array<::sock_filter, 8> filter{{
      BPF_STMT(load, offsetof(::seccomp_data, nr)),
      BPF_JUMP(equal, SYS_clone3, 3, 0),
      BPF_JUMP(equal, SYS_clone, 0, 4),
      BPF_STMT(load, offsetof(::seccomp_data, args)),  // the flags: the lower half of the first
      BPF_JUMP(has_bit, CLONE_THREAD, 1, 2),
      BPF_STMT(answer, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(answer, SECCOMP_RET_ERRNO | EAGAIN),
      BPF_STMT(answer, SECCOMP_RET_ALLOW),
  }};
  const ::sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    ::_exit(126);
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
                                        unsigned long limit) {
  return run_program(arguments, {}, nullptr, KERNBENCH_PROGRAM, [resource, limit] {
    const ::rlimit bound{limit, limit};
    if (::setrlimit(static_cast<__rlimit_resource_t>(resource), &bound) != 0) ::_exit(126);
  });
}

ProgramResult kernbench_program_without_threads(const std::vector<std::string>& arguments) {
  return run_program(arguments, {}, nullptr, KERNBENCH_PROGRAM, &refuse_threads);
}

// --- Words and texts

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

Words words_of(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()};
}

std::size_t count_lines(const Words& lines, const std::string& part) {
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(),
                    [&part](const std::string& line) { return contains(line, part); }));
}

// --- Checked runs

ProgramResult check_run(const Words& words, const Ending& ending, const char* program) {
  const ProgramResult result = kernbench_program(words, {}, nullptr, program);
  BOOST_TEST_CONTEXT(command_line(words)) {
    BOOST_TEST(result.status == ending.status, result.status << ": " << result.err);
    check_contains(result.out, ending.out);
    check_contains(result.err, ending.err);
  }
  return result;
}

ProgramResult completed(const Words& words, const char* program) {
  const ProgramResult result = kernbench_program(words, {}, nullptr, program);
  BOOST_TEST_REQUIRE(result.status == 0, command_line(words) << ": " << result.err);
  return result;
}

Json json_of(const Words& words, const char* program) {
  return Json::parse(completed(joined(words, {"--json"}), program).out);
}

void check_members(const Json& json, const Json& values) {
  for (const auto& [key, value] : values.items()) {
    BOOST_TEST(json.contains(key), "no '" << key << "' in " << json);
    if (json.contains(key)) BOOST_TEST(json.at(key) == value, key);
  }
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
