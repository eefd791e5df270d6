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

// Extents of the smallest part after a cut into `parts`, and the number of parts, at most `count`.
// A grid of tiles has no more parts than the shorter side has elements.
int cut_extents(const Placement& placement, int count, std::int64_t& rows, std::int64_t& columns) {
  if (!placement.cuts()) return count;
  std::int64_t limit = std::min(rows, columns);
  if (!placement.tiles()) limit = placement == Placement::row_wise ? rows : columns;
  const std::int64_t parts = std::clamp<std::int64_t>(limit, 1, count);
  if (placement.tiles() || placement == Placement::row_wise) rows /= parts;
  if (placement.tiles() || placement == Placement::column_wise) columns /= parts;
  return static_cast<int>(parts);
}

// The placement of a matrix on as many PEs as have a part of it.
DPPolicy weight_policy(const LayerPlacement& placement, const Shape& shape) {
  std::int64_t rows = shape[0], columns = shape[1];
  const int cubes = cut_extents(placement.weights_over_cubes, placement.grid.cubes, rows, columns),
            pes = cut_extents(placement.weights_over_pes, placement.grid.pes, rows, columns);
  return {placement.weights_over_cubes, placement.weights_over_pes, cubes, pes};
}

// Places the weights of one rank.
class WeightPlacer {
 public:
  WeightPlacer(Torch& torch, const ModelSpec& model, const LayerPlacement& placement, DType dtype,
               const HostLayerWeights* host)
      : torch_(torch), model_(model), placement_(placement), dtype_(dtype), host_(host),
        tp_(placement.parallelism.tp), heads_(equal_part(model.q_heads, tp_, placement.rank)),
        kv_heads_(kv_heads_of_rank(model, placement.parallelism, placement.rank)),
        ffn_(placement.parallelism.expert ? Range{0, model.ffn}
                                          : equal_part(model.ffn, tp_, placement.rank)),
        experts_(placement.parallelism.expert ? equal_part(model.experts, tp_, placement.rank)
                                              : Range{0, model.experts}) {}

  LayerWeights place() {
    LayerWeights made;
    norms(made);
    attention(made);
    for (std::int64_t e = experts_.begin; e < experts_.end; ++e)
      made.experts.push_back(
          mlp(host_ != nullptr ? &host_->experts[static_cast<std::size_t>(e)] : nullptr));
    if (model_.is_mixture())
      made.router = matrix(
          "router_weight", {model_.hidden, model_.experts},
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

  Tensor matrix(const std::string& name, const Shape& shape, const std::vector<WeightPart>& parts) {
    return tensor(name, shape, weight_policy(placement_, shape), parts);
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
    const auto parts = [&](const Range& rows, HostWeight HostLayerWeights::*of_q,
                           HostWeight HostLayerWeights::*of_k, HostWeight HostLayerWeights::*of_v) {
      std::vector<WeightPart> made_parts;
      if (host_ == nullptr) return made_parts;
      made_parts = {{host_->*of_q, rows, q}, {host_->*of_k, rows, kv}, {host_->*of_v, rows, kv}};
      return made_parts;
    };
    made.qkv = matrix("qkv_weight", {model_.hidden, width},
                      parts(all, &HostLayerWeights::q, &HostLayerWeights::k, &HostLayerWeights::v));
    if (model_.attention_bias)
      made.qkv_bias = tensor("qkv_bias", {width}, ops::columns_over(placement_.grid, width),
                             parts({0, 1}, &HostLayerWeights::q_bias, &HostLayerWeights::k_bias,
                                   &HostLayerWeights::v_bias));
    made.output = column_parts("output_weight", host_ != nullptr ? host_->output : nullptr, q,
                               placement_.cut.columns);
  }

  // The rows of a matrix {in, hidden} that the rank has, in parts of its columns.
  std::vector<Tensor> column_parts(const std::string& name, const HostWeight& whole,
                                   const Range& rows, int parts) {
    std::vector<Tensor> made;
    for (int part = 0; part < parts; ++part) {
      const Range columns = equal_part(model_.hidden, parts, part);
      made.push_back(matrix(name, {rows.size(), columns.size()}, {{whole, rows, columns}}));
    }
    return made;
  }

  MlpWeights mlp(const HostMlpWeights* host) {
    const auto part = [&](HostWeight HostMlpWeights::*member, const Range& rows) {
      return std::vector<WeightPart>{{host != nullptr ? host->*member : nullptr, rows, ffn_}};
    };
    const Range all{0, model_.hidden};
    const Shape shape{model_.hidden, ffn_.size()};
    MlpWeights made;
    if (model_.activation == ActivationKind::swiglu)
      made.gate = matrix("gate_weight", shape, part(&HostMlpWeights::gate, all));
    made.up = matrix("up_weight", shape, part(&HostMlpWeights::up, all));
    if (model_.mlp_bias)
      made.up_bias =
          tensor("up_bias", {ffn_.size()}, ops::columns_over(placement_.grid, ffn_.size()),
                 part(&HostMlpWeights::up_bias, {0, 1}));
    // Results of experts of one rank are not reduced.
    made.down = column_parts("down_weight", host != nullptr ? host->down : nullptr, ffn_,
                             placement_.parallelism.expert ? 1 : placement_.cut.columns);
    return made;
  }

  Torch& torch_;
  const ModelSpec& model_;
  const LayerPlacement& placement_;
  DType dtype_;
  const HostLayerWeights* host_;
  std::int64_t tp_;
  Range heads_, kv_heads_, ffn_, experts_;
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
  const int columns = placement.cut.columns;
  if (columns < 1 || columns > model.hidden)
    throw UsageError(
        fmt::format("model '{}': results in {} parts of columns, allowed: 1 to "
                    "hidden, {}",
                    model.name, columns, model.hidden));
  return WeightPlacer(torch, model, placement, dtype, host).place();
}

ops::Range kv_heads_of_rank(const ModelSpec& model, const Parallelism& parallelism, int rank) {
  const std::int64_t first = model.kv_heads * rank / parallelism.tp;
  return {first, first + std::max<std::int64_t>(1, model.kv_heads / parallelism.tp)};
}

}  // namespace kernbench
