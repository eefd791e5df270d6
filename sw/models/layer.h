// TransformerLayer: one layer of a decoder-only transformer on one rank, tensor-parallel over the
// ranks of a group (layer_plan() in parallel_plan.h has its operators). Each rank calls forward()
// with its part of the weights; all data movement is by kernels and collectives.
//
//   TransformerLayer layer(torch, model, {parallelism, rank, group, grid, chunks}, weights);
//   layer.forward(x, batch, cache);
//
// The residual stream x{tokens, hidden} is on every rank, its rows over the PEs; with sequence
// parallelism each rank has its rows of it. Results of products have their columns over the PEs,
// where the weights have theirs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sw/models/parallel_plan.h"
#include "sw/ops/experts.h"
#include "sw/ops/kv_cache.h"
#include "sw/torch/torch.h"

namespace kernbench {

// Experts of a token. balanced: token t has experts t * top_k + i modulo their number, so that all
// have the same load; the router is computed all the same. computed: those with the largest logits,
// which the host reads between the launches; needs values in phase 1 (DataMode::eager).
enum class Routing : std::uint8_t { balanced, computed };

// Position of a rank and use of its SIP.
struct LayerPlacement {
  Parallelism parallelism;
  int rank = 0;
  Group group;  // the tensor-parallel ranks
  ops::PeGrid grid;
  // Parts into which the columns of the output projection and the down projection are cut: each is
  // reduced over the ranks while the next one is computed.
  int chunks = 1;
  Routing routing = Routing::balanced;  // ignored without experts
};

// Weights of one rank. Matrices are {in, out}; empty tensors where the model has none.
struct MlpWeights {
  Tensor gate, up, up_bias;
  std::vector<Tensor> down;  // one per chunk
};
struct LayerWeights {
  Tensor attention_norm, attention_norm_bias, mlp_norm, mlp_norm_bias;
  Tensor qkv, qkv_bias;             // columns: query heads, keys, values
  std::vector<Tensor> output;       // one per chunk
  Tensor output_bias, down_bias;    // whole, added once after the reduction
  Tensor router;                    // {hidden, experts}, whole on each rank
  std::vector<MlpWeights> experts;  // one without a mixture
};

constexpr double norm_epsilon = 1e-5;  // Llama 3, Mixtral, GPT-2

class TransformerLayer {
 public:
  TransformerLayer(Torch& torch, const ModelSpec& model, const LayerPlacement& placement,
                   LayerWeights weights);

  // Tokens of `batch` after the sequences in the cache, which it extends. Replaces x by the
  // layer's result. UsageError: a sequence longer than the cache.
  void forward(const Tensor& x, const ops::TokenBatch& batch, const ops::KvCache& cache);
  // The two halves of it.
  void attention_block(const Tensor& x, const ops::TokenBatch& batch, const ops::KvCache& cache);
  void mlp_block(const Tensor& x);

 private:
  struct Angles {
    Tensor cos, sin;
  };
  // Normalised tokens, all of them on each rank.
  Tensor normalised(const Tensor& x, const std::string& part, const Tensor& gamma,
                    const Tensor& beta, std::int64_t tokens, const LaunchSpec& launch);
  // Result of a chunk: {tokens, columns of the chunk}, and the placement of such results.
  struct Product {
    Tensor tensor;
    bool by_rows = false;
  };
  // x += sum of the products over the ranks (+ bias). A chunk is reduced while the next one is
  // computed.
  void add_reduced(const Tensor& x, const std::function<Product(std::size_t)>& product_of_chunk,
                   const Tensor& bias, const std::string& part);
  Product projected(const Tensor& a, const Tensor& weight, const std::string& op);
  // Activated hidden layer of an expert: h{n, hidden} -> {n, ffn}.
  Tensor hidden_layer(const Tensor& h, const MlpWeights& expert);
  void mixture(const Tensor& x, const Tensor& h);
  // Tokens of each expert, in ascending order; begins[e][i]: e is the token's lowest expert.
  struct RoutedTokens {
    Tensor weights;  // {tokens, top_k}
    std::vector<std::vector<ops::RoutedToken>> of_expert;
    std::vector<std::vector<bool>> begins;
  };
  RoutedTokens routed_tokens(const Tensor& logits);
  Tensor rotated(const Tensor& qkv, const ops::TokenBatch& batch, std::int64_t columns);
  Angles angles_of(const ops::TokenBatch& batch, const DPPolicy& policy);
  Tensor columns(std::int64_t rows, std::int64_t count, const std::string& name);
  Tensor rows(std::int64_t count, std::int64_t width, const std::string& name);

  Torch& torch_;
  ModelSpec model_;
  LayerPlacement placement_;
  LayerWeights weights_;
  DType dtype_;
};

}  // namespace kernbench
