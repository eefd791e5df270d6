// TransformerLayer: one layer of a decoder-only transformer on one rank, tensor-parallel over the
// ranks of a group (layer_plan() in parallel_plan.h has its operators). Each rank calls forward()
// with its part of the weights; all data movement is by kernels and collectives.
//
//   TransformerLayer layer(torch, model, {parallelism, rank, group, grid, cut}, weights);
//   layer.forward(x, batch, cache);
//
// The residual stream x{tokens, hidden} is on every rank, its rows over the PEs; with sequence
// parallelism each rank has its rows of it. Results of products have their columns over the PEs,
// where the weights have theirs.
#pragma once

#include <cstdint>
#include <optional>
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

// Parts of the results of the output and down projections: each is reduced over the ranks while the
// next one is computed. Bands of tokens read the activations once and the weights for each band; a
// band's MLP is computed while the attention results of other bands are reduced. Columns read the
// weights once and the activations for each part.
struct ReductionCut {
  int bands = 1, columns = 1;
};
// `parts` bands where each has the rows for which ops::matmul reads weights again anyway, without
// sequence parallelism and experts, whose collectives are of all tokens; else columns. No cut
// without ranks.
ReductionCut reduction_cut(const ModelSpec& model, const Parallelism& parallelism,
                           std::int64_t tokens, int parts);

// Position of a rank and use of its SIP.
struct LayerPlacement {
  Parallelism parallelism;
  int rank = 0;
  Group group;  // the tensor-parallel ranks
  ops::PeGrid grid;
  ReductionCut cut = {};
  Routing routing = Routing::balanced;  // ignored without experts
  // Parts of each matrix of weights over cubes, and over the PEs of a cube.
  Placement weights_over_cubes = Placement::column_wise, weights_over_pes = Placement::column_wise;
};

// Weights of one rank. Matrices are {in, out}; empty tensors where the model has none.
struct MlpWeights {
  Tensor gate, up, up_bias;
  std::vector<Tensor> down;  // one per part of its columns
};
struct LayerWeights {
  Tensor attention_norm, attention_norm_bias, mlp_norm, mlp_norm_bias;
  Tensor qkv, qkv_bias;             // columns: query heads, keys, values
  std::vector<Tensor> output;       // one per part of its columns
  Tensor output_bias, down_bias;    // whole, added once after the reduction
  Tensor router;                    // {hidden, experts}, whole on each rank
  std::vector<MlpWeights> experts;  // those of the rank; one without a mixture
};

constexpr double norm_epsilon = 1e-5;  // Llama 3, Mixtral, GPT-2

class TransformerLayer {
 public:
  TransformerLayer(Torch& torch, const ModelSpec& model, const LayerPlacement& placement,
                   LayerWeights weights);

  // Tokens of `batch` after the sequences in the cache, which it extends. Replaces x by the
  // layer's result, and returns the residual stream between the two blocks, by bands of tokens.
  // UsageError: a sequence longer than the cache.
  std::vector<Tensor> forward(const Tensor& x, const ops::TokenBatch& batch,
                              const ops::KvCache& cache);

 private:
  // Summand of these rows and columns of a result. `work`: its reduction over the ranks.
  struct Addend {
    Tensor tensor;
    ops::Range rows, columns;
    std::optional<Work> work;
  };
  struct Angles {
    Tensor cos, sin;
  };
  // Normalised tokens, all of them on each rank.
  Tensor normalised(const Tensor& x, const std::string& part, const Tensor& gamma,
                    const Tensor& beta, std::int64_t tokens, const LaunchSpec& launch);
  // Starts the sum over the ranks of a product of tokens. `by_rows`: its rows are over the PEs,
  // else its columns. `rows`: those of the result.
  Addend reduced(const Tensor& product, bool by_rows, const ops::Range& rows,
                 const ops::Range& columns, const std::string& part);
  // out = x + addends (+ bias); rows of x from `x_row` on.
  void add(const Tensor& x, std::int64_t x_row, std::vector<Addend>& addends, const Tensor& bias,
           const Tensor& out, const std::string& part);
  // Attention of all tokens, projected: the addends of each band.
  std::vector<std::vector<Addend>> attention_block(const Tensor& x, const ops::TokenBatch& batch,
                                                   const ops::KvCache& cache);
  // Addends to rows of the result that start with row `first`, of x{n, hidden}.
  std::vector<Addend> mlp_block(const Tensor& x, std::int64_t first);
  // Rows of `a`, all by default, times a weight.
  Tensor projected(const Tensor& a, const Tensor& weight, const std::string& op,
                   const std::optional<ops::Range>& rows = {});
  // Activated hidden layer of an expert: h{n, hidden} -> {n, ffn}.
  Tensor hidden_layer(const Tensor& h, const MlpWeights& expert);
  // A mixture whose experts are cut over the ranks, and one whose experts are distributed over
  // them. `own_rows`: those of the rank's residual stream.
  std::vector<Addend> mixture(const Tensor& h, std::int64_t own_rows);
  std::vector<Addend> distributed_mixture(const Tensor& h, std::int64_t own_rows);
  // Weights {tokens, top_k} of tokens whose first has this number in the batch, and the experts of
  // all tokens of the batch.
  struct Choice {
    Tensor weights;
    std::vector<std::int64_t> experts;
  };
  Choice choose(const Tensor& h, std::int64_t first, std::int64_t all_tokens);
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
