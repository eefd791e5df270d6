#include "sw/tp/vocabulary.h"

#include <fmt/format.h>

#include "models/base/errors.h"
#include "sw/ops/cross_entropy.h"
#include "sw/ops/embedding.h"
#include "sw/tp/part_of_array.h"
#include "sw/tp/regions.h"

namespace kernbench::tp {

std::int64_t padded_vocabulary(const ParallelState& state, std::int64_t vocabulary,
                               std::int64_t divisible_by) {
  if (vocabulary < 1 || divisible_by < 1)
    throw UsageError(
        fmt::format("padded_vocabulary: a vocabulary of {}, divisible by {}: both are at least 1",
                    vocabulary, divisible_by));
  const std::int64_t multiple = divisible_by * state.size();
  return (vocabulary + multiple - 1) / multiple * multiple;
}

VocabParallelEmbedding::VocabParallelEmbedding(const ParallelState& state,
                                               std::int64_t num_embeddings,
                                               std::int64_t embedding_dim,
                                               const VocabParallelEmbeddingOptions& options)
    : state_(state), num_embeddings_(num_embeddings), options_(options) {
  const std::int64_t padded =
      padded_vocabulary(state, num_embeddings, options.make_vocab_size_divisible_by);
  weight = state.torch().zeros({padded / state.size(), embedding_dim}, options.dtype,
                               options.policy, options.name + "_weight");
}

std::int64_t VocabParallelEmbedding::vocab_start_index() const {
  return state_.rank() * weight.shape()[0];
}
std::int64_t VocabParallelEmbedding::vocab_end_index() const {
  return vocab_start_index() + weight.shape()[0];
}

void VocabParallelEmbedding::copy_weight_(const HostArray& whole) {
  check_array(options_.name + ": weight", whole, {num_embeddings_, weight.shape()[1]},
              options_.dtype);
  weight.copy_(part_of_array(whole, {vocab_start_index(), 0}, weight.shape()));
}

Tensor VocabParallelEmbedding::forward(const Tensor& ids) const {
  if (ids.shape().rank() != 1 || ids.dtype() != i32)
    throw UsageError(fmt::format("{}: ids '{}' {} {}, expected i32 {{T}}", options_.name,
                                 ids.name(), name_of(ids.dtype()), ids.shape().str()));
  Torch& torch = state_.torch();
  const Tensor rows = torch.empty({ids.shape()[0], weight.shape()[1]}, options_.dtype,
                                  options_.policy, options_.name);
  ops::embedding(torch, weight, ids, rows, vocab_start_index(), num_embeddings_);
  return options_.reduce_scatter_embeddings
             ? reduce_scatter_to_sequence_parallel_region(state_, rows)
             : reduce_from_tp_region(state_, rows);
}

Tensor ParallelCrossEntropy::forward(const Tensor& logits, const Tensor& targets) const {
  Torch& torch = state_.torch();
  if (logits.shape().rank() != 2 || targets.dtype() != i32 ||
      targets.shape() != Shape{logits.shape()[0]})
    throw UsageError(
        fmt::format("cross-entropy: logits '{}' {}, targets '{}' {} {}: expected {{T, V "
                    "/ {}}} and i32 {{T}}",
                    logits.name(), logits.shape().str(), targets.name(), name_of(targets.dtype()),
                    targets.shape().str(), state_.size()));
  // Row values are on one PE, where all PEs of the SIP can address them.
  const DPPolicy shared{Placement::row_wise, Placement::row_wise, 1, 1};
  const auto row_values = [&](const char* name) {
    return torch.empty(targets.shape(), f32, shared, name);
  };
  const auto reduce = [&](const Tensor& values, ReduceOp op) {
    if (state_.size() > 1) torch.distributed.all_reduce(values, op, state_.group());
  };
  const std::int64_t part = logits.shape()[1];

  const Tensor largest = row_values("logits_max");
  ops::row_max(torch, logits, largest);
  reduce(largest, ReduceOp::max);
  const ops::RowTerms terms{row_values("sum_exp_logits"), row_values("predicted_logits")};
  ops::row_terms(torch, logits, targets, largest, state_.rank() * part, part * state_.size(),
                 terms);
  reduce(terms.predicted, ReduceOp::sum);
  reduce(terms.sum_exp, ReduceOp::sum);
  const Tensor loss = row_values("loss");
  ops::loss_of(torch, terms, loss);
  return loss;
}

}  // namespace kernbench::tp
