#include "sw/models/model_spec.h"

#include <fmt/format.h>

#include <utility>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {
namespace {

constexpr auto rms = NormKind::rms;
constexpr auto swiglu = ActivationKind::swiglu;
constexpr auto rotary = PositionKind::rotary;

}  // namespace

// GPT-3: each query head has a KV head of its own; the paper's banded sparse attention of every
// other layer is not modelled: all layers are dense.
const std::vector<ModelSpec>& model_presets() {
  // name, source, hidden, layers, q_heads, kv_heads, d_head, ffn, vocab, experts, top_k, norm,
  // activation, positions, rotary_theta, max_positions, attention_bias, mlp_bias, tied_embeddings
  // clang-format off
  static const std::vector<ModelSpec> presets{
      {"llama3-8b", "config.json of meta-llama/Meta-Llama-3-8B",
       4096, 32, 32, 8, 128, 14336, 128256, 1, 1, rms, swiglu, rotary, 5e5, 8192,
       false, false, false},
      {"llama3-70b", "config.json of meta-llama/Meta-Llama-3-70B",
       8192, 80, 64, 8, 128, 28672, 128256, 1, 1, rms, swiglu, rotary, 5e5, 8192,
       false, false, false},
      {"mixtral-8x7b", "config.json of mistralai/Mixtral-8x7B-v0.1",
       4096, 32, 32, 8, 128, 14336, 32000, 8, 2, rms, swiglu, rotary, 1e6, 32768,
       false, false, false},
      {"gpt3-175b",
       "Brown et al., Language Models are Few-Shot Learners (arXiv:2005.14165), table 2.1; "
       "vocabulary, biases and tied embeddings of GPT-2, which it names as its architecture",
       12288, 96, 96, 96, 128, 49152, 50257, 1, 1, NormKind::layer, ActivationKind::gelu,
       PositionKind::learned, 0, 2048, true, true, true}};
  // clang-format on
  return presets;
}

const ModelSpec& model_preset(const std::string& name) {
  std::string names;
  for (const ModelSpec& model : model_presets()) {
    if (model.name == name) return model;
    names += (names.empty() ? "" : ", ") + model.name;
  }
  throw UsageError(fmt::format("unknown model {}; there are: {}", quote(name), names));
}

std::int64_t ModelSpec::norm_parameters() const {
  return hidden * (norm == NormKind::layer ? 2 : 1);
}

std::int64_t ModelSpec::layer_parameters(const LayerPart& part) const {
  const std::int64_t q = part.q_heads * d_head, kv = part.kv_heads * d_head,
                     up = part.ffn * up_columns() / ffn;
  std::int64_t attention = hidden * (q + 2 * kv) + q * hidden;
  if (attention_bias) attention += q + 2 * kv + hidden;
  std::int64_t expert = hidden * up + part.ffn * hidden;
  if (mlp_bias) expert += up + hidden;
  const std::int64_t router = is_mixture() ? hidden * experts : 0;
  return 2 * norm_parameters() + attention + part.experts * expert + router;
}

std::int64_t ModelSpec::parameters_outside_layers(std::int64_t vocab_part) const {
  const std::int64_t embeddings = vocab_part * hidden * (tied_embeddings ? 1 : 2);
  const std::int64_t learned = positions == PositionKind::learned ? max_positions * hidden : 0;
  return norm_parameters() + embeddings + learned;
}

std::int64_t ModelSpec::parameters() const {
  return layers * layer_parameters({q_heads, kv_heads, experts, ffn}) +
         parameters_outside_layers(vocab);
}

void check_model(const ModelSpec& model) {
  const auto refuse = [&model](const std::string& fault) {
    throw UsageError(fmt::format("model '{}': {}", model.name, fault));
  };
  const std::pair<const char*, std::int64_t> extents[] = {
      {"hidden", model.hidden},     {"layers", model.layers},   {"q_heads", model.q_heads},
      {"kv_heads", model.kv_heads}, {"d_head", model.d_head},   {"ffn", model.ffn},
      {"vocab", model.vocab},       {"experts", model.experts}, {"top_k", model.top_k}};
  for (const auto& [name, value] : extents) {
    if (value < 1) refuse(fmt::format("{} is {}, allowed: at least 1", name, value));
  }
  if (model.q_heads % model.kv_heads != 0)
    refuse(fmt::format("{} query heads cannot share {} KV heads evenly", model.q_heads,
                       model.kv_heads));
  if (model.hidden != model.q_heads * model.d_head)
    refuse(fmt::format("hidden is {}, but {} query heads of {} elements have {}", model.hidden,
                       model.q_heads, model.d_head, model.q_heads * model.d_head));
  if (model.top_k > model.experts)
    refuse(fmt::format("top_k is {}, allowed: at most the {} experts", model.top_k, model.experts));
  if (model.positions == PositionKind::learned && model.max_positions < 1)
    refuse(fmt::format("{} learned positions, allowed: at least 1", model.max_positions));
}

}  // namespace kernbench
