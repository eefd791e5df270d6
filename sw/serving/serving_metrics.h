// Metrics of a serving run, as defined by vLLM's benchmark (`vllm bench serve`), and its tables.
#pragma once

#include "sw/runtime/result_table.h"
#include "sw/serving/serving_run.h"

namespace kernbench::serving {

// Distribution of a set of times. Percentiles interpolate linearly between the closest ranks, as
// numpy's: percentile p of n sorted values is at position p / 100 * (n - 1). All 0 for an empty
// set.
struct TimeDistribution {
  std::size_t count = 0;
  double mean_ns = 0, p50_ns = 0, p95_ns = 0, p99_ns = 0, max_ns = 0;
};
TimeDistribution distribution_of(std::vector<double> times_ns);

struct ServingMetrics {
  TimeDistribution ttft;     // arrival to first output token
  TimeDistribution tpot;     // (latency - ttft) / (output tokens - 1), requests of at least 2
  TimeDistribution itl;      // between consecutive output tokens of a request, over all requests
  TimeDistribution latency;  // arrival to last output token
  double duration_ns = 0;    // first arrival to last output token
  // Over the duration. Input tokens are those of prompts; recomputation does not count.
  double requests_per_s = 0, input_tokens_per_s = 0, output_tokens_per_s = 0;
  double mean_used_blocks = 0;  // over the duration; 0 outside iterations
  std::uint32_t peak_used_blocks = 0;
  double mean_waiting = 0;  // requests in the queue, over the duration
  std::uint32_t peak_waiting = 0;
  std::uint64_t preemptions = 0, recomputed_tokens = 0;
};
ServingMetrics metrics_of(const ServingRun& run);

// "serving": a row for each latency, the rest of the metrics as summary.
ResultTable metrics_table(const ServingRun& run);
// "serving requests", in the order of the trace.
ResultTable request_table(const ServingRun& run);
// "serving iterations".
ResultTable iteration_table(const ServingRun& run);

}  // namespace kernbench::serving
