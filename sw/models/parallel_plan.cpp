#include "sw/models/parallel_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/base/errors.h"

namespace kernbench {
namespace {

constexpr std::int64_t vocab_padding = 64;  // vLLM, DEFAULT_VOCAB_PADDING_SIZE

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
std::int64_t padded_vocab(const ModelSpec& model) {
  return ceil_div(model.vocab, vocab_padding) * vocab_padding;
}

std::uint64_t bytes_of(std::int64_t elements, DType dtype) {
  return static_cast<std::uint64_t>(elements) * size_of(dtype);
}

// Builds the operators of one rank.
class Planner {
 public:
  Planner(const ModelSpec& model, const Parallelism& parallelism, const ModelStep& step)
      : model_(model), parallelism_(parallelism), step_(step),
        share_(rank_share(model, parallelism, step)) {}

  std::vector<OperatorPlan> layer();
  OperatorPlan output() const {
    return linear("output", step_.sequences, model_.hidden, share_.vocab, false);
  }

 private:
  void attention();
  void mlp();
  OperatorPlan linear(const std::string& name, std::int64_t rows, std::int64_t inner,
                      std::int64_t columns, bool bias, std::int64_t experts = 0) const;
  // Element by element: `inputs` tensors of rows x columns are read, one is written.
  void elements(const std::string& name, OperatorKind kind, std::int64_t rows, std::int64_t columns,
                std::int64_t inputs, std::int64_t weights = 0);
  void norm(const std::string& name);
  // Collective before (`gathers`) or after a part of the layer, if there is one.
  void collective(const std::string& part, bool gathers);
  void collective(const std::string& name, std::int64_t rows_before, std::int64_t rows_after);
  bool distributes_experts() const { return parallelism_.expert && parallelism_.tp > 1; }

  const ModelSpec& model_;
  const Parallelism& parallelism_;
  const ModelStep& step_;
  RankShare share_;
  std::vector<OperatorPlan> plan_;
};

OperatorPlan Planner::linear(const std::string& name, std::int64_t rows, std::int64_t inner,
                             std::int64_t columns, bool bias, std::int64_t experts) const {
  OperatorPlan op;
  op.name = name;
  op.kind = OperatorKind::linear;
  op.rows = rows;
  op.inner = inner;
  op.columns = columns;
  op.experts = experts;
  op.flops = 2 * static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(inner) *
             static_cast<std::uint64_t>(columns);
  const std::int64_t matrices = experts == 0 ? 1 : std::min(experts, rows);
  op.weight_bytes = bytes_of(matrices * (inner * columns + (bias ? columns : 0)), step_.weights);
  op.input_bytes = bytes_of(rows * inner, step_.activations);
  op.output_bytes = bytes_of(rows * columns, step_.activations);
  return op;
}

void Planner::elements(const std::string& name, OperatorKind kind, std::int64_t rows,
                       std::int64_t columns, std::int64_t inputs, std::int64_t weights) {
  OperatorPlan op;
  op.name = name;
  op.kind = kind;
  op.rows = rows;
  op.columns = columns;
  op.weight_bytes = bytes_of(weights, step_.weights);
  op.input_bytes = bytes_of(inputs * rows * columns, step_.activations);
  op.output_bytes = bytes_of(rows * columns, step_.activations);
  plan_.push_back(std::move(op));
}

void Planner::norm(const std::string& name) {
  elements(name, OperatorKind::norm, share_.norm_tokens, model_.hidden, 1,
           model_.norm_parameters());
}

void Planner::collective(const std::string& name, std::int64_t rows_before,
                         std::int64_t rows_after) {
  OperatorPlan op;
  op.name = name;
  op.kind = OperatorKind::collective;
  op.rows = rows_after;
  op.columns = model_.hidden;
  op.input_bytes = bytes_of(rows_before * model_.hidden, step_.activations);
  op.output_bytes = bytes_of(rows_after * model_.hidden, step_.activations);
  plan_.push_back(std::move(op));
}

void Planner::collective(const std::string& part, bool gathers) {
  if (parallelism_.tp == 1 || (gathers && !parallelism_.sequence)) return;
  if (gathers) return collective(part + "_all_gather", share_.norm_tokens, step_.tokens());
  collective(part + (parallelism_.sequence ? "_reduce_scatter" : "_all_reduce"), step_.tokens(),
             share_.norm_tokens);
}

void Planner::attention() {
  const std::int64_t tokens = step_.tokens(), q = share_.q_heads * model_.d_head,
                     kv = share_.kv_heads * model_.d_head;
  plan_.push_back(linear("qkv", tokens, model_.hidden, q + 2 * kv, model_.attention_bias));
  if (model_.positions == PositionKind::rotary)
    elements("rotary", OperatorKind::rotary, tokens, q + kv, 1);
  // Token i of n new ones sees the context up to itself.
  const std::int64_t n = step_.new_tokens, pairs = n * (step_.context - n) + n * (n + 1) / 2;
  OperatorPlan op;
  op.name = "attention";
  op.kind = OperatorKind::attention;
  op.rows = tokens;
  op.inner = step_.context;
  op.columns = q;
  // scores and values: a multiply-accumulate each per pair and element of a head
  op.flops = 4 * static_cast<std::uint64_t>(step_.sequences) * static_cast<std::uint64_t>(pairs) *
             static_cast<std::uint64_t>(q);
  op.input_bytes = bytes_of(tokens * q, step_.activations) +
                   bytes_of(2 * step_.sequences * step_.context * kv, step_.kv_cache);
  op.output_bytes = bytes_of(tokens * q, step_.activations);
  plan_.push_back(std::move(op));
  plan_.push_back(linear("attention_output", tokens, q, model_.hidden, model_.attention_bias));
}

void Planner::mlp() {
  const std::int64_t rows = share_.routed_tokens,
                     experts = model_.is_mixture() ? share_.experts : 0;
  if (!distributes_experts()) collective("mlp", true);
  if (model_.is_mixture())
    plan_.push_back(linear("router", distributes_experts() ? share_.norm_tokens : step_.tokens(),
                           model_.hidden, model_.experts, false));
  if (distributes_experts()) collective("dispatch_all_to_all", rows, rows);
  plan_.push_back(linear("up", rows, model_.hidden, share_.up_columns, model_.mlp_bias, experts));
  elements("activation", OperatorKind::activation, rows, share_.ffn,
           share_.up_columns / share_.ffn);
  plan_.push_back(linear("down", rows, share_.ffn, model_.hidden, model_.mlp_bias, experts));
  if (!distributes_experts()) return collective("mlp", false);
  collective("combine_all_to_all", rows, rows);
  if (!parallelism_.sequence)
    collective("mlp_all_gather", share_.expert_tokens, share_.expert_tokens * parallelism_.tp);
}

std::vector<OperatorPlan> Planner::layer() {
  const auto residual = [this](const std::string& name) {
    elements(name, OperatorKind::residual, share_.norm_tokens, model_.hidden, 2);
  };
  norm("attention_norm");
  collective("attention", true);
  attention();
  collective("attention", false);
  residual("attention_residual");
  norm("mlp_norm");
  mlp();
  residual("mlp_residual");
  return std::move(plan_);
}

std::optional<std::string> step_fault(const ModelSpec& model, const ModelStep& step) {
  if (step.sequences < 1 || step.new_tokens < 1)
    return fmt::format("{} sequences of {} new tokens, allowed: at least 1 of each", step.sequences,
                       step.new_tokens);
  if (step.context < step.new_tokens)
    return fmt::format("a context of {} tokens with {} new tokens, allowed: at least these",
                       step.context, step.new_tokens);
  if (model.positions == PositionKind::learned && step.context > model.max_positions)
    return fmt::format("a context of {} tokens, but {} learned positions", step.context,
                       model.max_positions);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> plan_fault(const ModelSpec& model, const Parallelism& parallelism,
                                      const ModelStep& step) {
  const std::int64_t tp = parallelism.tp;
  if (tp < 1) return fmt::format("TP is {}, allowed: at least 1", tp);
  if (auto fault = step_fault(model, step)) return fault;
  const auto undivided = [tp](const std::string& what) {
    return fmt::format("TP {} does not divide {}", tp, what);
  };
  if (model.q_heads % tp != 0) return undivided(fmt::format("the {} query heads", model.q_heads));
  if (model.kv_heads >= tp && model.kv_heads % tp != 0)
    return undivided(fmt::format("the {} KV heads", model.kv_heads));
  if (model.kv_heads < tp && tp % model.kv_heads != 0)
    return fmt::format("the {} KV heads, fewer than TP {}, do not divide it into equal copies",
                       model.kv_heads, tp);
  if (model.hidden % tp != 0) return undivided(fmt::format("hidden, {}", model.hidden));
  if (parallelism.expert && !model.is_mixture())
    return std::string("expert parallelism of a model without experts");
  if (parallelism.expert && model.experts % tp != 0)
    return undivided(fmt::format("the {} experts of expert parallelism", model.experts));
  if (!parallelism.expert && model.ffn % tp != 0)
    return undivided(fmt::format("ffn, {}", model.ffn));
  if (padded_vocab(model) % tp != 0)
    return undivided(fmt::format("the vocabulary, {} with padding", padded_vocab(model)));
  if (parallelism.sequence && step.tokens() % tp != 0)
    return undivided(fmt::format("the {} tokens of sequence parallelism", step.tokens()));
  return std::nullopt;
}

RankShare rank_share(const ModelSpec& model, const Parallelism& parallelism,
                     const ModelStep& step) {
  check_model(model);
  if (const auto fault = plan_fault(model, parallelism, step))
    throw UsageError(fmt::format("model '{}': {}", model.name, *fault));
  const std::int64_t tp = parallelism.tp;
  RankShare share;
  share.q_heads = model.q_heads / tp;
  share.kv_heads = std::max<std::int64_t>(1, model.kv_heads / tp);
  share.experts = parallelism.expert ? model.experts / tp : model.experts;
  share.ffn = parallelism.expert ? model.ffn : model.ffn / tp;
  share.up_columns = parallelism.expert ? model.up_columns() : model.up_columns() / tp;
  share.vocab = padded_vocab(model) / tp;
  share.norm_tokens = parallelism.sequence ? step.tokens() / tp : step.tokens();
  share.routed_tokens = ceil_div(step.tokens() * model.top_k, parallelism.expert ? tp : 1);
  share.expert_tokens = ceil_div(step.tokens(), tp);
  return share;
}

std::vector<OperatorPlan> layer_plan(const ModelSpec& model, const Parallelism& parallelism,
                                     const ModelStep& step) {
  return Planner(model, parallelism, step).layer();
}

OperatorPlan output_plan(const ModelSpec& model, const Parallelism& parallelism,
                         const ModelStep& step) {
  return Planner(model, parallelism, step).output();
}

}  // namespace kernbench
