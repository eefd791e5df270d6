#include "sw/benches/layer_reference.h"

#include <algorithm>
#include <cmath>

#include "sw/benches/reference.h"

namespace kernbench::reference {
namespace {

using Values = std::vector<double>;

Values values_of(const HostWeight& array) { return array != nullptr ? array->values() : Values(); }

// x{rows, in} w{in, out} (+ bias).
Values linear(const Values& x, const HostWeight& w, const HostWeight& bias) {
  const std::int64_t in = w->shape()[0], out = w->shape()[1],
                     rows = static_cast<std::int64_t>(x.size()) / in;
  Values y = matmul(x, w->values(), rows, in, out);
  return bias != nullptr ? add_to_rows(std::move(y), *bias) : y;
}

Values norm(const Values& x, const ModelSpec& model, const HostWeight& gamma,
            const HostWeight& beta) {
  const auto width = static_cast<std::size_t>(model.hidden);
  const Values weights = values_of(gamma), biases = values_of(beta);
  Values y = x;
  for (std::size_t row = 0; row < y.size(); row += width) {
    double mean = 0, squares = 0;
    if (model.norm == NormKind::layer) {
      for (std::size_t i = 0; i < width; ++i) mean += y[row + i];
      mean /= static_cast<double>(width);
    }
    for (std::size_t i = 0; i < width; ++i) squares += (y[row + i] - mean) * (y[row + i] - mean);
    const double root = std::sqrt(squares / static_cast<double>(width) + norm_epsilon);
    for (std::size_t i = 0; i < width; ++i)
      y[row + i] = (y[row + i] - mean) / root * weights[i] + (biases.empty() ? 0 : biases[i]);
  }
  return y;
}

// Rotates the heads of x{tokens, heads * d} in place.
void rotate(Values& x, const ModelSpec& model, const std::vector<std::int64_t>& positions) {
  if (model.positions != PositionKind::rotary) return;
  const auto d = static_cast<std::size_t>(model.d_head), width = x.size() / positions.size();
  for (std::size_t token = 0; token < positions.size(); ++token) {
    for (std::size_t head = 0; head < width; head += d) {
      for (std::size_t i = 0; i < d / 2; ++i) {
        const double angle =
            static_cast<double>(positions[token]) *
            std::pow(model.rotary_theta, -2.0 * static_cast<double>(i) / static_cast<double>(d));
        double &a = x[token * width + head + i], &b = x[token * width + head + i + d / 2];
        const double first = a * std::cos(angle) - b * std::sin(angle);
        b = a * std::sin(angle) + b * std::cos(angle);
        a = first;
      }
    }
  }
}

// Element of the cache at which a position of a head begins.
std::int64_t place_of(const LayerInput& in, const ops::SequenceStep& sequence, std::int64_t head,
                      std::int64_t position) {
  const auto block = static_cast<std::size_t>(position / in.cache.block_tokens);
  return in.cache.row(sequence.blocks[block], head, position % in.cache.block_tokens) * in.cache.d;
}

// Writes rows of the new tokens, x{tokens, kv_heads * d}, to a cache.
void append(Values& cache, const Values& x, const LayerInput& in) {
  const std::int64_t d = in.cache.d, heads = in.cache.kv_heads;
  auto from = x.begin();
  for (const ops::SequenceStep& sequence : in.batch.sequences) {
    for (std::int64_t i = sequence.context - sequence.new_tokens; i < sequence.context; ++i) {
      for (std::int64_t head = 0; head < heads; ++head, from += d)
        std::copy(from, from + d, cache.begin() + place_of(in, sequence, head, i));
    }
  }
}

// Keys or values of a head: {context, d}.
Values of_sequence(const Values& cache, const LayerInput& in, const ops::SequenceStep& sequence,
                   std::int64_t head) {
  Values rows;
  for (std::int64_t i = 0; i < sequence.context; ++i) {
    const auto from = cache.begin() + place_of(in, sequence, head, i);
    rows.insert(rows.end(), from, from + in.cache.d);
  }
  return rows;
}

Values attend(const Values& q, const LayerResult& caches, const LayerInput& in) {
  const std::int64_t d = in.cache.d, heads = in.model.q_heads, group = heads / in.model.kv_heads;
  Values out(q.size());
  std::int64_t first = 0;
  for (const ops::SequenceStep& sequence : in.batch.sequences) {
    for (std::int64_t head = 0; head < heads; ++head) {
      const Values keys = of_sequence(caches.k, in, sequence, head / group),
                   values = of_sequence(caches.v, in, sequence, head / group);
      for (std::int64_t i = 0; i < sequence.new_tokens; ++i) {
        const std::int64_t at = ((first + i) * heads + head) * d,
                           visible = sequence.context - sequence.new_tokens + i + 1;
        const Values result = attention(q.data() + at, keys.data(), values.data(), visible, d, d);
        std::copy(result.begin(), result.end(), out.begin() + at);
      }
    }
    first += sequence.new_tokens;
  }
  return out;
}

Values mlp(const Values& h, const ModelSpec& model, const HostMlpWeights& weights,
           const HostWeight& down_bias) {
  Values up = linear(h, weights.up, weights.up_bias);
  if (model.activation == ActivationKind::gelu) {
    up = each(std::move(up), gelu);
  } else {
    const Values gate = linear(h, weights.gate, nullptr);
    for (std::size_t i = 0; i < up.size(); ++i) up[i] *= silu(gate[i]);
  }
  return linear(up, weights.down, down_bias);
}

// Experts of token t: assigned in turn, or those with the largest logits, the lower of equal ones.
std::vector<std::int64_t> experts_of(std::int64_t token, const double* logits,
                                     const LayerInput& in) {
  const std::int64_t count = in.model.experts, top = in.model.top_k;
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  for (std::int64_t e = 0; e < count; ++e)
    order[static_cast<std::size_t>(e)] = in.balanced ? (token * top + e) % count : e;
  if (!in.balanced)
    std::stable_sort(order.begin(), order.end(),
                     [logits](auto a, auto b) { return logits[a] > logits[b]; });
  order.resize(static_cast<std::size_t>(top));
  return order;
}

// Computes every expert for every token; adds the weighted results of the token's experts.
Values mixture(const Values& h, const LayerInput& in) {
  const ModelSpec& model = in.model;
  const Values logits = linear(h, in.weights.router, nullptr);
  std::vector<Values> results;
  for (const HostMlpWeights& expert : in.weights.experts)
    results.push_back(mlp(h, model, expert, nullptr));
  Values out(h.size());
  for (std::int64_t token = 0; token < in.batch.tokens(); ++token) {
    const double* own = logits.data() + token * model.experts;
    const std::vector<std::int64_t> chosen = experts_of(token, own, in);
    double total = 0;
    for (const std::int64_t e : chosen) total += std::exp(own[e]);
    for (const std::int64_t e : chosen) {
      for (std::int64_t i = token * model.hidden; i < (token + 1) * model.hidden; ++i) {
        const auto at = static_cast<std::size_t>(i);
        out[at] += std::exp(own[e]) / total * results[static_cast<std::size_t>(e)][at];
      }
    }
  }
  return out;
}

Values sum(Values a, const Values& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

}  // namespace

LayerResult transformer_layer(const LayerInput& in) {
  const HostLayerWeights& w = in.weights;
  const std::vector<std::int64_t> positions = in.batch.positions();
  LayerResult result;
  result.k = in.k->values();
  result.v = in.v->values();
  const Values x = in.x->values();
  const Values h = norm(x, in.model, w.attention_norm, w.attention_norm_bias);
  Values q = linear(h, w.q, w.q_bias), k = linear(h, w.k, w.k_bias);
  rotate(q, in.model, positions);
  rotate(k, in.model, positions);
  append(result.k, k, in);
  append(result.v, linear(h, w.v, w.v_bias), in);
  result.after_attention = sum(x, linear(attend(q, result, in), w.output, w.output_bias));
  const Values normalised = norm(result.after_attention, in.model, w.mlp_norm, w.mlp_norm_bias);
  result.out =
      sum(result.after_attention, in.model.is_mixture()
                                      ? mixture(normalised, in)
                                      : mlp(normalised, in.model, w.experts.front(), w.down_bias));
  return result;
}

std::vector<double> logits(const std::vector<double>& x, const ModelSpec& model,
                           const HostLmHead& head) {
  return linear(norm(x, model, head.norm, head.norm_bias), head.projection, nullptr);
}

}  // namespace kernbench::reference
