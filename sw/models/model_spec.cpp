#include "sw/models/model_spec.h"

#include <fmt/format.h>

#include <utility>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {
namespace {

ModelSpec llama3_8b() {
  ModelSpec model;
  model.name = "llama3-8b";
  model.source = "config.json of meta-llama/Meta-Llama-3-8B";
  model.hidden = 4096;
  model.layers = 32;
  model.q_heads = 32;
  model.kv_heads = 8;
  model.d_head = 128;
  model.ffn = 14336;
  model.vocab = 128256;
  model.rotary_theta = 500000;
  model.max_positions = 8192;
  return model;
}

ModelSpec llama3_70b() {
  ModelSpec model = llama3_8b();
  model.name = "llama3-70b";
  model.source = "config.json of meta-llama/Meta-Llama-3-70B";
  model.hidden = 8192;
  model.layers = 80;
  model.q_heads = 64;
  model.ffn = 28672;
  return model;
}

ModelSpec mixtral_8x7b() {
  ModelSpec model = llama3_8b();
  model.name = "mixtral-8x7b";
  model.source = "config.json of mistralai/Mixtral-8x7B-v0.1";
  model.vocab = 32000;
  model.experts = 8;
  model.top_k = 2;
  model.rotary_theta = 1000000;
  model.max_positions = 32768;
  return model;
}

// Each query head has a KV head of its own. The paper's banded sparse attention of every other
// layer is not modelled: all layers are dense.
ModelSpec gpt3_175b() {
  ModelSpec model;
  model.name = "gpt3-175b";
  model.source =
      "Brown et al., Language Models are Few-Shot Learners (arXiv:2005.14165), table 2.1; "
      "vocabulary, biases and tied embeddings of GPT-2, which it names as its architecture";
  model.hidden = 12288;
  model.layers = 96;
  model.q_heads = 96;
  model.kv_heads = 96;
  model.d_head = 128;
  model.ffn = 4 * 12288;
  model.vocab = 50257;
  model.norm = NormKind::layer;
  model.activation = ActivationKind::gelu;
  model.positions = PositionKind::learned;
  model.max_positions = 2048;
  model.attention_bias = true;
  model.mlp_bias = true;
  model.tied_embeddings = true;
  return model;
}

}  // namespace

const std::vector<ModelSpec>& model_presets() {
  static const std::vector<ModelSpec> presets{llama3_8b(), llama3_70b(), mixtral_8x7b(),
                                              gpt3_175b()};
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

std::int64_t ModelSpec::parameters() const {
  const std::int64_t norms = hidden * (norm == NormKind::layer ? 2 : 1);
  const std::int64_t q = q_heads * d_head, kv = kv_heads * d_head;
  std::int64_t attention = hidden * (q + 2 * kv) + q * hidden;
  if (attention_bias) attention += q + 2 * kv + hidden;
  std::int64_t expert = hidden * up_columns() + ffn * hidden;
  if (mlp_bias) expert += up_columns() + hidden;
  const std::int64_t router = is_mixture() ? hidden * experts : 0;
  const std::int64_t embeddings = vocab * hidden * (tied_embeddings ? 1 : 2);
  const std::int64_t learned = positions == PositionKind::learned ? max_positions * hidden : 0;
  return layers * (2 * norms + attention + experts * expert + router) + norms + embeddings +
         learned;
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
