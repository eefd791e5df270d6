// llm-serve: a request trace through a server with continuous batching and a paged KV cache, on a
// model that is tensor-parallel over SIPs. Scheduler and metrics are in sw/serving, an iteration on
// the machine in served_model.h.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/base/errors.h"
#include "sw/benches/bench_registry.h"
#include "sw/benches/model_ranks.h"
#include "sw/benches/served_model.h"
#include "sw/models/memory_need.h"
#include "sw/serving/iteration_memo.h"
#include "sw/serving/serving_metrics.h"

namespace kernbench::benches {
namespace {

constexpr const char* bench_name = "llm-serve";

ParameterSchema schema() {
  return {
      model_parameter("model whose layers are served"),
      size_parameter(),
      count_of("num_layers", "layers of the model; 0: the model's, of the reduced size 4"),
      choice("layers",
             "one: an iteration is one simulated layer, times their number, and the LM head, once "
             "for each shape of batch; exact: all layers of every iteration are simulated",
             {"one", "exact"}),
      count_of("bucket", "with layers=one contexts are rounded up to a multiple of it, in tokens",
               16),
      tp_parameter(),
      Parameter::text("trace",
                      "CSV of requests: arrival_ns (us, ms, s), prompt_tokens, output_tokens, or "
                      "the columns of LLMServingSim or Vidur; empty: generated",
                      "spec 7")
          .default_val(""),
      count_of("requests", "requests to generate", 8),
      Parameter::decimal("rate_per_s", "mean rate of their arrivals (Poisson); 0: all at once",
                         "1/s", "spec 7")
          .default_val("10000")
          .range("0", "1000000000"),
      Parameter::text("prompt",
                      "tokens of a prompt: N, uniform(LOW,HIGH) or "
                      "lognormal(MEDIAN,SIGMA,LONGEST)",
                      "spec 7")
          .default_val("uniform(4,24)"),
      Parameter::text("output", "tokens of an output, as prompt", "spec 7")
          .default_val("uniform(2,6)"),
      Parameter::integer("seed", "seed of the generated requests", "", "spec 7")
          .default_val(1)
          .range("0", "1000000000"),
      count_of("max_batched_tokens", "new tokens of an iteration at most", 32),
      count_of("max_sequences", "running sequences at most", 4),
      Parameter::boolean("chunked_prefill", "a prompt may be split over iterations", "spec 7")
          .default_val(true),
      count_of("block_tokens", "tokens of a block of the KV cache", 16),
      count_of("blocks",
               "blocks of the KV cache; 0: as many as fit the HBM next to the weights, with --data "
               "off",
               0)
          .default_val(16),
      count_of("max_model_tokens",
               "tokens of prompt and output of a request at most; 0: the model's"),
      count_of("max_waiting", "requests in the queue at most; more end the run", 4096),
      float_dtype("element type of weights, activations and cache"),
      cubes_parameter(1),
      pes_parameter()};
}

// UsageError if a parameter that has no effect differs from its default.
void refuse_changes(const Attributes& given, const std::vector<std::string>& names,
                    const std::string& reason) {
  const Attributes defaults = defaults_of(schema());
  for (const std::string& name : names) {
    const ParameterValue &found = given.values().at(name), &usual = defaults.values().at(name);
    if (found != usual)
      throw UsageError(fmt::format("{}: {} is {}, which has no effect {}; allowed: {}", bench_name,
                                   name, format_value(found), reason, format_value(usual)));
  }
}

std::vector<serving::Request> requests_of(const Attributes& given) {
  const std::string& trace = given.text("trace");
  if (!trace.empty()) {
    refuse_changes(given, {"requests", "rate_per_s", "prompt", "output", "seed"}, "with a trace");
    return serving::read_request_trace(trace);
  }
  serving::TraceRecipe recipe;
  recipe.requests = static_cast<std::uint64_t>(given.integer("requests"));
  recipe.requests_per_s = given.decimal("rate_per_s").to_double();
  recipe.prompt = serving::parse_length_distribution("prompt", given.text("prompt"));
  recipe.output = serving::parse_length_distribution("output", given.text("output"));
  recipe.seed = static_cast<std::uint64_t>(given.integer("seed"));
  return serving::generate_requests(recipe);
}

ModelSpec model_of(const Attributes& given) {
  ModelSpec model = selected_model(given);
  if (given.text("size") == "reduced") model.layers = 4;
  if (given.integer("num_layers") != 0) model.layers = given.integer("num_layers");
  check_model(model);
  return model;
}

serving::ServingLimits limits_of(const Attributes& given, const ModelSpec& model) {
  const auto count = [&given](const char* name) {
    return static_cast<std::uint32_t>(given.integer(name));
  };
  serving::ServingLimits limits;
  limits.max_batched_tokens = count("max_batched_tokens");
  limits.max_sequences = count("max_sequences");
  limits.chunked_prefill = given.flag("chunked_prefill");
  limits.block_tokens = count("block_tokens");
  limits.blocks = count("blocks");
  limits.max_model_tokens = count("max_model_tokens");
  limits.max_waiting = count("max_waiting");
  if (limits.max_model_tokens > model.max_positions)
    throw UsageError(
        fmt::format("{}: max_model_tokens is {}, allowed: 1 to the {} positions of {}, or 0: these",
                    bench_name, limits.max_model_tokens, model.max_positions, model.name));
  if (limits.max_model_tokens == 0)
    limits.max_model_tokens = static_cast<std::uint32_t>(model.max_positions);
  return limits;
}

// Blocks of the KV cache: those given, or as many as fit the HBM of a rank next to the weights of
// all layers and the activations of the largest batch. UsageError if these do not fit.
std::uint32_t blocks_of(const Torch& torch, const ServedSetup& setup) {
  const serving::ServingLimits& limits = setup.limits;
  const MachineDescription& machine = torch.spec();
  const auto memory = static_cast<std::uint64_t>(setup.grid.count()) * machine.hbm_slice_bytes;
  ModelStep step;
  step.sequences = limits.max_sequences;
  step.new_tokens = step.context =
      (limits.max_batched_tokens + limits.max_sequences - 1) / limits.max_sequences;
  step.weights = step.activations = step.kv_cache = setup.dtype;
  check_memory(setup.model, setup.parallelism, step, memory, machine.sips);
  const MemoryNeed need = memory_need(setup.model, setup.parallelism, step);
  const std::uint64_t block = need.kv_cache /
                              static_cast<std::uint64_t>(step.sequences * step.context) *
                              limits.block_tokens;
  const std::uint64_t fit = std::min<std::uint64_t>(
      (memory - need.weights - need.activations) / block, std::numeric_limits<std::int32_t>::max());
  if (limits.blocks > fit || fit == 0)
    throw UsageError(fmt::format(
        "{}: {} blocks of {} tokens need {} bytes each on a SIP; allowed: up to {}, which fit next "
        "to the weights",
        bench_name, limits.blocks, limits.block_tokens, block, fit));
  if (limits.blocks != 0) return limits.blocks;
  if (torch.with_data())
    throw UsageError(fmt::format(
        "{}: blocks is 0, all {} that fit the HBM; allowed with values: 1 to {}, or --data off",
        bench_name, fit, fit));
  return static_cast<std::uint32_t>(fit);
}

std::uint32_t bucket_of(const Attributes& given) {
  return static_cast<std::uint32_t>(given.integer("bucket"));
}

ServedSetup setup_of(const Torch& torch) {
  const Attributes& given = torch.parameters();
  ServedSetup setup;
  setup.model = model_of(given);
  setup.parallelism.tp = selected_tp(torch, bench_name);
  setup.dtype = parse_dtype(given.text("dtype"));
  setup.grid = selected_grid(torch, bench_name);
  setup.all_layers = given.text("layers") == "exact";
  setup.limits = limits_of(given, setup.model);
  if (setup.all_layers)
    refuse_changes(given, {"bucket"}, "with layers=exact");
  else
    setup.extra_blocks = serving::IterationMemo::extra_blocks(setup.limits, bucket_of(given));
  return setup;
}

// Iterations whose time was simulated, and those that have the time of an earlier one.
struct SimulatedIterations {
  std::uint64_t simulated = 0, repeated = 0;
};

void report(Torch& torch, const ServedSetup& setup, const serving::ServingRun& run,
            const SimulatedIterations& iterations) {
  const auto publish = [&torch](ResultTable table) -> ResultTable& {
    ResultTable& place = torch.results(table.name(), table.columns());
    return place = std::move(table);
  };
  const auto number = [](std::uint64_t count) { return static_cast<std::int64_t>(count); };
  ResultTable& metrics = publish(serving::metrics_table(run));
  metrics.add_summary({"layers", "layers of the model", setup.model.layers});
  metrics.add_summary({"simulated_layers",
                       setup.all_layers ? "simulated layers of an iteration"
                                        : "simulated layers of an iteration; time counts for all",
                       setup.simulated_layers()});
  metrics.add_summary(
      {"simulated_iterations", "simulated iterations", number(iterations.simulated)});
  metrics.add_summary({"repeated_iterations", "iterations of a shape simulated before",
                       number(iterations.repeated)});
  if (!setup.all_layers)
    metrics.add_summary({"bucket_tokens", "contexts of a shape are rounded up to, tokens",
                         std::int64_t{bucket_of(torch.parameters())}});
  publish(serving::request_table(run));
  publish(serving::iteration_table(run));
}

void serve_on_rank(Torch& torch, const ServedSetup& setup,
                   const std::vector<serving::Request>& requests, ServedModel model, bool reports) {
  serving::IterationMemo memo(std::ref(model), setup.limits, bucket_of(torch.parameters()));
  const serving::ServingRun run = setup.all_layers
                                      ? serving::serve(requests, setup.limits, std::ref(model))
                                      : serving::serve(requests, setup.limits, std::ref(memo));
  if (!reports) return;
  report(torch, setup, run,
         setup.all_layers ? SimulatedIterations{run.iterations.size(), 0}
                          : SimulatedIterations{memo.misses(), memo.hits()});
}

void run(Torch& torch) {
  ServedSetup setup = setup_of(torch);
  setup.limits.blocks = blocks_of(torch, setup);
  const std::vector<serving::Request> requests = requests_of(torch.parameters());
  serving::check_limits(setup.limits, requests);
  const auto reference =
      torch.with_data() ? std::make_shared<ServedReference>(torch, setup, requests) : nullptr;
  on_tensor_parallel_ranks(
      torch, bench_name, setup.parallelism.tp, [&](int rank, const Group& group) {
        serve_on_rank(torch, setup, requests, {torch, setup, rank, group, reference}, rank == 0);
      });
}

}  // namespace

void register_llm_serve(BenchRegistry& registry) {
  Bench bench{bench_name,
              "An LLM server: request trace, continuous batching, paged KV cache; TTFT, TPOT, "
              "throughput",
              schema(), &run, &cubes_of_ranks};
  bench.per_device = false;
  registry.add(std::move(bench));
}

}  // namespace kernbench::benches
