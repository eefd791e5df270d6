// Requests and limits of serving tests.
#pragma once

#include <vector>

#include "sw/serving/serving_run.h"

namespace kernbench::test {

inline serving::Request request_at(std::uint64_t arrival_ns, std::uint32_t prompt_tokens,
                                   std::uint32_t output_tokens) {
  return {arrival_ns * fs_per_ns, prompt_tokens, output_tokens};
}

inline std::vector<Fs> times_ns(std::vector<Fs> times) {
  for (Fs& time : times) time *= fs_per_ns;
  return times;
}

// Every iteration takes 10 ns.
inline Fs ten_ns(const serving::Batch&) { return 10 * fs_per_ns; }

// A field of all iterations.
template <class Field>
std::vector<std::uint32_t> column(const serving::ServingRun& run, Field field) {
  std::vector<std::uint32_t> values;
  for (const serving::IterationRecord& row : run.iterations) values.push_back(row.*field);
  return values;
}

}  // namespace kernbench::test
