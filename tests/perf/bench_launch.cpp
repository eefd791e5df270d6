// What a launch costs the host: time per launch of a small kernel on all 128 PEs of a SIP, and the
// largest resident memory of many launches.
//
// The program itself runs the bench `launch-loop` (launch_loop.cpp), in a process of its own;
// processor time without that of a run of one launch.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <limits>
#include <string>
#include <systemc>
#include <vector>

#include "tests/perf/bench_main.h"
#include "tests/perf/program_run.h"

namespace {

using namespace kernbench::perf;
using benchmark::State;

constexpr double never = std::numeric_limits<double>::infinity();

struct LaunchLoop {
  std::string kernel, data;
  int bytes = 0;  // of each tensor on each PE
  int launches = 0;
};

Words words_of(const LaunchLoop& loop, int launches) {
  return {"run",
          "--plugin",
          KERNBENCH_LAUNCH_LOOP,
          "--bench",
          "launch-loop",
          "--data",
          loop.data,
          "--param",
          "kernel=" + loop.kernel,
          "--param",
          "bytes=" + std::to_string(loop.bytes),
          "--param",
          "launches=" + std::to_string(launches)};
}

void launched(State& state, const LaunchLoop& loop) {
  double one = never, all = never, mebibytes = never;
  for (auto _ : state) {
    one = std::min(one, program_seconds(words_of(loop, 1)));
    const ProgramUse use = program_use(words_of(loop, loop.launches));
    all = std::min(all, use.seconds);
    mebibytes = std::min(mebibytes, use.resident_mebibytes);
    state.SetIterationTime(use.seconds);
  }
  state.counters["launches"] = loop.launches;
  state.counters["ms_per_launch"] = 1e3 * (all - one) / (loop.launches - 1);
  state.counters["resident_MiB"] = mebibytes;
}

std::vector<FiguresTable> tables() {
  return {{"Launches on 128 PEs, back to back",
           {{"launches", "launches", 0},
            {"processor time of each, ms", "ms_per_launch", 2},
            {"resident, MiB", "resident_MiB", 0}}}};
}

}  // namespace

int sc_main(int, char*[]) { return 0; }  // libsystemc wants one

int main(int argc, char* argv[]) {
  ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return run_benchmarks(argc, argv,
                        {"bench_launch", tables(), [](const auto& resolve) {
                           const auto add = [&](const char* name, LaunchLoop loop) {
                             resolve(benchmark::RegisterBenchmark(name, launched, loop));
                           };
                           add("launch_empty", {"empty", "off", 64, 500});
                           add("launch_small_off", {"relu", "off", 64, 500});
                           add("launch_small_deferred", {"relu", "deferred", 64, 500});
                           add("launch_4KiB_deferred", {"relu", "deferred", 4096, 500});
                           add("launch_chain_deferred", {"step", "deferred", 4096, 500});
                           add("launch_chain_eager", {"step", "eager", 4096, 500});
                         }});
}
