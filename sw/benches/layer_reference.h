// Reference of a transformer layer in double precision, computed only from the values on the host:
// without tensor parallelism, tiles, caches on devices or online softmax.
#pragma once

#include <vector>

#include "sw/models/lm_head.h"

namespace kernbench::reference {

// x{tokens, hidden}; k and v{cache.rows(), d} of the whole model, with the tokens before those of
// the batch, in the blocks of its sequences.
struct LayerInput {
  ModelSpec model;
  HostLayerWeights weights;
  ops::TokenBatch batch;
  ops::CacheShape cache;  // shape of k and v
  HostWeight x, k, v;
  bool balanced = true;  // the experts are those of Routing::balanced
};

struct LayerResult {
  std::vector<double> after_attention, out;  // {tokens, hidden}
  std::vector<double> k, v;                  // the caches with the new tokens
};

LayerResult transformer_layer(const LayerInput& input);

// Logits {rows, vocabulary with padding} of hidden states x{rows, hidden}.
std::vector<double> logits(const std::vector<double>& x, const ModelSpec& model,
                           const HostLmHead& head);

}  // namespace kernbench::reference
