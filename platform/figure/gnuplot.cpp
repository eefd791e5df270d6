#include "platform/figure/gnuplot.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string_view>
#include <vector>

#include "models/base/errors.h"

namespace kernbench {
namespace {

// File in memory without a name: the child reads and writes it as a standard stream, so neither
// process waits for the other.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : file_(::memfd_create(name, MFD_CLOEXEC)) {
    if (file_ < 0) throw Error(fmt::format("cannot start gnuplot: {}", std::strerror(errno)));
  }
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const { return file_; }
  void fill(std::string_view text) const {
    while (!text.empty()) {
      const ::ssize_t n = ::write(file_, text.data(), text.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) throw Error(fmt::format("cannot start gnuplot: {}", std::strerror(errno)));
      text.remove_prefix(static_cast<std::size_t>(n));
    }
    ::lseek(file_, 0, SEEK_SET);
  }
  std::string content() const {
    std::string text;
    std::array<char, 65536> buffer;
    for (::off_t at = 0;;) {
      const ::ssize_t n = ::pread(file_, buffer.data(), buffer.size(), at);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return text;
      text.append(buffer.data(), static_cast<std::size_t>(n));
      at += n;
    }
  }

 private:
  int file_;
};

UsageError not_installed() {
  return UsageError(
      "figures are drawn by gnuplot, which is not installed: apt-get install gnuplot-nox");
}

// Environment of this process with the locale of numbers and messages replaced, and without the
// settings of gnuplot (GNUPLOT_LIB, GNUTERM, ...).
std::vector<char*> environment_of_child() {
  static std::string locale = "LC_ALL=C.UTF-8";
  std::vector<char*> variables;
  for (char** each = ::environ; *each != nullptr; ++each) {
    const std::string_view variable = *each;
    if (variable.substr(0, 7) != "LC_ALL=" && variable.substr(0, 3) != "GNU")
      variables.push_back(*each);
  }
  variables.push_back(locale.data());
  variables.push_back(nullptr);
  return variables;
}

::pid_t start(const MemoryFile& script, const MemoryFile& drawn, const MemoryFile& messages) {
  std::string program = "gnuplot", no_start_up_files = "-d";
  std::array<char*, 3> words{program.data(), no_start_up_files.data(), nullptr};
  ::posix_spawn_file_actions_t streams;
  ::posix_spawn_file_actions_init(&streams);
  ::posix_spawn_file_actions_adddup2(&streams, script.descriptor(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&streams, drawn.descriptor(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&streams, messages.descriptor(), STDERR_FILENO);
  ::pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, words[0], &streams, nullptr, words.data(),
                                   environment_of_child().data());
  ::posix_spawn_file_actions_destroy(&streams);
  if (error == ENOENT) throw not_installed();
  if (error != 0) throw Error(fmt::format("cannot start gnuplot: {}", std::strerror(error)));
  return pid;
}

int status_of(::pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// Messages of gnuplot on one line, the first 1000 bytes.
std::string message_of(const std::string& errors) {
  constexpr std::size_t most = 1000;
  std::string text;
  for (const char c : errors.substr(0, most)) {
    const bool blank = static_cast<unsigned char>(c) <= ' ';
    if (!blank) text += c;
    if (blank && !text.empty() && text.back() != ' ') text += ' ';
  }
  return text.empty() ? "it has printed nothing" : text;
}

}  // namespace

void require_gnuplot() {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((folder + "/gnuplot").c_str(), X_OK) == 0) return;
  }
  throw not_installed();
}

std::string run_gnuplot(const std::string& script) {
  const MemoryFile input("script"), output("figure"), errors("messages");
  input.fill(script);
  const int status = status_of(start(input, output, errors));
  std::string drawn = output.content();
  if (WIFSIGNALED(status))
    throw Error(fmt::format("gnuplot was ended by signal {} ({})", WTERMSIG(status),
                            ::strsignal(WTERMSIG(status))));
  if (WEXITSTATUS(status) != 0 || drawn.empty())
    throw Error(fmt::format("gnuplot failed with status {}: {}", WEXITSTATUS(status),
                            message_of(errors.content())));
  return drawn;
}

std::string gnuplot_text(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') quoted += '\'';
    quoted += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return quoted + '\'';
}

}  // namespace kernbench
