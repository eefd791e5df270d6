// llama-layer: one layer of a transformer (Llama 3, Mixtral, GPT-3), tensor-parallel over SIPs.
// The layer is in sw/models/layer.h, its kernels in sw/ops.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "models/base/errors.h"
#include "sw/benches/bench_registry.h"
#include "sw/benches/layer_reference.h"
#include "sw/benches/model_ranks.h"
#include "sw/models/memory_need.h"

namespace kernbench::benches {
namespace {

constexpr const char* bench_name = "llama-layer";

// Model, batch and placement selected by the parameters.
struct LayerRun {
  ModelSpec model;
  Parallelism parallelism;
  ops::TokenBatch batch;
  std::int64_t capacity = 0;
  DType dtype = DType::f16;
  int chunks = 1;
  Routing routing = Routing::balanced;
  ops::PeGrid grid;
  Placement weights_over_cubes = Placement::column_wise, weights_over_pes = Placement::column_wise;

  // Contiguous: a block of each sequence.
  ops::CacheShape cache(std::int64_t kv_heads) const {
    return {static_cast<std::int64_t>(batch.sequences.size()), capacity, kv_heads, model.d_head};
  }
};

ModelSpec model_of(const Attributes& given) {
  ModelSpec model = selected_model(given);
  const std::pair<const char*, std::int64_t ModelSpec::*> extents[] = {
      {"q_heads", &ModelSpec::q_heads}, {"kv_heads", &ModelSpec::kv_heads},
      {"d_head", &ModelSpec::d_head},   {"ffn", &ModelSpec::ffn},
      {"experts", &ModelSpec::experts}, {"top_k", &ModelSpec::top_k},
      {"vocab", &ModelSpec::vocab},     {"layers", &ModelSpec::layers}};
  for (const auto& [name, member] : extents) {
    if (given.integer(name) != 0) model.*member = given.integer(name);
  }
  model.hidden = model.q_heads * model.d_head;
  check_model(model);
  return model;
}

ops::TokenBatch batch_of(const Attributes& given) {
  const std::string phase = given.text("phase");
  if (phase == "decode" && given.integer("new_tokens") != 0)
    throw UsageError(fmt::format(
        "llama-layer: new_tokens is {} with phase decode, allowed: 0, or phase prefill or mixed",
        given.integer("new_tokens")));
  const std::int64_t count = given.integer("sequences"), context = given.integer("context"),
                     prompt =
                         given.integer("new_tokens") != 0 ? given.integer("new_tokens") : context;
  ops::TokenBatch batch;
  for (std::int64_t i = 0; i < count; ++i) {
    // Mixed: the first half of the sequences, one at least, are prompts.
    const bool prefill = phase == "prefill" || (phase == "mixed" && i < (count + 1) / 2);
    batch.sequences.push_back({prefill ? prompt : 1, context});
  }
  return batch;
}

Routing routing_of(const Torch& torch, const ModelSpec& model) {
  if (torch.parameters().text("routing") != "computed") return Routing::balanced;
  if (!model.is_mixture())
    throw UsageError(fmt::format(
        "llama-layer: routing is computed, but {} has no experts, allowed: balanced, or at least 2 "
        "experts",
        model.name));
  if (!torch.with_data())
    throw UsageError("llama-layer: routing=computed reads the choices of the router: --data eager");
  return Routing::computed;
}

LayerRun run_of(const Torch& torch) {
  const Attributes& given = torch.parameters();
  LayerRun run;
  run.model = model_of(given);
  run.parallelism.tp = selected_tp(torch, bench_name);
  run.parallelism.sequence = given.flag("sequence_parallel");
  run.parallelism.expert = given.flag("expert_parallel");
  run.batch = batch_of(given);
  const std::int64_t context = given.integer("context");
  run.capacity = given.integer("capacity") != 0 ? given.integer("capacity") : context;
  run.dtype = parse_dtype(given.text("dtype"));
  run.chunks = static_cast<int>(given.integer("chunks"));
  run.routing = routing_of(torch, run.model);
  run.weights_over_cubes = parse_placement(given.text("weights_over_cubes"));
  run.weights_over_pes = parse_placement(given.text("weights_over_pes"));
  run.grid = selected_grid(torch, bench_name);
  ops::assign_consecutive_blocks(run.batch, run.cache(run.model.kv_heads));
  ops::check_batch("llama-layer", run.batch, run.cache(run.model.kv_heads));
  if (run.parallelism.sequence && run.batch.tokens() % run.parallelism.tp != 0)
    throw UsageError(
        fmt::format("llama-layer: TP {} does not divide the {} tokens of sequence parallelism",
                    run.parallelism.tp, run.batch.tokens()));
  return run;
}

void check_fit(const Torch& torch, const LayerRun& run) {
  ModelStep step;
  step.sequences = static_cast<std::int64_t>(run.batch.sequences.size());
  for (const ops::SequenceStep& sequence : run.batch.sequences)
    step.new_tokens = std::max(step.new_tokens, sequence.new_tokens);
  step.context = run.capacity;
  step.weights = step.activations = step.kv_cache = run.dtype;
  const MachineDescription& machine = torch.spec();
  const auto in_use = static_cast<std::uint64_t>(run.grid.count()) * machine.hbm_slice_bytes;
  const int copies = (run.weights_over_cubes.replicates() ? run.grid.cubes : 1) *
                     (run.weights_over_pes.replicates() ? run.grid.pes : 1);
  check_memory(run.model, run.parallelism, step, in_use, machine.sips, copies);
}

// Values of all ranks, and the reference, which is computed once.
class HostSide {
 public:
  HostSide(Torch& torch, const LayerRun& run) {
    in_.model = run.model;
    in_.batch = run.batch;
    in_.balanced = run.routing == Routing::balanced;
    in_.cache = run.cache(run.model.kv_heads);
    const auto draw = [&](const Shape& shape, double factor, bool norm) {
      return draw_weight(torch, run.dtype, shape, factor, norm);
    };
    in_.weights = draw_layer_weights(run.model, draw);
    in_.x = draw({run.batch.tokens(), run.model.hidden}, 1, false);
    const Shape cache{in_.cache.rows(), in_.cache.d};
    in_.k = draw(cache, 1, false);
    in_.v = draw(cache, 1, false);
  }

  const reference::LayerInput& in() const { return in_; }
  const reference::LayerResult& result() {
    std::call_once(once_, [this] { result_ = reference::transformer_layer(in_); });
    return result_;
  }

 private:
  reference::LayerInput in_;
  std::once_flag once_;
  reference::LayerResult result_;
};
using SharedHostSide = std::shared_ptr<HostSide>;

std::vector<double> rows_of_matrix(const std::vector<double>& all, std::int64_t width,
                                   const ops::Range& rows) {
  return {all.begin() + rows.begin * width, all.begin() + rows.end * width};
}

// Runs the layer on one rank and registers its verification.
class RankRun {
 public:
  RankRun(Torch& torch, const LayerRun& run, int rank, Group group, SharedHostSide host)
      : torch_(torch), run_(run),
        host_(std::move(host)), placement_{run.parallelism,
                                           rank,
                                           std::move(group),
                                           run.grid,
                                           reduction_cut(run.model, run.parallelism,
                                                         run.batch.tokens(), run.chunks),
                                           run.routing,
                                           run.weights_over_cubes,
                                           run.weights_over_pes},
        heads_(kv_heads_of_rank(run.model, run.parallelism, rank)) {
    const std::int64_t parts = run.parallelism.sequence ? run.parallelism.tp : 1,
                       tokens = run.batch.tokens() / parts;
    rows_ = run.parallelism.sequence ? ops::Range{rank * tokens, (rank + 1) * tokens}
                                     : ops::Range{0, tokens};
  }

  void run() {
    const DType dtype = run_.dtype;
    const HostLayerWeights* weights = host_ != nullptr ? &host_->in().weights : nullptr;
    TransformerLayer layer(torch_, run_.model, placement_,
                           place_layer_weights(torch_, run_.model, placement_, dtype, weights));
    const std::int64_t hidden = run_.model.hidden;
    const Tensor x =
        torch_.empty({rows_.size(), hidden}, dtype, ops::rows_over(run_.grid, rows_.size()), "x");
    const ops::KvCache cache =
        ops::make_kv_cache(torch_, run_.cache(heads_.size()), dtype, run_.grid);
    if (host_ != nullptr) torch_.untimed([&] { write_inputs(x, cache); });
    ops::TokenBatch batch = run_.batch;
    ops::write_block_tables(torch_, batch, cache.shape, run_.grid);
    if (run_.parallelism.tp > 1) torch_.distributed.barrier(placement_.group);
    const Fs begin = torch_.now();
    const std::vector<Tensor> after_attention = layer.forward(x, batch, cache);
    if (placement_.rank == 0) report(torch_.now() - begin);
    if (host_ == nullptr) return;
    verify_cache(cache);
    std::int64_t row = rows_.begin;
    for (const Tensor& band : after_attention) {
      verify_rows(band, row, "attention", &reference::LayerResult::after_attention,
                  6 + run_.parallelism.tp);
      row += band.shape()[0];
    }
    verify_rows(x, rows_.begin, "out", &reference::LayerResult::out, 12 + 2 * run_.parallelism.tp);
  }

 private:
  void write_inputs(Tensor x, const ops::KvCache& cache) {
    const reference::LayerInput& in = host_->in();
    x.copy_(
        HostArray(x.shape(), run_.dtype, rows_of_matrix(in.x->values(), run_.model.hidden, rows_)));
    const std::pair<Tensor, HostWeight> caches[] = {{cache.k, in.k}, {cache.v, in.v}};
    for (const auto& [tensor, values] : caches) {
      Tensor target = tensor;
      target.copy_(HostArray(tensor.shape(), run_.dtype,
                             cache_of_heads(values->values(), in.cache, heads_)));
    }
  }

  // Roundings on the longest chain. Keys: norm, product, rotation. Values: norm, product. Residual
  // stream: those of the values, weights, attention, product, a sum per further rank, addition.
  void verify_cache(const ops::KvCache& cache) {
    const auto verify = [this](const Tensor& tensor,
                               std::vector<double> reference::LayerResult::*member, int roundings) {
      torch_.verify(
          tensor,
          [host = host_, heads = heads_, member] {
            return cache_of_heads(host->result().*member, host->in().cache, heads);
          },
          roundings);
    };
    verify(cache.k, &reference::LayerResult::k, 3);
    verify(cache.v, &reference::LayerResult::v, 2);
  }

  void verify_rows(const Tensor& x, std::int64_t first, const std::string& label,
                   std::vector<double> reference::LayerResult::*member, std::int64_t roundings) {
    torch_.set_label(fmt::format("rank {}, {}: ", placement_.rank, label));
    torch_.verify(
        x,
        [host = host_, rows = ops::Range{first, first + x.shape()[0]}, member] {
          return rows_of_matrix(host->result().*member, host->in().model.hidden, rows);
        },
        static_cast<double>(roundings));
  }

  void report(Fs time) {
    const double ns = static_cast<double>(time) / 1e6;
    torch_.results("llama_layer", {"tp", "tokens", "layer_ns", "tokens_per_s"})
        .add({static_cast<double>(run_.parallelism.tp), static_cast<double>(run_.batch.tokens()),
              ns, static_cast<double>(run_.batch.tokens()) * 1e9 / ns});
  }

  Torch& torch_;
  const LayerRun& run_;
  SharedHostSide host_;
  LayerPlacement placement_;
  ops::Range heads_, rows_;
};

void run(Torch& torch) {
  const LayerRun layer = run_of(torch);
  check_fit(torch, layer);
  const SharedHostSide host =
      torch.with_data() ? std::make_shared<HostSide>(torch, layer) : nullptr;
  on_tensor_parallel_ranks(
      torch, bench_name, layer.parallelism.tp,
      [&](int rank, const Group& group) { RankRun(torch, layer, rank, group, host).run(); });
}

Parameter weight_placement(const char* name, const char* description) {
  return choice(name, description,
                {"column_wise", "row_wise", "replicate", "tiled_row_major", "tiled_column_major"});
}

}  // namespace

void register_llama_layer(BenchRegistry& registry) {
  Bench bench{
      bench_name,
      "A transformer layer (Llama 3, Mixtral, GPT-3), tensor-parallel over SIPs, with a KV cache",
      {model_parameter("norms, activation, positions, biases, extents"),
       size_parameter(),
       choice("phase",
              "prefill: sequences of new tokens; decode: one new token each; mixed: the first half "
              "of the sequences prefill, the others decode",
              {"decode", "prefill", "mixed"}),
       tp_parameter(),
       Parameter::boolean("sequence_parallel",
                          "each SIP has a part of the tokens of norms and residuals", "spec 10.3")
           .default_val(false),
       Parameter::boolean("expert_parallel",
                          "each SIP has whole experts, to which tokens are sent by all_to_all",
                          "spec 10.3")
           .default_val(false),
       count_of("chunks",
                "parts of the output and down projections, each reduced over the SIPs while the "
                "next is computed",
                2),
       count_of("sequences", "sequences of the batch", 2),
       count_of("context", "tokens of each sequence, the new ones included", 48),
       count_of("new_tokens", "new tokens of a sequence in prefill and mixed; 0: all"),
       count_of("capacity", "tokens of a sequence in the KV cache; 0: context"),
       count_of("q_heads", "query heads; 0: the model's; hidden = q_heads * d_head"),
       count_of("kv_heads", "heads of keys and values; 0: the model's"),
       count_of("d_head", "elements of a head; 0: the model's"),
       count_of("ffn", "elements of the hidden layer of the MLP; 0: the model's"),
       count_of("experts", "experts of the MLP; 0: the model's"),
       count_of("top_k", "experts of a token; 0: the model's"),
       choice("routing",
              "balanced: tokens are assigned to experts in turn; computed: by the router, with "
              "--data eager",
              {"balanced", "computed"}),
       weight_placement("weights_over_cubes", "parts of each matrix of weights over cubes"),
       weight_placement("weights_over_pes", "parts of these over the PEs of a cube"),
       count_of("vocab", "vocabulary, for the memory check alone; 0: the model's"),
       count_of("layers", "layers of the model, for the memory check alone; 0: the model's"),
       float_dtype("element type of weights, activations and cache"),
       cubes_parameter(),
       pes_parameter()},
      &run,
      &cubes_of_ranks};
  bench.per_device = false;
  registry.add(std::move(bench));
}

}  // namespace kernbench::benches
