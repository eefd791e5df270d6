// Softmax over scores that come block by block, and the sum of values that it weights (Milakov and
// Gimelshein, arXiv:1805.02867; Dao, arXiv:2307.08691): what the loop of Triton's
// 06-fused-attention keeps between two blocks of keys.
#pragma once

#include "models/base/parameter.h"
#include "sw/tl/program.h"

namespace kernbench::benches {

// Of the keys so far, for each query: the largest score m{.., 1}, in base 2, the sum of the weights
// l{.., 1} and of the weighted values acc{.., d}, both relative to 2^m. In f32.
struct OnlineSoftmax {
  tl::Handle m, l, acc;

  // Of no keys; `queries`: {.., 1}, `sums`: {.., d}.
  static OnlineSoftmax of_none(tl::Program& tl, const Shape& queries, const Shape& sums);

  // The weights 2^(s * scale - m) of a block of keys with scores s{.., keys}, in `dtype`. m and l
  // include them; acc is scaled to the new m, and wants p times the values added.
  tl::Handle weigh(tl::Program& tl, const tl::Handle& s, double scale, DType dtype);

  tl::Handle mean() const { return acc / l; }
};

// Of the keys of both.
OnlineSoftmax merged(tl::Program& tl, const OnlineSoftmax& a, const OnlineSoftmax& b);

// What scores are multiplied by: 1 / sqrt(d), to base 2.
double softmax_scale(std::int64_t d);

// --- on the host

// Roundings on the longest chain of a result of `blocks` blocks of keys and `merges` merges, with
// queries of up to 2^magnitude, keys and values of up to 1.
double attention_roundings(DType dtype, std::int64_t d, std::int64_t magnitude, std::int64_t blocks,
                           std::int64_t merges = 0);

// `magnitude`: queries are multiplied by 2^magnitude. Without the subtraction of the largest score
// exponentials overflow f32 from 6 on.
Parameter magnitude_of_queries();

}  // namespace kernbench::benches
