#include "tests/perf/program_run.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

namespace kernbench::perf {
namespace {

double seconds_of(const ::timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

}  // namespace

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

ProgramUse program_use(Words words) {
  words.insert(words.begin(), KERNBENCH_PROGRAM);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const ::pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) {
    const int null = ::open("/dev/null", O_WRONLY);
    ::dup2(null, STDOUT_FILENO);
    ::dup2(null, STDERR_FILENO);
    ::execv(KERNBENCH_PROGRAM, arguments.data());
    ::_exit(127);
  }
  int status = 0;
  ::rusage usage{};
  if (::wait4(child, &status, 0, &usage) != child || status != 0)
    throw std::runtime_error("kernbench has failed: " + words[1] + " ...");
  return {seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
          static_cast<double>(usage.ru_maxrss) / 1024.0};
}

MeasurementFolder::MeasurementFolder()
    : path_(std::filesystem::temp_directory_path() /
            ("kernbench-bench-" + std::to_string(::getpid()))) {
  std::filesystem::create_directories(path_);
}

MeasurementFolder::~MeasurementFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace kernbench::perf
