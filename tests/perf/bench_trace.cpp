// What a waveform of everything in one PE, in its cube and in its SIP costs, as a ratio to the same
// run without; and how large it is.
//
// The program itself runs, in a process of its own; processor time without the elaboration, which a
// run that ends at once takes.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "tests/perf/bench_main.h"
#include "tests/perf/program_run.h"

namespace {

using namespace kernbench::perf;
using benchmark::State;

constexpr double never = 1e30;

// On one PE.
Words product() {
  Words words{"run", "--bench", "matmul-composite"};
  for (const char* parameter : {"variant=ref_ref", "M=2048", "K=512", "N=2048"})
    words.insert(words.end(), {"--param", parameter});
  return words;
}

void traced(State& state, const std::string& scope, const std::string& extension) {
  const MeasurementFolder folder;
  const std::string file = folder.file("wave" + extension);
  const Words trace{"--trace", file, "--trace-scope", scope};
  double with = never, without = never, idle = never, idle_with = never;
  std::uintmax_t bytes = 0;
  for (auto _ : state) {
    idle = std::min(idle, setup_seconds(product()));
    idle_with = std::min(idle_with, setup_seconds(product() + trace));
    without = std::min(without, program_seconds(product()));
    with = std::min(with, program_seconds(product() + trace));
    bytes = std::filesystem::file_size(file);
    state.SetIterationTime(with);
  }
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
