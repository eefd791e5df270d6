#include "sw/benches/served_model.h"

#include <fmt/format.h>

#include <utility>

#include "sw/benches/model_ranks.h"

namespace kernbench::benches {

ServedModel::ServedModel(Torch& torch, const ServedSetup& setup, int rank, Group group,
                         std::shared_ptr<ServedReference> reference)
    : torch_(torch),
      setup_(setup), placement_{setup.parallelism, rank, std::move(group), setup.grid},
      reference_(std::move(reference)),
      head_(torch, setup.model, placement_, setup.dtype,
            reference_ != nullptr ? &reference_->head() : nullptr) {
  const ops::Range heads = kv_heads_of_rank(setup.model, setup.parallelism, rank);
  for (std::size_t i = 0; i < static_cast<std::size_t>(setup.simulated_layers()); ++i) {
    const HostLayerWeights* weights = reference_ != nullptr ? &reference_->weights(i) : nullptr;
    const ops::KvCache cache =
        ops::make_kv_cache(torch, setup.cache(heads.size()), setup.dtype, setup.grid);
    if (reference_ != nullptr && reference_->k(i) != nullptr) {
      write_cache(cache.k, *reference_->k(i), heads);
      write_cache(cache.v, *reference_->v(i), heads);
    }
    layers_.push_back({{torch, setup.model, placement_,
                        place_layer_weights(torch, setup.model, placement_, setup.dtype, weights)},
                       cache});
  }
}

void ServedModel::write_cache(Tensor cache, const HostArray& values, const ops::Range& heads) {
  const ops::CacheShape whole = setup_.cache(setup_.model.kv_heads);
  torch_.untimed([&] {
    cache.copy_(
        HostArray(cache.shape(), setup_.dtype, cache_of_heads(values.values(), whole, heads)));
  });
}

void ServedModel::meet() {
  if (setup_.parallelism.tp > 1) torch_.distributed.barrier(placement_.group);
}

void ServedModel::install_rings(std::int64_t tokens, std::int64_t emitting) {
  if (setup_.parallelism.tp == 1) return;
  const auto zeros = [&](std::int64_t rows, std::int64_t columns, const DPPolicy& policy) {
    Tensor made;
    torch_.untimed([&] {
      made = torch_.zeros({rows, columns}, setup_.dtype, policy, "rings_of_size");
    });
    return made;
  };
  const std::int64_t hidden = setup_.model.hidden;
  if (reduced_.insert(tokens).second) {
    std::vector<DPPolicy> policies{ops::columns_over(setup_.grid, hidden)};
    if (setup_.model.is_mixture()) policies.push_back(ops::rows_over(setup_.grid, tokens));
    for (const DPPolicy& policy : policies)
      torch_.distributed.all_reduce(zeros(tokens, hidden, policy), "sum", placement_.group);
  }
  if (emitting == 0 || !gathered_.insert(emitting).second) return;
  const std::int64_t width = head_.columns(), tp = setup_.parallelism.tp;
  const DPPolicy policy = ops::columns_over(setup_.grid, width);
  torch_.distributed.all_gather_into_tensor(zeros(tp * emitting, width, policy),
                                            zeros(emitting, width, policy), placement_.group);
}

Fs ServedModel::operator()(const serving::Batch& batch) {
  ops::TokenBatch tokens = token_batch(batch, setup_);
  const std::vector<std::int64_t> emitting = emitting_rows(batch);
  const std::int64_t count = tokens.tokens();
  install_rings(count, static_cast<std::int64_t>(emitting.size()));
  Tensor x = torch_.empty({count, setup_.model.hidden}, setup_.dtype,
                          ops::rows_over(setup_.grid, count), "x");
  if (reference_ != nullptr)
    torch_.untimed([&] { x.copy_(reference_->input(iterations_, batch)); });
  meet();
  const auto times = static_cast<Fs>(setup_.model.layers / setup_.simulated_layers());
  const Fs tables = write_tables(tokens), layers = run_layers(x, tokens),
           head = run_head(x, emitting);
  ++iterations_;
  return tables + times * layers + head;
}

Fs ServedModel::write_tables(ops::TokenBatch& tokens) {
  const Fs begin = torch_.now();
  ops::write_block_tables(torch_, tokens, layers_.front().cache.shape, setup_.grid);
  meet();
  return torch_.now() - begin;
}

Fs ServedModel::run_layers(const Tensor& x, const ops::TokenBatch& tokens) {
  const Fs begin = torch_.now();
  for (Layer& each : layers_) each.layer.forward(x, tokens, each.cache);
  meet();
  const Fs time = torch_.now() - begin;
  verify(x, "hidden states", &ServedReference::hidden, 0);
  return time;
}

Fs ServedModel::run_head(const Tensor& x, const std::vector<std::int64_t>& emitting) {
  if (emitting.empty()) return 0;
  const auto found = head_times_.find(emitting.size());
  if (!setup_.all_layers && found != head_times_.end()) return found->second;
  const Fs begin = torch_.now();
  const Tensor logits = head_.forward(x, emitting);
  meet();
  const Fs time = torch_.now() - begin;
  verify(logits, "logits", &ServedReference::logits, 3);
  return head_times_[emitting.size()] = time;
}

// Roundings on the longest chain: those of llama-layer for each layer; of logits in addition norm,
// projection and their weights.
void ServedModel::verify(const Tensor& tensor, const char* label,
                         std::vector<double> (ServedReference::*values)(std::size_t),
                         std::int64_t further_roundings) {
  if (reference_ == nullptr) return;
  torch_.set_label(fmt::format("rank {}, iteration {}, {}: ", placement_.rank, iterations_, label));
  torch_.verify(
      tensor,
      [reference = reference_, values, iteration = iterations_] {
        return (*reference.*values)(iteration);
      },
      static_cast<double>((12 + 2 * setup_.parallelism.tp) * setup_.simulated_layers() +
                          further_roundings));
}

}  // namespace kernbench::benches
