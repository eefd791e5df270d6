// ServedModel: iterations of an LLM server on one rank of a machine, as an IterationTime of
// serving::serve(). Every rank runs the same scheduler, so that all have the same batch; the ranks
// meet before and after an iteration.
//
// An iteration is the copy of the block tables, the layers of the model, sequentially, and the LM
// head for the tokens that emit.
// Hidden states of the first layer are drawn: the embedding is not part of it, nor is sampling.
// With one simulated layer its time counts for each layer of the model, and the LM head is
// simulated once for each number of tokens that emit.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "sw/benches/served_reference.h"
#include "sw/models/lm_head.h"

namespace kernbench::benches {

class ServedModel {
 public:
  // Places weights and KV caches. `reference`: shared by the ranks; null with data off.
  ServedModel(Torch& torch, const ServedSetup& setup, int rank, Group group,
              std::shared_ptr<ServedReference> reference);

  // Time of the batch, from the first launch to the last one's end on all ranks. Registers the
  // verification of hidden states and logits.
  Fs operator()(const serving::Batch& batch);

 private:
  struct Layer {
    TransformerLayer layer;
    ops::KvCache cache;
  };
  void write_cache(Tensor cache, const HostArray& values, const ops::Range& heads);
  // Calls each collective of the iteration once if it has a new size: the first call installs the
  // rings of its algorithm.
  void install_rings(std::int64_t tokens, std::int64_t emitting);
  // Each returns the time that the ranks need together.
  Fs write_tables(ops::TokenBatch& tokens);
  Fs run_layers(const Tensor& x, const ops::TokenBatch& tokens);
  Fs run_head(const Tensor& x, const std::vector<std::int64_t>& emitting);
  void meet();
  void verify(const Tensor& tensor, const char* label,
              std::vector<double> (ServedReference::*values)(std::size_t),
              std::int64_t further_roundings);

  Torch& torch_;
  const ServedSetup& setup_;
  LayerPlacement placement_;
  std::shared_ptr<ServedReference> reference_;
  std::vector<Layer> layers_;
  LmHead head_;
  std::set<std::int64_t> reduced_, gathered_;  // sizes of collectives so far
  std::map<std::size_t, Fs> head_times_;       // by tokens that emit
  std::size_t iterations_ = 0;
};

}  // namespace kernbench::benches
