// The bench llm-serve: an LLM server on the machine (spec 7, 10.3).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/benches/verified_runs.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torch_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(llm_serve)

namespace {

// The reduced model: hidden 12 * 32, vocabulary 3072.
constexpr std::uint64_t hidden = 12 * 32, vocabulary = 3072;

// Numbers of a run: columns of the two tables of rows, and the summary, with the distributions.
struct Served {
  std::map<std::string, std::vector<double>> requests, iterations;
  std::map<std::string, double> summary;  // also "ttft.mean_ns" and so on

  // Sum over the iterations.
  double total(const std::string& column) const {
    double sum = 0;
    for (const double value : iterations.at(column)) sum += value;
    return sum;
  }
};

double number_in(const ResultTable::Cell& cell) {
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*count);
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  return -1;  // empty
}

std::map<std::string, std::vector<double>> columns_of(const ResultTable& table) {
  std::map<std::string, std::vector<double>> columns;
  for (const std::string& name : table.columns()) {
    for (const auto& row : table.rows())
      columns[name].push_back(number_in(row[table.column(name)]));
  }
  return columns;
}

// A verified run; `verified`: number of elements, or 0: any, but some.
Served serve(const Parameters& parameters, const BenchRunOptions& options = {},
             std::uint64_t verified = 0) {
  const auto [tables, summary] = forked_value([&] {
    const BenchOutcome outcome = run_bench("llm-serve", parameters, options);
    BOOST_TEST(outcome.status == "completed", outcome.error);
    BOOST_TEST(outcome.failures == "", outcome.failures);
    if (options.data != DataMode::off) BOOST_TEST(outcome.verified > 0U);
    if (verified != 0) BOOST_TEST(outcome.verified == verified);
    // Next to them: the collectives of several ranks.
    const auto table = [&outcome](const std::string& name) -> const ResultTable& {
      for (const ResultTable& each : outcome.results) {
        if (each.name() == name) return each;
      }
      throw std::runtime_error("no table '" + name + "'");
    };
    std::map<std::string, double> numbers;
    const ResultTable& metrics = table("serving");
    for (const ResultTable::Summary& each : metrics.summaries())
      numbers[each.name] = number_in(each.value);
    for (const auto& row : metrics.rows()) {
      for (std::size_t i = 1; i < row.size(); ++i)
        numbers[std::get<std::string>(row[0]) + "." + metrics.columns()[i]] = number_in(row[i]);
    }
    return std::make_pair(std::make_pair(columns_of(table("serving requests")),
                                         columns_of(table("serving iterations"))),
                          numbers);
  });
  return {tables.first, tables.second, summary};
}

struct Line {
  std::uint64_t arrival_ns = 0;
  int prompt = 1, output = 1;
};

std::string trace_of(const std::vector<Line>& requests) {
  std::string text = "arrival_ns,prompt_tokens,output_tokens\n";
  for (const auto& [arrival, prompt, output] : requests)
    text += fmt::format("{},{},{}\n", arrival, prompt, output);
  return text;
}

Served serve_trace(const std::string& text, Parameters parameters,
                   const BenchRunOptions& options = {}, std::uint64_t verified = 0) {
  const TemporaryFile file("trace.csv", text);
  parameters.emplace_back("trace", file.path());
  return serve(parameters, options, verified);
}

BenchRunOptions without_data() {
  BenchRunOptions options;
  options.data = DataMode::off;
  return options;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_reports_each_request_and_each_iteration) {
  const Served run = serve({});
  BOOST_TEST(run.requests.at("request").size() == 8U);
  const std::size_t iterations = run.iterations.at("iteration").size();
  BOOST_TEST(run.summary.at("iterations") == static_cast<double>(iterations));
  // Time of one of 4 layers for each shape of batch.
  BOOST_TEST(run.summary.at("layers") == 4);
  BOOST_TEST(run.summary.at("simulated_layers") == 1);
  BOOST_TEST(run.summary.at("bucket_tokens") == 16);
  BOOST_TEST(run.summary.at("simulated_iterations") + run.summary.at("repeated_iterations") ==
             static_cast<double>(iterations));
  BOOST_TEST(run.summary.at("repeated_iterations") > 0);
}

// 5 new tokens, then one after them: hidden states of each, and logits of each one that emits.
BOOST_AUTO_TEST_CASE(hidden_states_and_logits_of_each_simulated_iteration_are_verified) {
  const std::string trace = trace_of({{0, 5, 2}});
  serve_trace(trace, {{"layers", "exact"}}, {}, 6 * hidden + 2 * vocabulary);
  // The LM head of one token is simulated once.
  serve_trace(trace, {}, {}, 6 * hidden + vocabulary);
}

// Layer norm, biases, GELU, a KV head for each query head; experts.
BOOST_AUTO_TEST_CASE(each_preset_is_served) {
  for (const char* model : {"gpt3-175b", "mixtral-8x7b"})
    serve({{"model", model}, {"layers", "exact"}, {"num_layers", "2"}, {"requests", "3"}});
}

// A cache of 6 blocks of 4 tokens does not hold requests of 15 and 13 tokens: the later one is
// preempted, and computed again in blocks that others have freed. The reference has tokens of its
// own for each request.
BOOST_AUTO_TEST_CASE(values_are_right_with_preemption_and_chunks) {
  const Served run =
      serve_trace(trace_of({{0, 9, 6}, {0, 7, 6}, {0, 3, 2}}), {{"layers", "exact"},
                                                                {"num_layers", "2"},
                                                                {"blocks", "6"},
                                                                {"block_tokens", "4"},
                                                                {"max_batched_tokens", "6"}});
  BOOST_TEST(run.summary.at("preemptions") > 0);
  BOOST_TEST(run.summary.at("recomputed_tokens") > 0);
  BOOST_TEST(run.summary.at("kv_used_peak_pct") == 100);
  // Chunks of at most 6 tokens; recomputed tokens in addition to those of prompts and outputs.
  BOOST_TEST(run.total("prefill_tokens") + run.total("decode_tokens") ==
             9 + 7 + 3 + (6 + 6 + 2) - 3 + run.summary.at("recomputed_tokens"));
}

// Layers of one model have the same extents, so that the time of one counts for each. Rounded
// contexts make an iteration longer; other deviations come from the order of the batch and its
// blocks, which are those of the first batch of a shape.
BOOST_AUTO_TEST_CASE(one_layer_times_their_number_deviates_little_from_all_layers) {
  const Parameters common{{"num_layers", "3"}};
  const auto with = [&common](const Parameters& more) {
    Parameters all = common;
    all.insert(all.end(), more.begin(), more.end());
    return serve(all, without_data());
  };
  const Served exact = with({{"layers", "exact"}});
  for (const auto& [bucket, bound_pct] : {std::make_pair("1", 1.0), std::make_pair("16", 5.0)}) {
    const Served one = with({{"bucket", bucket}});
    for (const char* metric : {"ttft.mean_ns", "tpot.mean_ns", "itl.p99_ns", "latency.mean_ns",
                               "duration_ns", "output_tokens_per_s"}) {
      const double deviation_pct = 100 * (one.summary.at(metric) / exact.summary.at(metric) - 1);
      BOOST_TEST_MESSAGE(fmt::format("bucket {}: {} deviates by {:+.3f} % from all layers", bucket,
                                     metric, deviation_pct));
      BOOST_TEST(std::abs(deviation_pct) < bound_pct, metric << ": " << deviation_pct << " %");
    }
  }
}

// Requests of 8 tokens and one output token, one at a time: each iteration has the same shape and
// takes T. With gaps of G between arrivals, request i waits max(0, wait of i - 1 + T - G).
BOOST_AUTO_TEST_CASE(waiting_times_of_equal_requests_are_those_computed_by_hand) {
  const Parameters one_at_a_time{{"max_sequences", "1"}};
  const double t =
      serve_trace(trace_of({{0, 8, 1}}), one_at_a_time).iterations.at("time_ns").front();
  for (const double gap : {0.0, std::floor(t / 4), std::floor(2 * t)}) {
    std::vector<Line> requests;
    for (std::uint64_t i = 0; i < 6; ++i)
      requests.push_back({i * static_cast<std::uint64_t>(gap), 8, 1});
    const Served run = serve_trace(trace_of(requests), one_at_a_time, without_data());
    double wait = 0, sum = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      if (i > 0) wait = std::max(0.0, wait + t - gap);
      BOOST_TEST(std::abs(run.requests.at("waited_ns")[i] - wait) < 1e-3, gap << " " << i);
      BOOST_TEST(std::abs(run.requests.at("ttft_ns")[i] - (wait + t)) < 1e-3);
      sum += wait + t;
    }
    BOOST_TEST(std::abs(run.summary.at("ttft.mean_ns") - sum / 6) < 1e-3);
    BOOST_TEST(run.summary.at("simulated_iterations") == 1);
  }
}

BOOST_AUTO_TEST_CASE(ranks_serve_together) {
  BenchRunOptions two, three;
  two.overrides = sips("ring_1d", 2);
  three.overrides = sips("ring_1d", 3);
  const Parameters few{{"layers", "exact"}, {"num_layers", "2"}, {"requests", "3"}, {"tp", "2"}};
  const Served of_two = serve(few, two), of_three = serve(few, three);
  BOOST_TEST(of_two.summary.at("iterations") > 0);
  BOOST_TEST(of_three.summary.at("iterations") > 0);
  // The installation of rings is not part of an iteration: the first one is as long as a later one
  // of the same shape.
  const std::vector<double> times =
      serve_trace(trace_of({{0, 8, 1}, {1, 8, 1}}),
                  {{"layers", "exact"}, {"max_sequences", "1"}, {"num_layers", "1"}, {"tp", "2"}},
                  three)
          .iterations.at("time_ns");
  BOOST_TEST(std::abs(times[0] - times[1]) < 0.01 * times[1], times[0] << " " << times[1]);
}

// The first requests of LLMServingSim's share-gpt-req100-rate10.tsv, and the same ones in Vidur's
// columns and in ours.
BOOST_AUTO_TEST_CASE(traces_of_other_simulators_are_played) {
  const char* const llm_serving_sim =
      "input_toks\toutput_toks\tarrival_time_"
      "ns\n10\t7\t46926808\n22\t10\t347938952\n4\t1\t347938953"
      "\n";
  const char* const vidur =
      "arrived_at,num_prefill_tokens,num_decode_tokens\n0.046926808,10,7\n0.347938952,22,10\n"
      "0.347938953,4,1\n";
  const Served first = serve_trace(llm_serving_sim, {}, without_data());
  BOOST_TEST(first.requests.at("arrival_ns") ==
             (std::vector<double>{46926808, 347938952, 347938953}));
  for (const std::string& trace :
       {std::string(vidur),
        trace_of({{46926808, 10, 7}, {347938952, 22, 10}, {347938953, 4, 1}})}) {
    const Served other = serve_trace(trace, {}, without_data());
    BOOST_TEST((other.requests == first.requests));
    BOOST_TEST((other.summary == first.summary));
  }
}

BOOST_AUTO_TEST_CASE(blocks_that_fit_the_memory_are_used) {
  // 48 GiB in 8 partitions; a block of 16 tokens of 4 layers and 2 KV heads: 16 KiB.
  const Served run = serve({{"blocks", "0"}, {"requests", "2"}}, without_data());
  const double blocks = 48.0 * (1U << 30U) / (16 * 4 * 2 * 2 * 32 * 2);
  BOOST_TEST(run.summary.at("kv_blocks") < blocks);
  BOOST_TEST(run.summary.at("kv_blocks") > 0.99 * blocks);
}

BOOST_AUTO_TEST_CASE(wrong_parameters_and_traces_are_refused_with_what_is_allowed) {
  const auto refused = [](const Parameters& given, const std::vector<std::string>& parts) {
    std::vector<std::string> all = parts;
    all.insert(all.begin(), "usage");
    check_contains(failure_of("llm-serve", given), all);
  };
  const auto trace_refused = [&](const std::string& text, const std::vector<std::string>& parts) {
    const TemporaryFile file("trace.csv", text);
    refused({{"trace", file.path()}}, parts);
  };
  trace_refused("arrival_ns,prompt_tokens,output_tokens\n", {"trace.csv:1", "has no requests"});
  trace_refused(trace_of({{5, 4, 1}, {4, 4, 1}}),
                {"trace.csv:3: arrival at 4 ns, before that of the preceding row, 5 ns"});
  trace_refused("arrival_ns,prompt_tokens,output_tokens\n0,4,1\n1,-4,1\n2,x,1\n",
                {"trace.csv:3: prompt_tokens is", "-4", "trace.csv:4"});
  trace_refused(trace_of({{0, 8, 1}, {0, 200, 100}}),
                {"request 1 of 2 can never be served", "300 tokens", "the KV cache has 256"});
  trace_refused(trace_of({{0, 8000, 193}}), {"8193 tokens", "max_model_tokens is 8192"});
  refused({{"trace", "/nowhere.csv"}}, {"cannot read", "/nowhere.csv"});
  refused({{"trace", "/nowhere.csv"}, {"requests", "9"}},
          {"requests is 9, which has no effect with a trace; allowed: 8"});
  refused({{"layers", "exact"}, {"bucket", "8"}},
          {"bucket is 8, which has no effect with layers=exact; allowed: 16"});
  refused({{"rate_per_s", "0"}, {"max_waiting", "3"}, {"max_sequences", "2"}},
          {"the server is overloaded", "allowed is max_waiting, 3"});
  refused({{"prompt", "normal(3,4)"}}, {"prompt is", "allowed is N, uniform(LOW,HIGH)"});
  refused({{"max_batched_tokens", "3"}}, {"max_batched_tokens is 3, allowed is at least"});
  refused({{"chunked_prefill", "false"}, {"prompt", "40"}}, {"without chunked prefill"});
  refused({{"max_model_tokens", "8193"}}, {"max_model_tokens is 8193, allowed: 1 to the 8192"});
  refused({{"blocks", "0"}}, {"blocks is 0", "--data off"});
  refused({{"num_layers", "200000"}, {"blocks", "1000"}}, {"GiB"});
  refused({{"tp", "2"}}, {"tp is 2, allowed: up to the 1 SIPs"});
}

// The rate at which requests arrive exceeds what the server can do.
BOOST_AUTO_TEST_CASE(ranks_report_an_overload) {
  BenchRunOptions two;
  two.overrides = sips("ring_1d", 2);
  two.data = DataMode::off;
  const std::string failure = failure_of(
      "llm-serve", {{"rate_per_s", "0"}, {"max_waiting", "3"}, {"max_sequences", "2"}}, two);
  check_contains(failure, {"usage", "the server is overloaded"});
}

BOOST_AUTO_TEST_SUITE_END()
