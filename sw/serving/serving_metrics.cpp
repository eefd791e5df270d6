#include "sw/serving/serving_metrics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kernbench::serving {
namespace {

double percentile(const std::vector<double>& sorted, double percent) {
  const double position = percent / 100 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (position - static_cast<double>(below));
}

Fs ttft_of(const Request& request, const RequestRecord& record) {
  return record.token_times.front() - request.arrival;
}

Fs latency_of(const Request& request, const RequestRecord& record) {
  return record.token_times.back() - request.arrival;
}

double tpot_ns(const RequestRecord& record) {
  return to_ns(record.token_times.back() - record.token_times.front()) /
         static_cast<double>(record.token_times.size() - 1);
}

std::int64_t cell(std::uint64_t value) { return static_cast<std::int64_t>(value); }

}  // namespace

TimeDistribution distribution_of(std::vector<double> times_ns) {
  if (times_ns.empty()) return {};
  std::sort(times_ns.begin(), times_ns.end());  // the mean does not depend on the order either
  const double sum = std::accumulate(times_ns.begin(), times_ns.end(), 0.0);
  return {times_ns.size(),          sum / static_cast<double>(times_ns.size()),
          percentile(times_ns, 50), percentile(times_ns, 95),
          percentile(times_ns, 99), times_ns.back()};
}

ServingMetrics metrics_of(const ServingRun& run) {
  ServingMetrics metrics;
  std::vector<double> ttft, tpot, itl, latency;
  double input_tokens = 0, waited_ns = 0, block_ns = 0;
  for (std::size_t i = 0; i < run.requests.size(); ++i) {
    const RequestRecord& record = run.records[i];
    ttft.push_back(to_ns(ttft_of(run.requests[i], record)));
    latency.push_back(to_ns(latency_of(run.requests[i], record)));
    if (record.token_times.size() > 1) tpot.push_back(tpot_ns(record));
    for (std::size_t t = 1; t < record.token_times.size(); ++t)
      itl.push_back(to_ns(record.token_times[t] - record.token_times[t - 1]));
    input_tokens += run.requests[i].prompt_tokens;
    waited_ns += to_ns(record.waited);
    metrics.preemptions += record.preemptions;
  }
  for (const IterationRecord& iteration : run.iterations) {
    block_ns += to_ns(iteration.time) * iteration.used_blocks;
    metrics.peak_used_blocks = std::max(metrics.peak_used_blocks, iteration.used_blocks);
  }
  const IterationRecord& last = run.iterations.back();
  metrics.duration_ns = to_ns(last.start + last.time - run.requests.front().arrival);
  const double seconds = metrics.duration_ns * 1e-9;
  metrics.requests_per_s = static_cast<double>(run.requests.size()) / seconds;
  metrics.input_tokens_per_s = input_tokens / seconds;
  metrics.output_tokens_per_s = static_cast<double>(itl.size() + ttft.size()) / seconds;
  metrics.mean_used_blocks = block_ns / metrics.duration_ns;
  metrics.mean_waiting = waited_ns / metrics.duration_ns;
  metrics.peak_waiting = run.peak_waiting;
  metrics.recomputed_tokens = run.recomputed_tokens;
  metrics.ttft = distribution_of(std::move(ttft));
  metrics.tpot = distribution_of(std::move(tpot));
  metrics.itl = distribution_of(std::move(itl));
  metrics.latency = distribution_of(std::move(latency));
  return metrics;
}

ResultTable metrics_table(const ServingRun& run) {
  const ServingMetrics metrics = metrics_of(run);
  ResultTable table("serving",
                    {"time", "count", "mean_ns", "p50_ns", "p95_ns", "p99_ns", "max_ns"});
  const auto add = [&table](const char* name, const TimeDistribution& times) {
    std::vector<ResultTable::Cell> row{name,         cell(times.count), times.mean_ns, times.p50_ns,
                                       times.p95_ns, times.p99_ns,      times.max_ns};
    // No request has a second token.
    if (times.count == 0) std::fill(row.begin() + 2, row.end(), std::monostate{});
    table.add(std::move(row));
  };
  add("ttft", metrics.ttft);
  add("tpot", metrics.tpot);
  add("itl", metrics.itl);
  add("latency", metrics.latency);
  const double blocks = run.limits.blocks;
  table.add_summary({"requests", "requests", cell(run.requests.size())});
  table.add_summary({"iterations", "iterations", cell(run.iterations.size())});
  table.add_summary({"duration_ns", "duration, ns", metrics.duration_ns});
  table.add_summary({"requests_per_s", "requests/s", metrics.requests_per_s});
  table.add_summary({"input_tokens_per_s", "input tokens/s", metrics.input_tokens_per_s});
  table.add_summary({"output_tokens_per_s", "output tokens/s", metrics.output_tokens_per_s});
  table.add_summary({"kv_blocks", "KV blocks", cell(run.limits.blocks)});
  table.add_summary(
      {"kv_used_mean_pct", "KV blocks in use, mean, %", 100 * metrics.mean_used_blocks / blocks});
  table.add_summary(
      {"kv_used_peak_pct", "KV blocks in use, peak, %", 100 * metrics.peak_used_blocks / blocks});
  table.add_summary({"waiting_mean", "waiting requests, mean", metrics.mean_waiting});
  table.add_summary({"waiting_peak", "waiting requests, peak", cell(metrics.peak_waiting)});
  table.add_summary({"preemptions", "preemptions", cell(metrics.preemptions)});
  table.add_summary({"recomputed_tokens", "recomputed tokens", cell(metrics.recomputed_tokens)});
  return table;
}

ResultTable request_table(const ServingRun& run) {
  ResultTable table("serving requests", {"request", "arrival_ns", "prompt_tokens", "output_tokens",
                                         "first_scheduled_ns", "waited_ns", "ttft_ns", "tpot_ns",
                                         "latency_ns", "preemptions"});
  for (std::size_t i = 0; i < run.requests.size(); ++i) {
    const Request& request = run.requests[i];
    const RequestRecord& record = run.records[i];
    ResultTable::Cell tpot;
    if (request.output_tokens > 1) tpot = tpot_ns(record);
    table.add({cell(i), to_ns(request.arrival), cell(request.prompt_tokens),
               cell(request.output_tokens), to_ns(record.first_scheduled), to_ns(record.waited),
               to_ns(ttft_of(request, record)), std::move(tpot), to_ns(latency_of(request, record)),
               cell(record.preemptions)});
  }
  return table;
}

ResultTable iteration_table(const ServingRun& run) {
  ResultTable table("serving iterations",
                    {"iteration", "start_ns", "time_ns", "sequences", "prefill_tokens",
                     "decode_tokens", "waiting", "used_blocks", "preemptions", "finished"});
  for (std::size_t i = 0; i < run.iterations.size(); ++i) {
    const IterationRecord& row = run.iterations[i];
    table.add({cell(i), to_ns(row.start), to_ns(row.time), cell(row.sequences),
               cell(row.prefill_tokens), cell(row.decode_tokens), cell(row.waiting),
               cell(row.used_blocks), cell(row.preemptions), cell(row.finished)});
  }
  return table;
}

}  // namespace kernbench::serving
