// Parallel plan of a model: the operators of a layer on one rank, their shapes, FLOPs and bytes, by
// formula.
//
// Tensor parallelism cuts the query heads, the columns of the MLP and the vocabulary over `tp`
// ranks, KV heads as vLLM does: over the ranks, or, with fewer heads than ranks, with tp / kv_heads
// copies of each. Sequence parallelism (Megatron) additionally cuts the tokens of norms and
// residuals, with all_gather and reduce_scatter instead of all_reduce. Expert parallelism
// distributes whole experts over the same ranks. As with Megatron's all-to-all dispatcher each rank
// sends an equal share of the tokens to the ranks of their experts by all_to_all, receives the
// results by a second one, and adds them. With sequence parallelism its share is the tokens of its
// norms; else an all_gather makes the sums available on all ranks. Each expert is assumed to have
// the same number of tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/dtype.h"
#include "sw/models/model_spec.h"

namespace kernbench {

struct Parallelism {
  std::int64_t tp = 1;
  bool sequence = false;  // sequence parallelism
  bool expert = false;    // expert parallelism
};

// Work of one step: `new_tokens` of each sequence, whose last one then has `context` tokens with
// all previous ones. Prefill: new_tokens == context. Decode: new_tokens == 1.
struct ModelStep {
  std::int64_t sequences = 1, new_tokens = 1, context = 1;
  DType weights = DType::f16, activations = DType::f16, kv_cache = DType::f16;

  std::int64_t tokens() const { return sequences * new_tokens; }
};

enum class OperatorKind : std::uint8_t {
  norm,
  linear,
  rotary,
  attention,
  activation,
  residual,
  collective
};

// Operator on one rank. `rows` x `columns` is its output; of `linear` [rows, inner] x [inner,
// columns], of attention `rows` tokens by `columns` = query heads * d_head. FLOPs are 2 per
// multiply-accumulate of products, those of attention only for visible pairs of tokens (causal);
// other arithmetic is not counted.
struct OperatorPlan {
  std::string name;  // "qkv", "attention_norm", ...
  OperatorKind kind = OperatorKind::linear;
  std::int64_t rows = 0, inner = 0, columns = 0;
  std::int64_t experts = 0;  // experts of the rank that share `rows`; 0: no experts
  std::uint64_t flops = 0;
  // Bytes read of weights (of experts those with a token), of inputs with the KV cache, and
  // written. Of a collective the tensor of the rank before and after it.
  std::uint64_t weight_bytes = 0, input_bytes = 0, output_bytes = 0;

  std::uint64_t bytes() const { return weight_bytes + input_bytes + output_bytes; }
};

// Shares of one rank.
struct RankShare {
  std::int64_t q_heads = 0, kv_heads = 0;
  std::int64_t experts = 0;  // experts on the rank
  std::int64_t ffn = 0;      // elements of the hidden layer of each expert
  std::int64_t up_columns = 0;
  std::int64_t vocab = 0;  // padded to a multiple of 64 before it is cut, as vLLM does
  // Rows of norms, of the MLP, and of the result of a rank's share of the tokens in expert
  // parallelism.
  std::int64_t norm_tokens = 0, routed_tokens = 0, expert_tokens = 0;
};

// Empty if the plan is possible, else the reason with the numbers.
std::optional<std::string> plan_fault(const ModelSpec& model, const Parallelism& parallelism,
                                      const ModelStep& step);

// Both throw UsageError for a model or plan that is not possible.
RankShare rank_share(const ModelSpec& model, const Parallelism& parallelism, const ModelStep& step);
// Operators of one layer in the order of their execution.
std::vector<OperatorPlan> layer_plan(const ModelSpec& model, const Parallelism& parallelism,
                                     const ModelStep& step);
// Projection of the last token of each sequence to the rank's part of the vocabulary.
OperatorPlan output_plan(const ModelSpec& model, const Parallelism& parallelism,
                         const ModelStep& step);

}  // namespace kernbench
