#include "sw/models/layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/base/errors.h"
#include "sw/ops/experts.h"
#include "sw/ops/matmul.h"
#include "sw/ops/norm.h"
#include "sw/ops/rotary.h"
#include "sw/ops/swiglu.h"

namespace kernbench {
namespace {

// Bias, or none for an empty tensor.
std::optional<Tensor> optional(const Tensor& bias) {
  return bias.deployed() ? std::optional<Tensor>(bias) : std::nullopt;
}

}  // namespace

TransformerLayer::TransformerLayer(Torch& torch, const ModelSpec& model,
                                   const LayerPlacement& placement, LayerWeights weights)
    : torch_(torch), model_(model), placement_(placement), weights_(std::move(weights)),
      dtype_(weights_.qkv.dtype()) {}

Tensor TransformerLayer::columns(std::int64_t rows, std::int64_t count, const std::string& name) {
  return torch_.empty({rows, count}, dtype_, ops::columns_over(placement_.grid, count), name);
}

Tensor TransformerLayer::rows(std::int64_t count, std::int64_t width, const std::string& name) {
  return torch_.empty({count, width}, dtype_, ops::rows_over(placement_.grid, count), name);
}

void TransformerLayer::forward(const Tensor& x, const ops::TokenBatch& batch,
                               const ops::KvCache& cache) {
  attention_block(x, batch, cache);
  mlp_block(x);
}

Tensor TransformerLayer::normalised(const Tensor& x, const std::string& part, const Tensor& gamma,
                                    const Tensor& beta, std::int64_t tokens,
                                    const LaunchSpec& launch) {
  const std::int64_t own = x.shape()[0];
  const Tensor h = rows(own, model_.hidden, part + "_normalised");
  if (model_.norm == NormKind::layer)
    ops::layer_norm(torch_, x, gamma, beta, h, norm_epsilon, launch);
  else
    ops::rms_norm(torch_, x, gamma, h, norm_epsilon, launch);
  if (own == tokens) return h;
  // all_gather requires the result on the PEs of the parts.
  const Tensor all = torch_.empty({tokens, model_.hidden}, dtype_,
                                  ops::rows_over(placement_.grid, own), part + "_gathered");
  torch_.distributed.all_gather_into_tensor(all, h, placement_.group);
  return all;
}

TransformerLayer::Product TransformerLayer::projected(const Tensor& a, const Tensor& weight,
                                                      const std::string& op) {
  const Tensor product = columns(a.shape()[0], weight.shape()[1], op + "_product");
  ops::MatmulOptions options;
  options.name = op;
  ops::matmul(torch_, a, weight, product, options);
  return {product};
}

void TransformerLayer::add_reduced(const Tensor& x,
                                   const std::function<Product(std::size_t)>& product_of_chunk,
                                   const Tensor& bias, const std::string& part) {
  const bool reduces = placement_.parallelism.tp > 1;
  struct Chunk {
    Tensor product, sum;
    Work work;
  };
  std::vector<Chunk> chunks;
  for (int i = 0; i < placement_.chunks; ++i) {
    const auto [product, by_rows] = product_of_chunk(static_cast<std::size_t>(i));
    Chunk chunk{product, product, {}};
    if (reduces && placement_.parallelism.sequence) {
      const std::int64_t width = product.shape()[1], own = x.shape()[0];
      chunk.sum = by_rows ? rows(own, width, part + "_sum") : columns(own, width, part + "_sum");
      chunk.work = torch_.distributed.reduce_scatter_tensor(chunk.sum, product, "sum",
                                                            {placement_.group, true});
    } else if (reduces) {
      chunk.work = torch_.distributed.all_reduce(product, "sum", {placement_.group, true});
    }
    chunks.push_back(std::move(chunk));
  }
  std::int64_t column = 0;
  for (Chunk& chunk : chunks) {
    if (reduces) chunk.work.wait();
    ops::add_columns_(torch_, x, chunk.sum, column, optional(bias), part + "_residual");
    column += chunk.sum.shape()[1];
  }
}

TransformerLayer::Angles TransformerLayer::angles_of(const ops::TokenBatch& batch,
                                                     const DPPolicy& policy) {
  const Shape shape{batch.tokens(), model_.d_head / 2};
  Angles made{torch_.empty(shape, f32, policy, "cos"), torch_.empty(shape, f32, policy, "sin")};
  if (!torch_.with_data()) return made;
  // Rows of tables that a model computes once.
  torch_.untimed([&] {
    const std::vector<std::int64_t> positions = batch.positions();
    const auto table = [&](double (*function)(double)) {
      return HostArray(shape, f32,
                       ops::rotary_table(positions, model_.d_head, model_.rotary_theta, function));
    };
    made.cos.copy_(table(&std::cos));
    made.sin.copy_(table(&std::sin));
  });
  return made;
}

Tensor TransformerLayer::rotated(const Tensor& qkv, const ops::TokenBatch& batch,
                                 std::int64_t columns) {
  const Angles angles = angles_of(batch, ops::rows_over(placement_.grid, batch.tokens()));
  const Tensor result = rows(batch.tokens(), columns, "rotated");
  ops::rotary(torch_, qkv, model_.d_head, angles.cos, angles.sin, result);
  return result;
}

void TransformerLayer::attention_block(const Tensor& x, const ops::TokenBatch& batch,
                                       const ops::KvCache& cache) {
  ops::check_batch(model_.name, batch, cache.shape);
  const std::int64_t tokens = batch.tokens(),
                     q = model_.q_heads / placement_.parallelism.tp * model_.d_head,
                     kv = cache.shape.kv_heads * model_.d_head;
  LaunchSpec first("attention_norm");
  if (placement_.rank == 0) first.meta({{"tokens", std::to_string(tokens)}});
  const Tensor h = normalised(x, "attention", weights_.attention_norm, weights_.attention_norm_bias,
                              tokens, first);
  const Tensor qkv = columns(tokens, q + 2 * kv, "qkv");
  ops::MatmulOptions options;
  options.bias = optional(weights_.qkv_bias);
  options.name = "qkv";
  ops::matmul(torch_, h, weights_.qkv, qkv, options);
  const Tensor queries =
      model_.positions == PositionKind::rotary ? rotated(qkv, batch, q + kv) : qkv;
  ops::append(torch_, batch, queries, q, qkv, q + kv, cache);
  const Tensor attended = rows(tokens, q, "attended");
  ops::attend(torch_, batch, q / kv, queries, cache, attended, placement_.grid);
  add_reduced(
      x,
      [&](std::size_t chunk) {
        return projected(attended, weights_.output[chunk], "attention_output");
      },
      weights_.output_bias, "attention");
}

void TransformerLayer::mlp_block(const Tensor& x) {
  const std::int64_t tokens =
      x.shape()[0] * (placement_.parallelism.sequence ? placement_.parallelism.tp : 1);
  const Tensor h =
      normalised(x, "mlp", weights_.mlp_norm, weights_.mlp_norm_bias, tokens, "mlp_norm");
  if (model_.is_mixture()) return mixture(x, h);
  const MlpWeights& mlp = weights_.experts.front();
  const Tensor hidden = hidden_layer(h, mlp);
  add_reduced(
      x, [&](std::size_t chunk) { return projected(hidden, mlp.down[chunk], "down"); },
      weights_.down_bias, "mlp");
}

Tensor TransformerLayer::hidden_layer(const Tensor& h, const MlpWeights& expert) {
  const std::int64_t tokens = h.shape()[0], ffn = expert.up.shape()[1];
  const Tensor up = columns(tokens, ffn, "up");
  ops::MatmulOptions options;
  options.bias = optional(expert.up_bias);
  options.name = "up";
  if (model_.activation == ActivationKind::gelu) {
    options.activation = ops::Activation::gelu;
    ops::matmul(torch_, h, expert.up, up, options);
    return up;
  }
  const Tensor gate = columns(tokens, ffn, "gate"), hidden = columns(tokens, ffn, "hidden");
  ops::matmul(torch_, h, expert.gate, gate, options);
  ops::matmul(torch_, h, expert.up, up, options);
  ops::swiglu(torch_, gate, up, hidden, "activation");
  return hidden;
}

// The experts are computed sequentially, each by all PEs.
void TransformerLayer::mixture(const Tensor& x, const Tensor& h) {
  const std::int64_t tokens = h.shape()[0];
  const Tensor logits = torch_.empty({tokens, model_.experts}, f32,
                                     ops::columns_over(placement_.grid, model_.experts), "logits");
  ops::MatmulOptions options;
  options.name = "router";
  ops::matmul(torch_, h, weights_.router, logits, options);
  const RoutedTokens routed = routed_tokens(logits);

  std::vector<Tensor> hidden(weights_.experts.size());
  for (std::size_t e = 0; e < hidden.size(); ++e) {
    const auto& list = routed.of_expert[e];
    if (list.empty()) continue;
    const Tensor packed = rows(static_cast<std::int64_t>(list.size()), model_.hidden, "packed");
    ops::gather_rows(torch_, h, list, packed, "dispatch");
    hidden[e] = hidden_layer(packed, weights_.experts[e]);
  }
  const auto weighted_sum = [&](std::size_t chunk) {
    const std::int64_t width = weights_.experts.front().down[chunk].shape()[1];
    // reduce_scatter requires the sum on the PEs that have the rank's rows of x.
    const Tensor sum = torch_.empty({tokens, width}, dtype_,
                                    ops::rows_over(placement_.grid, x.shape()[0]), "mixture");
    for (std::size_t e = 0; e < hidden.size(); ++e) {
      if (routed.of_expert[e].empty()) continue;
      const Tensor product = projected(hidden[e], weights_.experts[e].down[chunk], "down").tensor;
      ops::add_weighted_rows_(torch_, product, routed.weights, routed.of_expert[e],
                              routed.begins[e], sum, "combine");
    }
    return Product{sum, true};
  };
  add_reduced(x, weighted_sum, weights_.down_bias, "mlp");
}

TransformerLayer::RoutedTokens TransformerLayer::routed_tokens(const Tensor& logits) {
  const Shape shape{logits.shape()[0], model_.top_k};
  const DPPolicy policy = ops::rows_over(placement_.grid, shape[0]);
  const Tensor chosen = torch_.empty(shape, i32, policy, "chosen");
  RoutedTokens routed;
  routed.weights = torch_.empty(shape, f32, policy, "expert_weights");
  std::vector<double> experts;
  if (placement_.routing == Routing::computed) {
    ops::route(torch_, logits, chosen, routed.weights);
    experts = chosen.to_host().values();
  } else {
    for (std::int64_t i = 0; i < shape.elements(); ++i)
      experts.push_back(static_cast<double>(i % model_.experts));
    Tensor assigned = torch_.empty(shape, i32, policy, "assigned");
    if (torch_.with_data()) torch_.untimed([&] { assigned.copy_(HostArray(shape, i32, experts)); });
    ops::route(torch_, logits, chosen, routed.weights, assigned);
  }
  // The experts add in ascending order: the lowest one of a token begins its sum.
  routed.of_expert.resize(static_cast<std::size_t>(model_.experts));
  routed.begins.resize(routed.of_expert.size());
  for (std::int64_t token = 0; token < shape[0]; ++token) {
    const auto first = experts.begin() + token * model_.top_k;
    const double lowest = *std::min_element(first, first + model_.top_k);
    for (std::int64_t i = 0; i < model_.top_k; ++i) {
      const auto expert = static_cast<std::size_t>(first[i]);
      routed.of_expert[expert].push_back({token, i});
      routed.begins[expert].push_back(first[i] == lowest);
    }
  }
  return routed;
}

}  // namespace kernbench
