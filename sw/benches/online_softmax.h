// Softmax over scores that arrive block by block, and the sum of values that it weights (Milakov
// and Gimelshein, arXiv:1805.02867; Dao, arXiv:2307.08691): the loop-carried state of Triton's
// 06-fused-attention.
#pragma once

#include "models/base/parameter.h"
#include "sw/tl/program.h"

namespace kernbench::benches {

// State over the keys so far, for each query: largest score m{.., 1}, in base 2, sum of the weights
// l{.., 1} and of the weighted values acc{.., d}, both relative to 2^m. In f32.
struct OnlineSoftmax {
  tl::Handle m, l, acc;

  // State without keys; `queries`: {.., 1}, `sums`: {.., d}.
  static OnlineSoftmax of_none(tl::Program& tl, const Shape& queries, const Shape& sums);

  // Returns the weights 2^(s * scale - m) of a block of keys with scores s{.., keys}, in `dtype`.
  // Updates m and l and scales acc to the new m; the caller adds p times the values to acc.
  tl::Handle weigh(tl::Program& tl, const tl::Handle& s, double scale, DType dtype);

  tl::Handle mean() const { return acc / l; }
};

// State over the keys of both.
OnlineSoftmax merged(tl::Program& tl, const OnlineSoftmax& a, const OnlineSoftmax& b);

// Factor of the scores: 1 / sqrt(d), to base 2.
double softmax_scale(std::int64_t d);

// --- on the host

// Roundings on the longest chain of a result with `blocks` blocks of keys and `merges` merges, for
// queries of up to 2^magnitude and keys and values of up to 1.
double attention_roundings(DType dtype, std::int64_t d, std::int64_t magnitude, std::int64_t blocks,
                           std::int64_t merges = 0);

// `magnitude`: queries are multiplied by 2^magnitude. From 6 on, exponentials overflow f32 unless
// the largest score is subtracted.
Parameter magnitude_of_queries();

}  // namespace kernbench::benches
