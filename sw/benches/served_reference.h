// ServedReference: weights, inputs and expected results of an LLM server's iterations, in double
// precision; shared by the ranks.
//
// With all layers each request has tokens of its own in the reference's cache, whatever blocks the
// scheduler selects. With one layer batches may have rounded contexts (serving::IterationMemo), and
// the reference follows the block tables from a cache with drawn values.
#pragma once

#include <mutex>
#include <random>
#include <vector>

#include "sw/benches/layer_reference.h"
#include "sw/models/lm_head.h"
#include "sw/serving/scheduler.h"

namespace kernbench::benches {

// Model, machine and limits of a server.
struct ServedSetup {
  ModelSpec model;
  Parallelism parallelism;
  DType dtype = DType::f16;
  ops::PeGrid grid;
  serving::ServingLimits limits;
  bool all_layers = false;         // else one is simulated
  std::uint32_t extra_blocks = 0;  // of the cache, for rounded contexts

  std::int64_t simulated_layers() const { return all_layers ? model.layers : 1; }
  // Whole blocks on each PE.
  ops::CacheShape cache(std::int64_t kv_heads) const {
    return {blocks_of_pe() * grid.count(), limits.block_tokens, kv_heads, model.d_head};
  }
  // Block of the cache: the scheduler's blocks are on the PEs in turn.
  std::uint32_t place_of(std::uint32_t block) const {
    const auto pes = static_cast<std::uint32_t>(grid.count());
    return block % pes * static_cast<std::uint32_t>(blocks_of_pe()) + block / pes;
  }

 private:
  std::int64_t blocks_of_pe() const {
    return (std::int64_t{limits.blocks} + extra_blocks + grid.count() - 1) / grid.count();
  }
};

ops::TokenBatch token_batch(const serving::Batch& batch, const ServedSetup& setup);
// Rows of the batch whose tokens emit.
std::vector<std::int64_t> emitting_rows(const serving::Batch& batch);

class ServedReference {
 public:
  ServedReference(Torch& torch, const ServedSetup& setup,
                  const std::vector<serving::Request>& requests);

  const HostLayerWeights& weights(std::size_t layer) const { return layers_[layer].weights; }
  const HostLmHead& head() const { return head_; }
  // Values in the cache of the layer at the start; null with all layers.
  const HostArray* k(std::size_t layer) const { return start_of(layers_[layer].k); }
  const HostArray* v(std::size_t layer) const { return start_of(layers_[layer].v); }
  // Hidden states before the first layer in an iteration. Each rank calls it for each iteration.
  const HostArray& input(std::size_t iteration, const serving::Batch& batch);

  // Expected values, computed on demand: hidden states {tokens, hidden} after the last simulated
  // layer; logits as LmHead::forward() has them.
  std::vector<double> hidden(std::size_t iteration) { return computed(iteration).hidden; }
  std::vector<double> logits(std::size_t iteration) { return computed(iteration).logits; }

 private:
  struct LayerState {
    HostLayerWeights weights;
    HostWeight k, v;  // after the iterations that are computed
  };
  struct Iteration {
    ops::TokenBatch batch;  // with the blocks of the reference's cache
    std::vector<std::int64_t> emitting;
    HostWeight x;
    std::vector<double> hidden, logits;
  };
  const HostArray* start_of(const HostWeight& cache) const {
    return setup_.all_layers ? nullptr : cache.get();
  }
  const Iteration& computed(std::size_t iteration);
  void compute(Iteration& iteration);

  const ServedSetup setup_;
  std::vector<LayerState> layers_;
  HostLmHead head_;
  ops::CacheShape cache_;
  std::vector<std::uint32_t> first_block_;  // of each request, with all layers
  std::mt19937_64 generator_;
  std::vector<Iteration> iterations_;
  std::size_t computed_ = 0;
  std::mutex mutex_;  // verification runs on several threads
};

}  // namespace kernbench::benches
