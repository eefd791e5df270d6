// tp-embedding: both ends of a language model over tensor-parallel SIPs: an embedding, logits, and
// their cross-entropy, with the vocabulary cut over the SIPs (sw/tp, ADR-0027).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/errors.h"
#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/benches/reference.h"
#include "sw/tp/linear.h"
#include "sw/tp/vocabulary.h"

namespace kernbench::benches {
namespace {

// Inputs, equal on all ranks.
struct Model {
  std::int64_t tokens, width, vocabulary, divisible_by;
  std::vector<double> ids, targets;
  HostArray table;  // {vocabulary, width}

  std::vector<double> embedded() const {
    const std::vector<double> rows = table.values();
    std::vector<double> found;
    for (const double id : ids) {
      const auto first = rows.begin() + static_cast<std::int64_t>(id) * width;
      found.insert(found.end(), first, first + width);
    }
    return found;
  }
};

// Ids that are spread over the vocabulary and its bounds.
std::vector<double> ids_of(std::int64_t tokens, std::int64_t vocabulary, std::int64_t step) {
  std::vector<double> ids;
  for (std::int64_t i = 0; i < tokens; ++i)
    ids.push_back(static_cast<double>((vocabulary - 1 + i * step) % vocabulary));
  return ids;
}

Model model_of(Torch& torch) {
  const Attributes& given = torch.parameters();
  const std::int64_t tokens = given.integer("tokens"), width = given.integer("d_model"),
                     vocabulary = given.integer("vocabulary");
  return {tokens,
          width,
          vocabulary,
          given.integer("divisible_by"),
          ids_of(tokens, vocabulary, 397),
          ids_of(tokens, vocabulary, 211),
          torch.random({vocabulary, width}, f16)};
}

// Logits are rows times the transposed table; those of padding are 0.
HostArray output_weight(const Model& model, std::int64_t padded) {
  const std::vector<double> rows = model.table.values();
  const double scale = scale_of_depth(model.width);
  std::vector<double> weight(static_cast<std::size_t>(model.width * padded), 0.0);
  for (std::int64_t id = 0; id < model.vocabulary; ++id) {
    for (std::int64_t k = 0; k < model.width; ++k)
      weight[static_cast<std::size_t>(k * padded + id)] =
          rows[static_cast<std::size_t>(id * model.width + k)] * scale;
  }
  return HostArray({model.width, padded}, f16, weight);
}

// Losses of logits that are rounded to f16, like those of the device.
std::vector<double> losses(const Model& model, const HostArray& weight) {
  const std::int64_t padded = weight.shape()[1];
  const HostArray logits(
      {model.tokens, padded}, f16,
      reference::matmul(model.embedded(), weight.values(), model.tokens, model.width, padded));
  const std::vector<double> values = logits.values();
  std::vector<double> found;
  for (std::int64_t t = 0; t < model.tokens; ++t) {
    const auto row = values.begin() + t * padded;
    double sum = 0;
    std::for_each(row, row + padded, [&sum](double logit) { sum += std::exp(logit); });
    found.push_back(std::log(sum) -
                    row[static_cast<std::int64_t>(model.targets[static_cast<std::size_t>(t)])]);
  }
  return found;
}

void run_rank(Torch& torch, const std::shared_ptr<const Model>& model,
              const tp::ParallelState& state) {
  tp::VocabParallelEmbeddingOptions embedding;
  embedding.make_vocab_size_divisible_by = model->divisible_by;
  tp::VocabParallelEmbedding table(state, model->vocabulary, model->width, embedding);
  table.copy_weight_(model->table);
  const std::int64_t padded = tp::padded_vocabulary(state, model->vocabulary, model->divisible_by);
  tp::ColumnParallelOptions column;
  column.name = "logits";
  tp::ColumnParallelLinear output(state, model->width, padded, column);
  const HostArray weight = output_weight(*model, padded);
  output.copy_weight_(weight);
  const auto on_device = [&](const std::vector<double>& values, const char* name) {
    return torch.from_host(HostArray({model->tokens}, i32, values), {}, name);
  };
  const Tensor ids = on_device(model->ids, "ids"), targets = on_device(model->targets, "targets");

  torch.distributed.barrier();
  const Tensor rows = table.forward(ids), logits = output.forward(rows),
               loss = tp::ParallelCrossEntropy(state).forward(logits, targets);
  torch.verify(rows, [model] { return model->embedded(); });
  // Sums of all exponentials in f32, in the order of service.
  torch.verify(loss, [model, weight] { return losses(*model, weight); },
               {std::log2(static_cast<double>(padded)) + 8, 16.0});
}

// Each PE of a rank has ids of its part of the padded vocabulary.
void check_vocabulary(Torch& torch) {
  const Attributes& given = torch.parameters();
  const std::int64_t vocabulary = given.integer("vocabulary"),
                     multiple = given.integer("divisible_by"), pes = pes_of_rank(torch),
                     ranks = torch.distributed.ranks_to_spawn().size,
                     least = (tl::Program::cdiv(pes, multiple) - 1) * multiple * ranks + 1;
  if (vocabulary >= least) return;
  throw UsageError(fmt::format(
      "tp-embedding: vocabulary is {} with divisible_by {}, expected at least {}, so that each of "
      "{} PEs of a rank has a part of the padded vocabulary; or a divisible_by of at least {}",
      vocabulary, multiple, least, pes, pes));
}

void run(Torch& torch) {
  check_vocabulary(torch);
  check_parts(torch, "tp-embedding", "d_model", 1, pes_of_rank(torch));
  const auto model = std::make_shared<const Model>(model_of(torch));
  tp::spawn(torch, [&](const tp::ParallelState& state) { run_rank(torch, model, state); });
}

}  // namespace

void register_tp_embedding(BenchRegistry& registry) {
  Bench bench{
      "tp-embedding",
      "Embedding, logits and cross-entropy, with the vocabulary over tensor-parallel SIPs",
      {extent("tokens", "ids, and targets", 8), extent("d_model", "columns of the embedding", 256),
       extent("vocabulary", "ids; padded for the SIPs", 1000),
       extent("divisible_by",
              "each SIP has a multiple of this number of ids, as with Megatron's "
              "--make-vocab-size-divisible-by",
              128)},
      &run};
  bench.per_device = false;
  bench.needs_data = DataMode::deferred;
  registry.add(std::move(bench));
}

}  // namespace kernbench::benches
