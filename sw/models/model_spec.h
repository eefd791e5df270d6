// ModelSpec: a decoder-only transformer: dimensions and choices, and presets of published models.
//
//   const ModelSpec model = model_preset("llama3-8b");
//
// Extents are numbers of elements, heads and layers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kernbench {

enum class NormKind : std::uint8_t { rms, layer };          // `layer` has a bias in addition
enum class ActivationKind : std::uint8_t { swiglu, gelu };  // swiglu: two products, gate and up
enum class PositionKind : std::uint8_t { rotary, learned };

// Heads of a layer, its experts, and elements of the hidden layer of each expert.
struct LayerPart {
  std::int64_t q_heads = 0, kv_heads = 0, experts = 0, ffn = 0;
};

struct ModelSpec {
  std::string name;
  std::string source;  // publication that has the numbers
  std::int64_t hidden = 0, layers = 0;
  // Each KV head serves q_heads / kv_heads query heads.
  std::int64_t q_heads = 0, kv_heads = 0, d_head = 0;
  std::int64_t ffn = 0;  // elements of the hidden layer of one expert
  std::int64_t vocab = 0;
  std::int64_t experts = 1, top_k = 1;  // 1, 1: dense, without a router
  NormKind norm = NormKind::rms;
  ActivationKind activation = ActivationKind::swiglu;
  PositionKind positions = PositionKind::rotary;
  double rotary_theta = 0;  // base of the angles; 0: learned positions
  // Longest published context; rows of a table of learned positions.
  std::int64_t max_positions = 0;
  bool attention_bias = false, mlp_bias = false;
  bool tied_embeddings = false;  // the output projection has the weights of the embedding

  bool is_mixture() const { return experts > 1; }
  // Columns of the first product of an expert: gate and up, or up alone.
  std::int64_t up_columns() const { return activation == ActivationKind::swiglu ? 2 * ffn : ffn; }
  // Elements of all weights, biases and learned positions.
  std::int64_t parameters() const;
  std::int64_t norm_parameters() const;
  // A layer, of which a rank has this part. Norms, the router, and biases of products whose rows
  // are cut are whole on every rank, as in vLLM.
  std::int64_t layer_parameters(const LayerPart& part) const;
  // Final norm, embedding, output projection unless tied, learned positions.
  std::int64_t parameters_outside_layers(std::int64_t vocab_part) const;
};

// llama3-8b, llama3-70b, mixtral-8x7b, gpt3-175b.
const std::vector<ModelSpec>& model_presets();
// UsageError that lists the presets.
const ModelSpec& model_preset(const std::string& name);

// UsageError with the numbers: an extent below 1, query heads that KV heads do not divide, top-k
// above the number of experts, hidden != heads * d_head.
void check_model(const ModelSpec& model);

}  // namespace kernbench
