// What a waveform of everything in one PE, in its cube and in its SIP costs, as a ratio to the same
// run without; and how large it is.
//
// The program itself runs, in a process of its own; processor time without the elaboration, which a
// run that ends at once takes.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "tests/perf/bench_main.h"

namespace {

using namespace kernbench::perf;
using benchmark::State;
using Words = std::vector<std::string>;

constexpr double never = 1e30;

double seconds_of(const ::timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

// Processor time of `kernbench ARGUMENTS...`, whose output is dropped.
double program_seconds(Words words) {
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
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

// On one PE.
Words product() {
  Words words{"run", "--bench", "matmul-composite"};
  for (const char* parameter : {"variant=ref_ref", "M=2048", "K=512", "N=2048"})
    words.insert(words.end(), {"--param", parameter});
  return words;
}

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void traced(State& state, const std::string& scope, const std::string& extension) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("kernbench-bench-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string file = (folder / ("wave" + extension)).string();
  const Words trace{"--trace", file, "--trace-scope", scope};
  const Words at_once{"--until", "1"};
  double with = never, without = never, idle = never, idle_with = never;
  std::uintmax_t bytes = 0;
  for (auto _ : state) {
    idle = std::min(idle, program_seconds(product() + at_once));
    idle_with = std::min(idle_with, program_seconds(product() + trace + at_once));
    without = std::min(without, program_seconds(product()));
    with = std::min(with, program_seconds(product() + trace));
    bytes = std::filesystem::file_size(file);
    state.SetIterationTime(with);
  }
  std::filesystem::remove_all(folder);
  state.counters["without_s"] = without - idle;
  state.counters["with_s"] = with - idle_with;
  state.counters["ratio"] = (with - idle_with) / (without - idle);
  state.counters["setup_s"] = idle_with - idle;
  state.counters["MiB"] = static_cast<double>(bytes) / (1024.0 * 1024.0);
}

std::vector<FiguresTable> tables() {
  return {{"A product of 2048 x 512 x 2048 on one PE, everything traced",
           {{"without, s", "without_s", 3},
            {"with, s", "with_s", 3},
            {"ratio", "ratio", 2},
            {"before it begins, s", "setup_s", 3},
            {"file, MiB", "MiB", 1}}}};
}

}  // namespace

int sc_main(int, char*[]) { return 0; }  // libsystemc wants one

int main(int argc, char* argv[]) {
  ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return run_benchmarks(
      argc, argv, {"bench_trace", tables(), [](const auto& resolve) {
                     for (const std::string extension : {".vcd", ".fst"}) {
                       const std::string format = extension.substr(1);
                       for (const auto& [name, scope] :
                            {std::pair<std::string, std::string>{"pe", "sip0.cube0.pe0"},
                             {"cube", "sip0.cube0"},
                             {"sip", "sip0"}})
                         resolve(benchmark::RegisterBenchmark(
                             ("trace_" + name + "_" + format).c_str(), traced, scope, extension));
                     }
                   }});
}
