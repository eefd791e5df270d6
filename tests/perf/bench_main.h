// Common code of the benchmark programs: options in addition to those of Google Benchmark,
// and the figures of a run as tables of tests/perf/figures.md.
//
//   --rounds=N               how often each benchmark is measured (5)
//   --write-figures[=FILE]   replaces this program's part of the file; all benchmarks run
#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <string>
#include <vector>

namespace kernbench::perf {

struct FiguresColumn {
  std::string heading;
  std::string counter;  // of the benchmark
  int digits = 0;       // behind the point
};

// Of the benchmarks that have all these counters, one row each.
struct FiguresTable {
  std::string title;
  std::vector<FiguresColumn> columns;
};

struct BenchProgram {
  std::string name;  // of the program's part of the file
  std::vector<FiguresTable> tables;
  // Registers every benchmark and hands it to the function, which sets its rounds.
  std::function<void(const std::function<void(benchmark::internal::Benchmark*)>&)> add_benchmarks;
};

// main(): the exit status.
int run_benchmarks(int argc, char* argv[], const BenchProgram& program);

}  // namespace kernbench::perf
