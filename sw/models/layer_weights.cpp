#include "sw/models/layer_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "models/base/errors.h"

namespace kernbench {
namespace {

using ops::Range;

// Part of a matrix {M, N}, or columns of a vector {N}.
struct WeightPart {
  HostWeight whole;
  Range rows, columns;
};

Range equal_part(std::int64_t extent, std::int64_t parts, std::int64_t index) {
  return {extent * index / parts, extent * (index + 1) / parts};
}

// The parts side by side; they have the same rows.
HostArray side_by_side(const std::vector<WeightPart>& parts) {
  const Range rows = parts.front().rows;
  std::int64_t width = 0;
  for (const WeightPart& part : parts) width += part.columns.size();
  const DType dtype = parts.front().whole->dtype();
  const auto size = static_cast<std::int64_t>(size_of(dtype));
  std::vector<std::uint8_t> bytes;
  bytes.reserve(static_cast<std::size_t>(rows.size() * width * size));
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    for (const WeightPart& part : parts) {
      const Shape& shape = part.whole->shape();
      const std::int64_t pitch = shape[shape.rank() - 1] * size;
      const auto from = part.whole->bytes().begin() + row * pitch + part.columns.begin * size;
      bytes.insert(bytes.end(), from, from + part.columns.size() * size);
    }
  }
  const bool vector = parts.front().whole->shape().rank() == 1;
  return {vector ? Shape{width} : Shape{rows.size(), width}, dtype, std::move(bytes)};
}

// Places the weights of one rank.
class WeightPlacer {
 public:
  WeightPlacer(Torch& torch, const ModelSpec& model, const LayerPlacement& placement, DType dtype,
               const HostLayerWeights* host)
      : torch_(torch), model_(model), placement_(placement), dtype_(dtype), host_(host),
        tp_(placement.parallelism.tp), heads_(equal_part(model.q_heads, tp_, placement.rank)),
        kv_heads_(kv_heads_of_rank(model, placement.parallelism, placement.rank)),
        ffn_(equal_part(model.ffn, tp_, placement.rank)) {}

  LayerWeights place() {
    LayerWeights made;
    norms(made);
    attention(made);
    for (std::size_t e = 0; e < static_cast<std::size_t>(model_.experts); ++e)
      made.experts.push_back(mlp(host_ != nullptr ? &host_->experts[e] : nullptr));
    if (model_.is_mixture())
      made.router = tensor(
          "router_weight", {model_.hidden, model_.experts},
          ops::columns_over(placement_.grid, model_.experts),
          {{host_ != nullptr ? host_->router : nullptr, {0, model_.hidden}, {0, model_.experts}}});
    if (model_.attention_bias)
      made.output_bias = vector_of_all("output_bias", &HostLayerWeights::output_bias);
    if (model_.mlp_bias) made.down_bias = vector_of_all("down_bias", &HostLayerWeights::down_bias);
    return made;
  }

 private:
  Range elements(const Range& heads) const {
    return {heads.begin * model_.d_head, heads.end * model_.d_head};
  }

  Tensor tensor(const std::string& name, const Shape& shape, const DPPolicy& policy,
                const std::vector<WeightPart>& parts) {
    Tensor made = torch_.empty(shape, dtype_, policy, name);
    if (host_ != nullptr) torch_.untimed([&] { made.copy_(side_by_side(parts)); });
    return made;
  }

  // A copy on each PE that normalises rows or adds to them.
  Tensor vector_of_all(const std::string& name, HostWeight HostLayerWeights::*member) {
    const Shape shape{model_.hidden};
    const DPPolicy copies{Placement::replicate, Placement::replicate, placement_.grid.cubes,
                          placement_.grid.pes};
    return tensor(name, shape, copies,
                  {{host_ != nullptr ? host_->*member : nullptr, {0, 1}, {0, model_.hidden}}});
  }

  void norms(LayerWeights& made) {
    made.attention_norm = vector_of_all("attention_norm", &HostLayerWeights::attention_norm);
    made.mlp_norm = vector_of_all("mlp_norm", &HostLayerWeights::mlp_norm);
    if (model_.norm != NormKind::layer) return;
    made.attention_norm_bias =
        vector_of_all("attention_norm_bias", &HostLayerWeights::attention_norm_bias);
    made.mlp_norm_bias = vector_of_all("mlp_norm_bias", &HostLayerWeights::mlp_norm_bias);
  }

  void attention(LayerWeights& made) {
    const Range q = elements(heads_), kv = elements(kv_heads_), all{0, model_.hidden};
    const std::int64_t width = q.size() + 2 * kv.size();
    const DPPolicy policy = ops::columns_over(placement_.grid, width);
    const auto parts = [&](const Range& rows, HostWeight HostLayerWeights::*of_q,
                           HostWeight HostLayerWeights::*of_k, HostWeight HostLayerWeights::*of_v) {
      std::vector<WeightPart> made_parts;
      if (host_ == nullptr) return made_parts;
      made_parts = {{host_->*of_q, rows, q}, {host_->*of_k, rows, kv}, {host_->*of_v, rows, kv}};
      return made_parts;
    };
    made.qkv = tensor("qkv_weight", {model_.hidden, width}, policy,
                      parts(all, &HostLayerWeights::q, &HostLayerWeights::k, &HostLayerWeights::v));
    if (model_.attention_bias)
      made.qkv_bias = tensor("qkv_bias", {width}, policy,
                             parts({0, 1}, &HostLayerWeights::q_bias, &HostLayerWeights::k_bias,
                                   &HostLayerWeights::v_bias));
    made.output = by_chunks("output_weight", host_ != nullptr ? host_->output : nullptr, q);
  }

  // The rows of a matrix {in, hidden} that the rank has, cut into chunks of columns.
  std::vector<Tensor> by_chunks(const std::string& name, const HostWeight& whole,
                                const Range& rows) {
    std::vector<Tensor> made;
    for (int chunk = 0; chunk < placement_.chunks; ++chunk) {
      const Range columns = equal_part(model_.hidden, placement_.chunks, chunk);
      made.push_back(tensor(name, {rows.size(), columns.size()},
                            ops::columns_over(placement_.grid, columns.size()),
                            {{whole, rows, columns}}));
    }
    return made;
  }

  MlpWeights mlp(const HostMlpWeights* host) {
    const DPPolicy policy = ops::columns_over(placement_.grid, ffn_.size());
    const auto part = [&](const char* name, HostWeight HostMlpWeights::*member, const Range& rows,
                          const Shape& shape) {
      return tensor(name, shape, policy, {{host != nullptr ? host->*member : nullptr, rows, ffn_}});
    };
    const Range all{0, model_.hidden};
    const Shape matrix{model_.hidden, ffn_.size()};
    MlpWeights made;
    if (model_.activation == ActivationKind::swiglu)
      made.gate = part("gate_weight", &HostMlpWeights::gate, all, matrix);
    made.up = part("up_weight", &HostMlpWeights::up, all, matrix);
    if (model_.mlp_bias)
      made.up_bias = part("up_bias", &HostMlpWeights::up_bias, {0, 1}, {ffn_.size()});
    made.down = by_chunks("down_weight", host != nullptr ? host->down : nullptr, ffn_);
    return made;
  }

  Torch& torch_;
  const ModelSpec& model_;
  const LayerPlacement& placement_;
  DType dtype_;
  const HostLayerWeights* host_;
  std::int64_t tp_;
  Range heads_, kv_heads_, ffn_;
};

}  // namespace

HostLayerWeights draw_layer_weights(const ModelSpec& model, const DrawWeight& draw) {
  const std::int64_t hidden = model.hidden, q = model.q_heads * model.d_head,
                     kv = model.kv_heads * model.d_head;
  const auto matrix = [&](std::int64_t in, std::int64_t out) {
    const double factor = std::exp2(-std::round(std::log2(static_cast<double>(in)) / 2));
    return draw({in, out}, factor, false);
  };
  const auto bias = [&](std::int64_t width) { return draw({width}, 0.5, false); };
  HostLayerWeights made;
  made.attention_norm = draw({hidden}, 0.5, true);
  made.mlp_norm = draw({hidden}, 0.5, true);
  if (model.norm == NormKind::layer) {
    made.attention_norm_bias = bias(hidden);
    made.mlp_norm_bias = bias(hidden);
  }
  made.q = matrix(hidden, q);
  made.k = matrix(hidden, kv);
  made.v = matrix(hidden, kv);
  made.output = matrix(q, hidden);
  if (model.attention_bias) {
    made.q_bias = bias(q);
    made.k_bias = bias(kv);
    made.v_bias = bias(kv);
    made.output_bias = bias(hidden);
  }
  if (model.is_mixture()) made.router = matrix(hidden, model.experts);
  for (std::int64_t e = 0; e < model.experts; ++e) {
    HostMlpWeights expert;
    if (model.activation == ActivationKind::swiglu) expert.gate = matrix(hidden, model.ffn);
    expert.up = matrix(hidden, model.ffn);
    expert.down = matrix(model.ffn, hidden);
    if (model.mlp_bias) expert.up_bias = bias(model.ffn);
    made.experts.push_back(std::move(expert));
  }
  if (model.mlp_bias) made.down_bias = bias(hidden);
  return made;
}

LayerWeights place_layer_weights(Torch& torch, const ModelSpec& model,
                                 const LayerPlacement& placement, DType dtype,
                                 const HostLayerWeights* host) {
  if (placement.chunks < 1 || placement.chunks > model.hidden)
    throw UsageError(fmt::format("model '{}': {} chunks, allowed: 1 to hidden, {}", model.name,
                                 placement.chunks, model.hidden));
  return WeightPlacer(torch, model, placement, dtype, host).place();
}

ops::Range kv_heads_of_rank(const ModelSpec& model, const Parallelism& parallelism, int rank) {
  const std::int64_t first = model.kv_heads * rank / parallelism.tp;
  return {first, first + std::max<std::int64_t>(1, model.kv_heads / parallelism.tp)};
}

}  // namespace kernbench
