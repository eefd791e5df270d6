// How long phase 2 takes for a product of 2048 x 2048 x 2048 in f16, against Eigen's product in f32
// with as many threads.
//
//   ./kernbench bench --benchmark_filter=phase2
//
// Wall time, and processor time of all threads together: the least of the rounds. Every measurement
// runs in a process of its own.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <functional>
#include <string>

#include "tests/perf/bench_main.h"
#include "tests/perf/child_measurement.h"
#include "tests/perf/phase2_scenario.h"

namespace {

using namespace kernbench::perf;

constexpr std::int64_t extent = 2048;

using Scenario = std::function<Phase2Figures(unsigned threads)>;

void phase2(benchmark::State& state, const Scenario& scenario, unsigned threads) {
  Phase2Figures best;
  Phase2Figures eigen;
  best.seconds = best.processor_seconds = eigen.seconds = eigen.processor_seconds = 1e30;
  const auto keep_least = [](Phase2Figures& least, const Phase2Figures& figures) {
    least.seconds = std::min(least.seconds, figures.seconds);
    least.processor_seconds = std::min(least.processor_seconds, figures.processor_seconds);
    least.recorded_mib = figures.recorded_mib;
    least.peak_mib = figures.peak_mib;
  };
  for (auto _ : state) {
    const Phase2Figures figures = measured_in_child([&] { return scenario(threads); });
    state.SetIterationTime(figures.seconds);
    keep_least(best, figures);
    keep_least(eigen, measured_in_child([&] { return eigen_product(extent, threads); }));
  }
  state.counters["phase2_s"] = best.seconds;
  state.counters["eigen_s"] = eigen.seconds;
  state.counters["ratio"] = best.seconds / eigen.seconds;
  state.counters["phase2_cpu_s"] = best.processor_seconds;
  state.counters["eigen_cpu_s"] = eigen.processor_seconds;
  state.counters["ratio_cpu"] = best.processor_seconds / eigen.processor_seconds;
  state.counters["recorded_MiB"] = best.recorded_mib;
  state.counters["peak_MiB"] = best.peak_mib;
}

}  // namespace

extern "C" int sc_main(int, char*[]) { return 0; }  // libsystemc wants one

int main(int argc, char* argv[]) {
  const auto add = [](const auto& resolve) {
    for (const unsigned threads : {1U, 2U}) {
      const auto name = [threads](const std::string& what) {
        return "phase2/" + what + "/threads:" + std::to_string(threads);
      };
      const auto measure = [&](const std::string& what, const Scenario& scenario) {
        resolve(benchmark::RegisterBenchmark(name(what).c_str(), phase2, scenario, threads));
      };
      measure("composite", [](unsigned n) { return composite_product(extent, n); });
      measure("dots_128x256x128",
              [](unsigned n) { return tiled_product(extent, 128, 256, 128, n); });
      measure("dots_32x64x32", [](unsigned n) { return tiled_product(extent, 32, 64, 32, n); });
    }
  };
  const FiguresTable table{"A product of 2048 x 2048 x 2048, by how it was recorded",
                           {{"phase 2, processor s", "phase2_cpu_s", 3},
                            {"Eigen, processor s", "eigen_cpu_s", 3},
                            {"ratio", "ratio_cpu", 2},
                            {"phase 2, wall s", "phase2_s", 3},
                            {"Eigen, wall s", "eigen_s", 3},
                            {"recorded, MiB", "recorded_MiB"},
                            {"peak of the process, MiB", "peak_MiB"}}};
  return run_benchmarks(argc, argv, {"bench_phase2", {table}, add});
}
