// What a block in RTL costs: the systolic array alone and as rtl.pe_gemm of one PE in the platform,
// its pins in a waveform, and one that has nothing to do.
//
// The program itself runs, in a process of its own; processor time without the elaboration. The
// engine's share of a run is what the run takes more than the same run with builtin.pe_gemm; it is
// held against the model that the platform evaluates, assertions included, in the smallest loop.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "tests/perf/bench_main.h"
#include "tests/perf/child_measurement.h"
#include "tests/perf/program_run.h"
#include "tests/perf/rtl_array.h"

namespace {

using namespace kernbench::perf;
using benchmark::State;

constexpr double never = std::numeric_limits<double>::infinity();

void keep_least(double& least, double value) { least = std::min(least, value); }

// 256 x 256 x 256 in tiles of 32 x 64 x 32, with values.
Words product(const std::string& dtype) {
  return {"run",     "--topology", "tiny",           "--bench", "gemm-single-pe",
          "--param", "M=256",      "--param",        "K=256",   "--param",
          "N=256",   "--param",    "dtype=" + dtype, "--data",  "eager"};
}

Words in_rtl(const std::string& pe, unsigned size) {
  const std::string engine = "sip0.cube0." + pe + ".pe_gemm.";
  const std::string extent = std::to_string(size);
  return {"--set", engine + "impl=rtl.pe_gemm",       "--set", engine + "attrs.rows=" + extent,
          "--set", engine + "attrs.columns=" + extent};
}

double clock_cycles(const Words& run) {
  const MeasurementFolder folder;
  const std::string file = folder.file("statistics.json");
  program_seconds(run + Words{"--stats", file});
  std::ifstream text(file);
  const nlohmann::json statistics = nlohmann::json::parse(text);
  double cycles = 0;
  for (const auto& component : statistics.at("components"))
    cycles += component.at("stats").value("rtl_cycles", 0.0);
  if (cycles == 0) throw std::runtime_error("no component has counted rtl_cycles");
  return cycles;
}

// Of several runs, in rounds: noise only adds to either part.
class RunTime {
 public:
  explicit RunTime(Words run) : run_(std::move(run)) {}
  void measure() {
    keep_least(whole_, program_seconds(run_));
    keep_least(setup_, setup_seconds(run_));
  }
  double seconds() const { return whole_ - setup_; }

 private:
  Words run_;
  double whole_ = never, setup_ = never;
};

// Per clock cycle.
double seconds_alone(ArrayModel model, unsigned size, const ArrayTask& task) {
  const ArraySpeed speed = measured_in_child([&] { return array_alone(model, size, task, 0.3); });
  return speed.seconds / static_cast<double>(speed.cycles);
}

// The tile is that of the product. `engine`: the run less the same run with builtin.pe_gemm, whose
// tiles, transfers and values are the same.
void array(State& state, unsigned size, const std::string& dtype) {
  const Words rtl = product(dtype) + in_rtl("pe0", size);
  const double cycles = clock_cycles(rtl);
  const ArrayTask tile{32, 32, 64, dtype == "f16"};
  RunTime in_platform(rtl), with_builtin(product(dtype));
  double bare = never, alone = never;
  for (auto _ : state) {
    keep_least(bare, seconds_alone(ArrayModel::bare, size, tile));
    keep_least(alone, seconds_alone(ArrayModel::checked, size, tile));
    in_platform.measure();
    with_builtin.measure();
    state.SetIterationTime(in_platform.seconds());
  }
  const double run = in_platform.seconds() / cycles, engine = run - with_builtin.seconds() / cycles;
  state.counters["kcycles"] = cycles / 1e3;
  state.counters["bare"] = 1e-6 / bare;
  state.counters["alone"] = 1e-6 / alone;
  state.counters["engine"] = 1e-6 / engine;
  state.counters["run"] = 1e-6 / run;
  state.counters["ratio"] = engine / alone;
  state.counters["run_ratio"] = run / alone;
  state.counters["bare_ratio"] = run / bare;
  state.counters["run_s"] = in_platform.seconds();
}

void traced(State& state, unsigned size) {
  const MeasurementFolder folder;
  const Words run = product("f16") + in_rtl("pe0", size);
  const Words trace{"--trace", folder.file("wave.fst"), "--trace-scope", "sip0.cube0.pe0.pe_gemm*"};
  RunTime with(run + trace), without(run);
  for (auto _ : state) {
    without.measure();
    with.measure();
    state.SetIterationTime(with.seconds());
  }
  state.counters["untraced_s"] = without.seconds();
  state.counters["traced_s"] = with.seconds();
  state.counters["trace_ratio"] = with.seconds() / without.seconds();
}

// In the PE next to the active one.
void idle(State& state, unsigned size) {
  const Words run{"run",     "--bench", "matmul-composite", "--param", "variant=ref_ref",
                  "--param", "M=2048",  "--param",          "K=512",   "--param",
                  "N=2048"};
  RunTime with(run + in_rtl("pe1", size)), without(run);
  for (auto _ : state) {
    without.measure();
    with.measure();
    state.SetIterationTime(with.seconds());
  }
  state.counters["builtin_s"] = without.seconds();
  state.counters["rtl_s"] = with.seconds();
  state.counters["idle_ratio"] = with.seconds() / without.seconds();
}

std::vector<FiguresTable> tables() {
  return {
      {"A product of 256 x 256 x 256 on one PE in RTL",
       {{"cycles, thousand", "kcycles"},
        {"array alone, Mcycles/s", "bare", 3},
        {"with its assertions, Mcycles/s", "alone", 3},
        {"engine in the platform, Mcycles/s", "engine", 3},
        {"whole run, Mcycles/s", "run", 3},
        {"engine / alone with assertions", "ratio", 2},
        {"run / alone with assertions", "run_ratio", 2},
        {"run / array alone", "bare_ratio", 2},
        {"run, s", "run_s", 2}}},
      {"The same, its pins in a waveform",
       {{"without, s", "untraced_s", 2}, {"with, s", "traced_s", 2}, {"ratio", "trace_ratio", 2}}},
      {"A product of 2048 x 512 x 2048 next to an idle PE in RTL",
       {{"builtin.pe_gemm, s", "builtin_s", 3},
        {"rtl.pe_gemm, s", "rtl_s", 3},
        {"ratio", "idle_ratio", 2}}}};
}

}  // namespace

int sc_main(int, char*[]) { return 0; }  // libsystemc wants one

int main(int argc, char* argv[]) {
  ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return run_benchmarks(
      argc, argv,
      {"bench_rtl", tables(), [](const auto& resolve) {
         for (const unsigned size : {8U, 32U}) {
           const std::string name = std::to_string(size) + "x" + std::to_string(size);
           const auto add = [&](const std::string& what, auto function, auto... with) {
             resolve(benchmark::RegisterBenchmark((what + name).c_str(), function, size, with...));
           };
           add("rtl_gemm_f16_", array, std::string("f16"));
           add("rtl_gemm_i8_", array, std::string("i8"));
           add("rtl_gemm_traced_", traced);
           add("rtl_gemm_idle_", idle);
         }
       }});
}
