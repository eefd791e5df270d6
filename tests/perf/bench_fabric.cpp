// How fast the fabric is simulated, against what the SystemC kernel alone takes for events; and
// what elaboration takes.
//
//   ./kernbench bench                                  all of it
//   ./kernbench bench --benchmark_filter=all_to_all    options of Google Benchmark
//   ./kernbench bench --rounds=1                       quicker, less exact
//   ./kernbench bench --write-figures                  rewrites tests/perf/figures.md
//
// Every measurement runs in a process of its own and counts processor time. A benchmark has several
// rounds (5), in each of which what is compared follows each other; the least time of each over the
// rounds is what counts, as noise only adds.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <systemc>

#include "tests/perf/bare_systemc.h"
#include "tests/perf/bench_main.h"
#include "tests/perf/child_measurement.h"
#include "tests/perf/fabric_scenario.h"

namespace {

using namespace kernbench::perf;
using benchmark::State;

constexpr std::uint64_t raw_events = 2'000'000;
constexpr double never = 1e30;

void fabric(State& state, const FabricScenario& scenario) {
  double best = never;
  double raw = never;
  FabricFigures figures;
  for (auto _ : state) {
    figures = measured_in_child([&] { return play(scenario); });
    state.SetIterationTime(figures.seconds);
    best = std::min(best, figures.seconds);
    raw = std::min(raw, measured_in_child([&] {
                     return raw_event_seconds(figures.active_processes, raw_events);
                   }));
  }
  const auto hops = static_cast<double>(figures.flit_hops);
  state.counters["flit_hops"] = hops;
  state.counters["control_hops"] = static_cast<double>(figures.control_hops);
  state.counters["active"] = static_cast<double>(figures.active_processes);
  state.counters["Mhops_per_s"] = hops / best * 1e-6;
  state.counters["Mraw_per_s"] = 1e-6 / raw;
  state.counters["ratio"] = best / hops / raw;  // raw events that one flit-hop costs
  state.counters["alloc_per_hop"] = static_cast<double>(figures.allocations) / hops;
  state.counters["alloc_2nd_half"] =
      static_cast<double>(figures.late_allocations);  // in all, none per flit-hop
}

void sixteen_sips(State& state) {
  double one = never;
  double sixteen = never;
  for (auto _ : state) {
    one = std::min(one, measured_in_child([] { return play(all_to_all_with(1)); }).seconds);
    const double seconds = measured_in_child([] { return play(all_to_all_with(16)); }).seconds;
    state.SetIterationTime(seconds);
    sixteen = std::min(sixteen, seconds);
  }
  state.counters["one_sip_s"] = one;
  state.counters["sixteen_sips_s"] = sixteen;
  state.counters["ratio"] = sixteen / one;
}

void elaboration(State& state) {
  ElaborationFigures best;
  best.construct_seconds = best.load_seconds = never;
  SketchFigures sketch;
  sketch.seconds = never;
  for (auto _ : state) {
    const ElaborationFigures figures = measured_in_child([] { return elaborate({}); });
    state.SetIterationTime(figures.load_seconds + figures.construct_seconds);
    if (figures.construct_seconds + figures.load_seconds <
        best.construct_seconds + best.load_seconds)
      best = figures;
    const SketchFigures bare = measured_in_child([&] { return elaborate_sketch(4320, 14208); });
    if (bare.seconds < sketch.seconds) sketch = bare;
  }
  state.counters["modules"] = static_cast<double>(best.modules);
  state.counters["links"] = static_cast<double>(best.links);
  state.counters["load_s"] = best.load_seconds;
  state.counters["construct_s"] = best.construct_seconds;
  state.counters["MiB"] = best.resident_mib;
  state.counters["sketch_s"] = sketch.seconds;
  state.counters["sketch_MiB"] = sketch.resident_mib;
}

std::vector<FiguresTable> tables() {
  return {{"Elaboration",
           {{"modules", "modules"},
            {"links", "links"},
            {"file to graph, s", "load_s", 3},
            {"construct and elaborate, s", "construct_s", 3},
            {"resident, MiB", "MiB"},
            {"bare sketch, s", "sketch_s", 3},
            {"its resident, MiB", "sketch_MiB"}}},
          {"Fabric",
           {{"active", "active"},
            {"Mflit-hops/s", "Mhops_per_s", 1},
            {"M raw events/s", "Mraw_per_s", 1},
            {"ratio", "ratio", 2},
            {"allocations per flit-hop", "alloc_per_hop", 5},
            {"all in the second half", "alloc_2nd_half"}}},
          {"The same traffic on one SIP and on sixteen",
           {{"one SIP, s", "one_sip_s", 3},
            {"sixteen, s", "sixteen_sips_s", 3},
            {"ratio", "ratio", 2}}}};
}

}  // namespace

int sc_main(int, char*[]) { return 0; }  // libsystemc wants one

int main(int argc, char* argv[]) {
  ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return run_benchmarks(
      argc, argv, {"bench_fabric", tables(), [](const auto& resolve) {
                     resolve(benchmark::RegisterBenchmark("elaboration", elaboration));
                     for (const FabricScenario& scenario : fabric_scenarios())
                       resolve(benchmark::RegisterBenchmark(scenario.name, fabric, scenario));
                     resolve(benchmark::RegisterBenchmark("all_to_all_on_16_sips", sixteen_sips));
                   }});
}
