// Layers whose vocabulary is cut over the tensor-parallel ranks (Megatron-LM,
// megatron/core/tensor_parallel/layers.py and cross_entropy.py); forward only.
#pragma once

#include <string>

#include "sw/tp/parallel_state.h"

namespace kernbench::tp {

// The vocabulary rounded up to a multiple of divisible_by * size, so that every rank has an equal
// part: Megatron's --make-vocab-size-divisible-by, default 128.
std::int64_t padded_vocabulary(const ParallelState& state, std::int64_t vocabulary,
                               std::int64_t divisible_by = 128);

struct VocabParallelEmbeddingOptions {
  std::int64_t make_vocab_size_divisible_by = 128;
  bool reduce_scatter_embeddings = false;  // rows of the sum over the ranks, as sequence parallel
  DType dtype = DType::f16;
  DPPolicy policy = column_wise;
  std::string name = "vocab_embedding";
};

class VocabParallelEmbedding {
 public:
  VocabParallelEmbedding(const ParallelState& state, std::int64_t num_embeddings,
                         std::int64_t embedding_dim,
                         const VocabParallelEmbeddingOptions& options = {});

  // {num_embeddings, embedding_dim}: each rank writes its rows; padded rows are zero.
  void copy_weight_(const HostArray& whole);
  // ids{T}, i32, in [0, num_embeddings) -> {T, embedding_dim}, summed by one all_reduce: each rank
  // has zeros for the ids of others. With reduce_scatter_embeddings {T / size, embedding_dim}.
  // UsageError for another shape, LaunchError for an id outside of the vocabulary.
  Tensor forward(const Tensor& ids) const;

  // The rank has the ids [start, end), padding included.
  std::int64_t vocab_start_index() const;
  std::int64_t vocab_end_index() const;

  Tensor weight;  // {padded / size, embedding_dim}

 private:
  ParallelState state_;
  std::int64_t num_embeddings_;
  VocabParallelEmbeddingOptions options_;
};

// Cross-entropy of logits whose vocabulary is cut over the ranks, as ColumnParallelLinear leaves
// them, for targets that all ranks have. All columns count, also padded ones, as in Megatron.
class ParallelCrossEntropy {
 public:
  explicit ParallelCrossEntropy(const ParallelState& state) : state_(state) {}
  // logits{T, V / size} of floats, targets{T} i32 in [0, V) -> losses{T} f32. Three all_reduces of
  // {T}: maximum, predicted logit, sum of exponentials. UsageError for other shapes; a target
  // outside of [0, V) fails as a tl.device_assert.
  Tensor forward(const Tensor& logits, const Tensor& targets) const;

 private:
  ParallelState state_;
};

}  // namespace kernbench::tp
