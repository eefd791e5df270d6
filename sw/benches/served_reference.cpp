#include "sw/benches/served_reference.h"

#include <memory>
#include <utility>

#include "sw/benches/model_ranks.h"

namespace kernbench::benches {
namespace {

// f32: rounding between layers is far below that of the machine.
HostWeight array_of(const Shape& shape, const std::vector<double>& values) {
  return std::make_shared<const HostArray>(shape, f32, values);
}

// Columns of each rank for all rows, rank by rank.
std::vector<double> by_ranks(const std::vector<double>& values, std::size_t width,
                             std::size_t ranks) {
  std::vector<double> parts;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (std::size_t row = 0; row < values.size(); row += width) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(row + rank * width / ranks);
      parts.insert(parts.end(), first, first + static_cast<std::ptrdiff_t>(width / ranks));
    }
  }
  return parts;
}

}  // namespace

ops::TokenBatch token_batch(const serving::Batch& batch, const ServedSetup& setup) {
  ops::TokenBatch made;
  for (const serving::BatchSequence& sequence : batch) {
    const std::int64_t context = std::int64_t{sequence.context_tokens} + sequence.new_tokens;
    made.sequences.push_back({sequence.new_tokens, context, *sequence.blocks});
    for (std::uint32_t& block : made.sequences.back().blocks) block = setup.place_of(block);
  }
  return made;
}

std::vector<std::int64_t> emitting_rows(const serving::Batch& batch) {
  std::vector<std::int64_t> rows;
  std::int64_t end = 0;
  for (const serving::BatchSequence& sequence : batch) {
    end += sequence.new_tokens;
    if (sequence.emits) rows.push_back(end - 1);
  }
  return rows;
}

ServedReference::ServedReference(Torch& torch, const ServedSetup& setup,
                                 const std::vector<serving::Request>& requests)
    : setup_(setup), cache_(setup.cache(setup.model.kv_heads)) {
  const auto draw = [&](const Shape& shape, double factor, bool norm) {
    return draw_weight(torch, setup.dtype, shape, factor, norm);
  };
  if (setup.all_layers) {
    cache_.blocks = 0;
    for (const serving::Request& request : requests) {
      first_block_.push_back(static_cast<std::uint32_t>(cache_.blocks));
      const std::int64_t tokens = std::int64_t{request.prompt_tokens} + request.output_tokens;
      cache_.blocks += (tokens + cache_.block_tokens - 1) / cache_.block_tokens;
    }
  }
  const Shape cache{cache_.rows(), cache_.d};
  for (std::int64_t i = 0; i < setup.simulated_layers(); ++i) {
    LayerState layer{draw_layer_weights(setup.model, draw), {}, {}};
    for (HostWeight* values : {&layer.k, &layer.v})
      *values = setup.all_layers ? std::make_shared<const HostArray>(HostArray::full(cache, f32, 0))
                                 : draw(cache, 1, false);
    layers_.push_back(std::move(layer));
  }
  head_ = draw_lm_head(setup.model, draw);
  std::uint64_t seed = 0;
  for (const double digit : torch.random({12}, i32).values())  // -8 to 8
    seed = 17 * seed + static_cast<std::uint64_t>(digit + 8);
  generator_.seed(seed);
}

const HostArray& ServedReference::input(std::size_t iteration, const serving::Batch& batch) {
  if (iteration < iterations_.size()) return *iterations_[iteration].x;
  Iteration made;
  made.batch = token_batch(batch, setup_);
  for (std::size_t i = 0; setup_.all_layers && i < batch.size(); ++i) {
    std::uint32_t block = first_block_[batch[i].request];
    for (std::uint32_t& each : made.batch.sequences[i].blocks) each = block++;
  }
  made.emitting = emitting_rows(batch);
  made.x = std::make_shared<const HostArray>(
      HostArray::random({made.batch.tokens(), setup_.model.hidden}, setup_.dtype, generator_));
  iterations_.push_back(std::move(made));
  return *iterations_.back().x;
}

const ServedReference::Iteration& ServedReference::computed(std::size_t iteration) {
  const std::lock_guard<std::mutex> lock(mutex_);
  while (computed_ <= iteration) compute(iterations_[computed_++]);
  return iterations_[iteration];
}

void ServedReference::compute(Iteration& iteration) {
  reference::LayerInput in;
  in.model = setup_.model;
  in.batch = iteration.batch;
  in.cache = cache_;
  in.x = iteration.x;
  for (LayerState& layer : layers_) {
    in.weights = layer.weights;
    in.k = layer.k;
    in.v = layer.v;
    reference::LayerResult result = reference::transformer_layer(in);
    const Shape cache = in.k->shape();
    layer.k = array_of(cache, result.k);
    layer.v = array_of(cache, result.v);
    in.x = array_of(iteration.x->shape(), result.out);
    iteration.hidden = std::move(result.out);
  }
  std::vector<double> last;
  const std::int64_t hidden = setup_.model.hidden;
  for (const std::int64_t row : iteration.emitting)
    last.insert(last.end(), iteration.hidden.begin() + row * hidden,
                iteration.hidden.begin() + (row + 1) * hidden);
  iteration.logits = by_ranks(reference::logits(last, setup_.model, head_),
                              static_cast<std::size_t>(head_.projection->shape()[1]),
                              static_cast<std::size_t>(setup_.parallelism.tp));
}

}  // namespace kernbench::benches
