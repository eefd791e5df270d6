// How often a benchmark is measured: its own option beside those of Google Benchmark.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace kernbench::bench {

// Takes --rounds=N out of the arguments.
inline int take_rounds(int& argc, char* argv[]) {
  const std::string_view option = "--rounds=";
  int rounds = 5;
  char** const end = std::remove_if(argv + 1, argv + argc, [&](const char* argument) {
    if (std::string_view(argument).substr(0, option.size()) != option) return false;
    rounds = std::max(1, std::atoi(argument + option.size()));
    return true;
  });
  argc = static_cast<int>(end - argv);
  return rounds;
}

inline void resolve_rounds(benchmark::internal::Benchmark* b, int rounds) {
  b->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(rounds);
}

}  // namespace kernbench::bench
