#include "sw/models/layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/base/errors.h"
#include "sw/ops/matmul.h"
#include "sw/ops/norm.h"
#include "sw/ops/residual.h"
#include "sw/ops/rotary.h"
#include "sw/ops/swiglu.h"

namespace kernbench {
namespace {

// Bias, or none for an empty tensor.
std::optional<Tensor> optional(const Tensor& bias) {
  return bias.deployed() ? std::optional<Tensor>(bias) : std::nullopt;
}

ops::Range part_of(std::int64_t extent, int parts, int index) {
  return {extent * index / parts, extent * (index + 1) / parts};
}

}  // namespace

ReductionCut reduction_cut(const ModelSpec& model, const Parallelism& parallelism,
                           std::int64_t tokens, int parts) {
  if (parallelism.tp == 1) return {};
  const bool has_bands =
      !parallelism.sequence && !model.is_mixture() && tokens >= parts * ops::matmul_block_rows;
  return has_bands ? ReductionCut{parts, 1} : ReductionCut{1, parts};
}

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

std::vector<Tensor> TransformerLayer::forward(const Tensor& x, const ops::TokenBatch& batch,
                                              const ops::KvCache& cache) {
  std::vector<std::vector<Addend>> attended = attention_block(x, batch, cache), results;
  std::vector<Tensor> between;
  for (std::size_t band = 0; band < attended.size(); ++band) {
    const ops::Range all = part_of(x.shape()[0], placement_.cut.bands, static_cast<int>(band));
    between.push_back(rows(all.size(), model_.hidden, "attention_sum"));
    add(x, all.begin, attended[band], weights_.output_bias, between.back(), "attention");
    results.push_back(mlp_block(between.back(), all.begin));
  }
  for (std::size_t band = 0; band < results.size(); ++band)
    add(between[band], 0, results[band], weights_.down_bias, x, "mlp");
  return between;
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

Tensor TransformerLayer::projected(const Tensor& a, const Tensor& weight, const std::string& op,
                                   const std::optional<ops::Range>& of_a) {
  const std::int64_t count = of_a ? of_a->size() : a.shape()[0];
  const Tensor product = columns(count, weight.shape()[1], op + "_product");
  ops::MatmulOptions options;
  options.name = op;
  options.rows = of_a;
  ops::matmul(torch_, a, weight, product, options);
  return product;
}

TransformerLayer::Addend TransformerLayer::reduced(const Tensor& product, bool by_rows,
                                                   const ops::Range& of_stream,
                                                   const ops::Range& of_columns,
                                                   const std::string& part) {
  Addend addend{product, of_stream, of_columns, {}};
  const CallOptions async{placement_.group, true};
  if (placement_.parallelism.tp == 1) return addend;
  if (!placement_.parallelism.sequence) {
    addend.work = torch_.distributed.all_reduce(product, "sum", async);
    return addend;
  }
  const std::int64_t own = of_stream.size(), width = of_columns.size();
  addend.tensor = by_rows ? rows(own, width, part + "_sum") : columns(own, width, part + "_sum");
  addend.work = torch_.distributed.reduce_scatter_tensor(addend.tensor, product, "sum", async);
  return addend;
}

void TransformerLayer::add(const Tensor& x, std::int64_t x_row, std::vector<Addend>& addends,
                           const Tensor& bias, const Tensor& out, const std::string& part) {
  for (Addend& addend : addends) {
    if (addend.work) addend.work->wait();
    ops::add_residual(torch_, x, addend.tensor, optional(bias), out,
                      {addend.rows, addend.columns, x_row}, part + "_residual");
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

std::vector<std::vector<TransformerLayer::Addend>> TransformerLayer::attention_block(
    const Tensor& x, const ops::TokenBatch& batch, const ops::KvCache& cache) {
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
  const Tensor input = weights_.output.size() == 1
                           ? attended
                           : ops::operand_of_products(torch_, attended, placement_.grid);
  std::vector<std::vector<Addend>> bands;
  for (int i = 0; i < placement_.cut.bands; ++i) {
    const ops::Range band = part_of(tokens, placement_.cut.bands, i),
                     own = part_of(x.shape()[0], placement_.cut.bands, i);
    bands.push_back({});
    std::int64_t column = 0;
    for (const Tensor& weight : weights_.output) {
      const Tensor product = projected(input, weight, "attention_output", band);
      bands.back().push_back(reduced(product, false, {0, own.size()},
                                     {column, column + weight.shape()[1]}, "attention"));
      column += weight.shape()[1];
    }
  }
  return bands;
}

std::vector<TransformerLayer::Addend> TransformerLayer::mlp_block(const Tensor& x,
                                                                  std::int64_t first) {
  const std::int64_t own = x.shape()[0];
  const bool distributes_experts = placement_.parallelism.expert && placement_.parallelism.tp > 1,
             gathers = placement_.parallelism.sequence && !distributes_experts;
  const Tensor h = normalised(x, "mlp", weights_.mlp_norm, weights_.mlp_norm_bias,
                              gathers ? own * placement_.parallelism.tp : own, "mlp_norm");
  if (model_.is_mixture())
    return distributes_experts ? distributed_mixture(h, own) : mixture(h, own);
  const MlpWeights& mlp = weights_.experts.front();
  Tensor hidden = hidden_layer(h, mlp);
  if (mlp.down.size() > 1) hidden = ops::operand_of_products(torch_, hidden, placement_.grid);
  std::vector<Addend> addends;
  std::int64_t column = 0;
  for (const Tensor& weight : mlp.down) {
    const ops::Range columns{column, column + weight.shape()[1]};
    addends.push_back(
        reduced(projected(hidden, weight, "down"), false, {first, first + own}, columns, "mlp"));
    column = columns.end;
  }
  return addends;
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
  const Tensor input = ops::operand_of_products(torch_, h, placement_.grid);
  ops::matmul(torch_, input, expert.gate, gate, options);
  ops::matmul(torch_, input, expert.up, up, options);
  ops::swiglu(torch_, gate, up, hidden, "activation");
  return hidden;
}

}  // namespace kernbench
