// Softmax over scores that arrive block by block, and the sum of values that it weights (Milakov
// and Gimelshein, arXiv:1805.02867; Dao, arXiv:2307.08691): the loop-carried state of Triton's
// 06-fused-attention.
#pragma once

#include "sw/tl/program.h"

namespace kernbench::ops {

// State over the keys so far, for each query: largest score m{.., 1}, in base 2, sum of the weights
// l{.., 1} and of the weighted values acc{.., d}, both relative to 2^m. In f32.
struct OnlineSoftmax {
  tl::Handle m, l, acc;

  // State without keys; `queries`: {.., 1}, `sums`: {.., d}. m is below every score and finite, so
  // that a state without keys adds nothing, also to an equal state.
  static OnlineSoftmax of_none(tl::Program& tl, const Shape& queries, const Shape& sums);

  // Returns the weights 2^(s * scale - m) of a block of keys with scores s{.., keys}, in `dtype`.
  // A score of minus infinity has the weight 0. Updates m and l and scales acc to the new m; the
  // caller adds p times the values to acc.
  tl::Handle weigh(tl::Program& tl, const tl::Handle& s, double scale, DType dtype);

  tl::Handle mean() const { return acc / l; }
};

// State over the keys of both.
OnlineSoftmax merged(tl::Program& tl, const OnlineSoftmax& a, const OnlineSoftmax& b);

// sums.mean() of the state over the keys of all states along axis 0: {.., d} without that axis.
tl::Handle mean_of_all(tl::Program& tl, const OnlineSoftmax& states);

// Scores s{.., tokens * group, keys} with minus infinity for keys after the query. Tokens and keys
// have consecutive positions from `first_query` and `first_key` on.
tl::Handle causal(tl::Program& tl, const tl::Handle& s, std::int64_t first_query,
                  std::int64_t tokens, std::int64_t first_key);

// One block {.., d + 2} for a message or memory, and the state in such a block.
tl::Handle packed(tl::Program& tl, const OnlineSoftmax& sums);
OnlineSoftmax unpacked(tl::Program& tl, const tl::Handle& block);

// Factor of the scores: 1 / sqrt(d), to base 2.
double softmax_scale(std::int64_t d);

}  // namespace kernbench::ops
