#include "sw/models/lm_head.h"

#include <cmath>

#include "sw/ops/matmul.h"
#include "sw/ops/norm.h"

namespace kernbench {
namespace {

HostArray columns_of(const HostArray& matrix, const ops::Range& columns) {
  const std::int64_t rows = matrix.shape()[0], width = matrix.shape()[1];
  const auto size = static_cast<std::int64_t>(size_of(matrix.dtype()));
  std::vector<std::uint8_t> bytes;
  bytes.reserve(static_cast<std::size_t>(rows * columns.size() * size));
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto from = matrix.bytes().begin() + (row * width + columns.begin) * size;
    bytes.insert(bytes.end(), from, from + columns.size() * size);
  }
  return {Shape{rows, columns.size()}, matrix.dtype(), std::move(bytes)};
}

}  // namespace

HostLmHead draw_lm_head(const ModelSpec& model, const DrawWeight& draw) {
  HostLmHead made;
  made.norm = draw({model.hidden}, 0.5, true);
  if (model.norm == NormKind::layer) made.norm_bias = draw({model.hidden}, 0.5, false);
  const double factor = std::exp2(-std::round(std::log2(static_cast<double>(model.hidden)) / 2));
  made.projection = draw({model.hidden, rank_share(model, {}, {}).vocab}, factor, false);
  return made;
}

LmHead::LmHead(Torch& torch, const ModelSpec& model, const LayerPlacement& placement, DType dtype,
               const HostLmHead* host)
    : torch_(torch), model_(model), placement_(placement) {
  const auto place = [&](const char* name, const Shape& shape, const DPPolicy& policy) {
    return torch.empty(shape, dtype, policy, name);
  };
  const DPPolicy copies{Placement::replicate, Placement::replicate, placement.grid.cubes,
                        placement.grid.pes};
  const std::int64_t width = rank_share(model, placement.parallelism, {}).vocab;
  norm_ = place("final_norm", {model.hidden}, copies);
  if (model.norm == NormKind::layer) norm_bias_ = place("final_norm_bias", {model.hidden}, copies);
  projection_ =
      place("lm_head_weight", {model.hidden, width}, ops::columns_over(placement.grid, width));
  if (host == nullptr) return;
  torch.untimed([&] {
    norm_.copy_(*host->norm);
    if (norm_bias_.deployed()) norm_bias_.copy_(*host->norm_bias);
    projection_.copy_(
        columns_of(*host->projection, {placement.rank * width, (placement.rank + 1) * width}));
  });
}

Tensor LmHead::forward(const Tensor& x, const std::vector<std::int64_t>& rows) {
  const auto count = static_cast<std::int64_t>(rows.size());
  const ops::PeGrid& grid = placement_.grid;
  const DType dtype = projection_.dtype();
  const DPPolicy by_rows = ops::rows_over(grid, count);
  const Tensor last = torch_.empty({count, model_.hidden}, dtype, by_rows, "last_tokens"),
               h = torch_.empty({count, model_.hidden}, dtype, by_rows, "final_normalised");
  std::vector<ops::RowCopy> copies;
  for (std::int64_t i = 0; i < count; ++i) copies.push_back({rows[static_cast<std::size_t>(i)], i});
  ops::copy_rows(torch_, x, copies, last, "last_tokens");
  if (model_.norm == NormKind::layer)
    ops::layer_norm(torch_, last, norm_, norm_bias_, h, norm_epsilon, "final_norm");
  else
    ops::rms_norm(torch_, last, norm_, h, norm_epsilon, "final_norm");
  const std::int64_t width = projection_.shape()[1], tp = placement_.parallelism.tp;
  const DPPolicy by_columns = ops::columns_over(grid, width);
  Tensor logits = torch_.empty({count, width}, dtype, by_columns, "logits");
  ops::MatmulOptions options;
  options.name = "lm_head";
  ops::matmul(torch_, h, projection_, logits, options);
  if (tp == 1) return logits;
  Tensor all = torch_.empty({tp * count, width}, dtype, by_columns, "all_logits");
  torch_.distributed.all_gather_into_tensor(all, logits, placement_.group);
  return all;
}

}  // namespace kernbench
