#include "tests/cli/program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace kernbench::test {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  }
  int ends[2];
};

[[noreturn]] void become(const char* program, const std::vector<std::string>& arguments, int out, int err) {
  std::vector<char*> argv{const_cast<char*>("kernbench")};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::dup2(::open("/dev/null", O_RDONLY), 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  ::execv(program, argv.data());
  ::_exit(127);
}

}  // namespace

ProgramResult kernbench_program(const std::vector<std::string>& arguments, int signal, int after_ms, const char* out_path, const char* program) {
  const Clock::time_point begin = Clock::now();
  const auto passed_ms = [&] { return static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count()); };
  Pipe out, err;
  const ::pid_t pid = ::fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid == 0) become(program, arguments, out_path == nullptr ? out.ends[1] : ::open(out_path, O_WRONLY), err.ends[1]);
  ::close(out.ends[1]);
  ::close(err.ends[1]);

  ProgramResult result;
  bool signalled = signal == 0;
  ::pollfd ends[2] = {{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}};
  std::string* texts[2] = {&result.out, &result.err};
  for (int open = 2; open > 0;) {
    if (::poll(ends, 2, signalled ? -1 : std::max(0, after_ms - passed_ms())) < 0 && errno != EINTR) break;
    if (!signalled && passed_ms() >= after_ms) {
      ::kill(pid, signal);
      signalled = true;
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
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result.wall_s = std::chrono::duration<double>(Clock::now() - begin).count();
  return result;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "kernbench-cli-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::system_error(errno, std::generic_category(), "mkdtemp");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream(file(name), std::ios::binary) << text;
  return file(name);
}

std::string TemporaryFolder::read(const std::string& name) const {
  std::ifstream in(file(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool TemporaryFolder::has(const std::string& name) const { return std::filesystem::exists(file(name)); }

}  // namespace kernbench::test
