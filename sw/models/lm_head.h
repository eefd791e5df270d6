// LmHead: final norm and output projection of a model on one rank; the vocabulary is cut over the
// tensor-parallel ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "sw/models/layer_weights.h"

namespace kernbench {

// Weights on the host. projection{hidden, vocabulary with padding}; also of models that use the
// embedding for it. norm_bias: null where the model has none.
struct HostLmHead {
  HostWeight norm, norm_bias, projection;
};
HostLmHead draw_lm_head(const ModelSpec& model, const DrawWeight& draw);

class LmHead {
 public:
  // Places the weights as place_layer_weights() does.
  LmHead(Torch& torch, const ModelSpec& model, const LayerPlacement& placement, DType dtype,
         const HostLmHead* host);

  // Logits of these rows of x{tokens, hidden}, on each rank: {tp * rows, vocabulary / tp}, the part
  // of rank 0 for all rows, then that of rank 1, and so on. One all_gather. Returns when the
  // kernels have ended.
  Tensor forward(const Tensor& x, const std::vector<std::int64_t>& rows);

  std::int64_t columns() const { return projection_.shape()[1]; }  // of one rank

 private:
  Torch& torch_;
  ModelSpec model_;
  LayerPlacement placement_;
  Tensor norm_, norm_bias_, projection_;
};

}  // namespace kernbench
