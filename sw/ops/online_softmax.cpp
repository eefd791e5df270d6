#include "sw/ops/online_softmax.h"

#include <cmath>
#include <limits>

namespace kernbench::ops {

OnlineSoftmax OnlineSoftmax::of_none(tl::Program& tl, const Shape& queries, const Shape& sums) {
  return {tl.full(queries, -0x1p126, f32), tl.zeros(queries, f32), tl.zeros(sums, f32)};
}

tl::Handle OnlineSoftmax::weigh(tl::Program& tl, const tl::Handle& s, double scale, DType dtype) {
  const tl::Handle largest = tl.maximum(m, tl.max(s, -1) * scale);
  const tl::Handle p = tl.math(MathOp::exp2, {tl.fma(s, scale, -largest)}, {}, dtype);
  const tl::Handle alpha = tl.exp2(m - largest);
  l = tl.fma(l, alpha, tl.math(MathOp::sum, {p}, -1, f32));  // sum of the rounded weights
  acc = acc * alpha;
  m = largest;
  return p;
}

OnlineSoftmax merged(tl::Program& tl, const OnlineSoftmax& a, const OnlineSoftmax& b) {
  const tl::Handle m = tl.maximum(a.m, b.m);
  const tl::Handle of_a = tl.exp2(a.m - m), of_b = tl.exp2(b.m - m);
  return {m, tl.fma(a.l, of_a, b.l * of_b), tl.fma(a.acc, of_a, b.acc * of_b)};
}

tl::Handle mean_of_all(tl::Program& tl, const OnlineSoftmax& states) {
  const tl::Handle weights = tl.exp2(states.m - tl.max(states.m, 0));
  return tl.sum(states.acc * weights, 0, false) / tl.sum(states.l * weights, 0, false);
}

tl::Handle causal(tl::Program& tl, const tl::Handle& s, std::int64_t first_query,
                  std::int64_t tokens, std::int64_t first_key) {
  const std::size_t rank = s.shape().rank();
  const std::int64_t keys = s.shape()[rank - 1], group = s.shape()[rank - 2] / tokens;
  if (first_key + keys <= first_query + 1) return s;
  const tl::Handle key = tl.arange(first_key, first_key + keys),
                   query = tl.reshape(tl.arange(first_query, first_query + tokens), {tokens, 1, 1});
  const tl::Handle by_token =
      tl.reshape(s, {s.shape().elements() / (tokens * group * keys), tokens, group, keys});
  return tl.reshape(tl.where(key <= query, by_token, -std::numeric_limits<double>::infinity()),
                    s.shape());
}

tl::Handle packed(tl::Program& tl, const OnlineSoftmax& sums) {
  return tl.cat({sums.acc, sums.m, sums.l}, -1);
}

OnlineSoftmax unpacked(tl::Program& tl, const tl::Handle& block) {
  const std::int64_t d = block.shape()[block.shape().rank() - 1] - 2;
  return {tl.slice(block, -1, d, d + 1), tl.slice(block, -1, d + 1, d + 2),
          tl.slice(block, -1, 0, d)};
}

double softmax_scale(std::int64_t d) {
  return 1 / (std::sqrt(static_cast<double>(d)) * std::log(2.0));
}

}  // namespace kernbench::ops
