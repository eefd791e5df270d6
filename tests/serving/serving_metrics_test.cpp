// Metrics of serving (spec 7): definitions of vLLM's benchmark, by hand.
#include "sw/serving/serving_metrics.h"

#include <boost/test/unit_test.hpp>

#include "tests/serving/serving_cases.h"

using namespace kernbench;
using namespace kernbench::serving;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(serving_metrics_test, *boost::unit_test::tolerance(1e-12))

// Percentile p of four values is at position 3 p / 100: 1.5, 2.85 and 2.97.
BOOST_AUTO_TEST_CASE(percentiles_interpolate_between_the_closest_ranks) {
  const TimeDistribution times = distribution_of({40, 10, 30, 20});
  BOOST_TEST(times.count == 4U);
  BOOST_TEST(times.mean_ns == 25);
  BOOST_TEST(times.p50_ns == 25);
  BOOST_TEST(times.p95_ns == 38.5);
  BOOST_TEST(times.p99_ns == 39.7);
  BOOST_TEST(times.max_ns == 40);
  BOOST_TEST(distribution_of({7}).p99_ns == 7);
  BOOST_TEST(distribution_of({}).count == 0U);
}

namespace {

// Tokens of r0 at 10, 20, 30 ns, of r1 at 30, 40 ns (serving_run_test.cpp), shifted by 100 ns.
ServingRun two_requests() {
  ServingLimits limits;
  limits.block_tokens = 4;
  limits.blocks = 10;
  return serve({request_at(100, 4, 3), request_at(115, 5, 2)}, limits, ten_ns);
}

}  // namespace

BOOST_AUTO_TEST_CASE(latencies_begin_at_the_arrival) {
  const ServingMetrics metrics = metrics_of(two_requests());
  // 10 - 0 and 30 - 15
  BOOST_TEST(metrics.ttft.mean_ns == 12.5);
  BOOST_TEST(metrics.ttft.max_ns == 15);
  // 30 - 0 and 40 - 15
  BOOST_TEST(metrics.latency.mean_ns == 27.5);
  // (30 - 10) / 2 and (25 - 15) / 1
  BOOST_TEST(metrics.tpot.count == 2U);
  BOOST_TEST(metrics.tpot.mean_ns == 10);
  BOOST_TEST(metrics.itl.count == 3U);
  BOOST_TEST(metrics.itl.max_ns == 10);
}

// Duration: 100 to 140 ns.
BOOST_AUTO_TEST_CASE(throughput_is_over_first_arrival_to_last_token) {
  const ServingMetrics metrics = metrics_of(two_requests());
  BOOST_TEST(metrics.duration_ns == 40);
  BOOST_TEST(metrics.requests_per_s == 2 / 40e-9);
  BOOST_TEST(metrics.input_tokens_per_s == 9 / 40e-9);
  BOOST_TEST(metrics.output_tokens_per_s == 5 / 40e-9);
}

// Tokens in the cache at the end of each iteration: 4, 5, 6 + 5, 6; blocks of 4: 1, 2, 2 + 2, 2.
// r1 waits 5 ns of 40.
BOOST_AUTO_TEST_CASE(cache_and_queue_are_averaged_over_the_duration) {
  const ServingMetrics metrics = metrics_of(two_requests());
  BOOST_TEST(metrics.mean_used_blocks == (1 + 2 + 4 + 2) / 4.0);
  BOOST_TEST(metrics.peak_used_blocks == 4U);
  BOOST_TEST(metrics.mean_waiting == 5 / 40.0);
  BOOST_TEST(metrics.peak_waiting == 1U);
}

// 2 blocks of 16 tokens from 0 to 320 ns, none until 390 ns, 1 until 400 ns.
BOOST_AUTO_TEST_CASE(used_blocks_are_weighted_by_time_and_none_is_used_when_idle) {
  const ServingMetrics metrics =
      metrics_of(serve({request_at(0, 32, 1), request_at(390, 1, 1)}, {}, [](const Batch& batch) {
        return 10 * fs_per_ns * batch.front().new_tokens;
      }));
  BOOST_TEST(metrics.duration_ns == 400);
  BOOST_TEST(metrics.mean_used_blocks == (2 * 320 + 10) / 400.0);
  BOOST_TEST(metrics.mean_waiting == 0);
}

BOOST_AUTO_TEST_CASE(tables_have_a_row_per_latency_request_and_iteration) {
  const ServingRun run = two_requests();
  const auto number = [](const ResultTable& table, std::size_t row, const char* column) {
    return std::get<double>(table.rows().at(row).at(table.column(column)));
  };
  const ResultTable metrics = metrics_table(run);
  BOOST_TEST(metrics.rows().size() == 4U);
  BOOST_TEST(std::get<std::string>(metrics.rows()[0][0]) == "ttft");
  BOOST_TEST(number(metrics, 0, "mean_ns") == 12.5);
  bool found = false;
  for (const ResultTable::Summary& summary : metrics.summaries()) {
    if (summary.name != "kv_used_peak_pct") continue;
    found = true;
    BOOST_TEST(std::get<double>(summary.value) == 40);
  }
  BOOST_TEST(found);

  const ResultTable requests = request_table(run);
  BOOST_TEST(requests.rows().size() == 2U);
  BOOST_TEST(number(requests, 1, "waited_ns") == 5);
  BOOST_TEST(number(requests, 1, "ttft_ns") == 15);
  BOOST_TEST(number(requests, 1, "latency_ns") == 25);

  const ResultTable iterations = iteration_table(run);
  BOOST_TEST(iterations.rows().size() == 4U);
  BOOST_TEST(number(iterations, 2, "start_ns") == 120);
}

BOOST_AUTO_TEST_CASE(a_request_of_one_token_has_no_time_per_further_token) {
  const ServingRun run = serve({request_at(0, 1, 1)}, {}, ten_ns);
  const ResultTable requests = request_table(run), metrics = metrics_table(run);
  BOOST_TEST(
      std::holds_alternative<std::monostate>(requests.rows()[0][requests.column("tpot_ns")]));
  BOOST_TEST(std::holds_alternative<std::monostate>(metrics.rows()[1][metrics.column("mean_ns")]));
  BOOST_TEST(std::get<std::int64_t>(metrics.rows()[1][metrics.column("count")]) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
