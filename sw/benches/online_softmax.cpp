#include "sw/benches/online_softmax.h"

#include <cmath>
#include <limits>

namespace kernbench::benches {

OnlineSoftmax OnlineSoftmax::of_none(tl::Program& tl, const Shape& queries, const Shape& sums) {
  return {tl.full(queries, -std::numeric_limits<double>::infinity(), f32), tl.zeros(queries, f32),
          tl.zeros(sums, f32)};
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

double softmax_scale(std::int64_t d) {
  return 1 / (std::sqrt(static_cast<double>(d)) * std::log(2.0));
}

// f16 and bf16: the weights and the result are rounded, two roundings. f32: two roundings of the
// weights (fma, exp2), two per block (the sum is scaled, then added to), three per merge, one of
// the quotient. The rounding error of an exponent, at most sqrt(d) * 2^magnitude * 2^-24, is also
// an error of the weight; the tolerance of one rounding is 168 * 2^-24.
double attention_roundings(DType dtype, std::int64_t d, std::int64_t magnitude, std::int64_t blocks,
                           std::int64_t merges) {
  if (dtype != f32) return 2;
  const double exponent =
      std::sqrt(static_cast<double>(d)) * std::exp2(static_cast<double>(magnitude));
  return 3 + 2 * static_cast<double>(blocks) + 3 * static_cast<double>(merges) + exponent / 168;
}

Parameter magnitude_of_queries() {
  return Parameter::integer("magnitude", "queries are multiplied by 2 to this power", "",
                            "assumption")
      .default_val(3)
      .range("0", "8");
}

}  // namespace kernbench::benches
