// Weights of a whole layer on the host, and the part of each tensor-parallel rank: columns of the
// first product of a block, rows of the second (Megatron-LM), KV heads as rank_share() has them;
// with expert parallelism whole experts.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sw/models/layer.h"
#include "sw/runtime/host_array.h"

namespace kernbench {

using HostWeight = std::shared_ptr<const HostArray>;

// Matrices are {in, out}. Null where the model has none.
struct HostMlpWeights {
  HostWeight gate, up, up_bias, down;
};
struct HostLayerWeights {
  HostWeight attention_norm, attention_norm_bias, mlp_norm, mlp_norm_bias;
  HostWeight q, k, v, q_bias, k_bias, v_bias;
  HostWeight output, output_bias;
  HostWeight router;
  std::vector<HostMlpWeights> experts;  // one without a mixture
  HostWeight down_bias;
};

// Calls `draw` for each weight of the model: its shape, and the factor by which values of about 1
// have to be multiplied so that results are about 1 too (a power of two). `norm`: the value is
// near 1.
using DrawWeight = std::function<HostWeight(const Shape& shape, double factor, bool norm)>;
HostLayerWeights draw_layer_weights(const ModelSpec& model, const DrawWeight& draw);

// Weights of the rank on its SIP, as a model that has been loaded: they take no simulated time.
// They have no values if `host` is null. UsageError for a number of parts of columns that is
// not 1 to hidden.
LayerWeights place_layer_weights(Torch& torch, const ModelSpec& model,
                                 const LayerPlacement& placement, DType dtype,
                                 const HostLayerWeights* host);

// First KV head of a rank, and their number.
ops::Range kv_heads_of_rank(const ModelSpec& model, const Parallelism& parallelism, int rank);

}  // namespace kernbench
