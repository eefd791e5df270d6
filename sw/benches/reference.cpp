#include "sw/benches/reference.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kernbench::reference {

namespace {

// out += factors[0] rows[0] + factors[1] rows[1] + ..., in this order.
template <int depth>
void add_rows(double* out, const double* factors, const double* rows, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) {
    double sum = out[j];
    for (int l = 0; l < depth; ++l) sum += factors[l] * rows[l * n + j];
    out[j] = sum;
  }
}

}  // namespace

std::vector<double> matmul(const HostArray& a, const HostArray& b) {
  return matmul(a.values(), b.values(), a.shape()[0], a.shape()[1], b.shape()[1]);
}

std::vector<double> matmul(const std::vector<double>& a, const std::vector<double>& b,
                           std::int64_t m, std::int64_t k, std::int64_t n) {
  std::vector<double> out(static_cast<std::size_t>(m * n), 0.0);
  constexpr std::int64_t rows = 8,
                         depth = 4;  // rows of the result per pass over rows of b in the cache
  for (std::int64_t first = 0; first < m; first += rows) {
    for (std::int64_t l = 0; l < k; l += depth) {
      for (std::int64_t i = first; i < std::min(m, first + rows); ++i) {
        const double *factors = a.data() + i * k + l, *from = b.data() + l * n;
        double* row = out.data() + i * n;
        if (l + depth <= k) {
          add_rows<depth>(row, factors, from, n);
        } else {
          for (std::int64_t rest = 0; rest < k - l; ++rest)
            add_rows<1>(row, factors + rest, from + rest * n, n);
        }
      }
    }
  }
  return out;
}

std::vector<double> add_to_rows(std::vector<double> values, const HostArray& row) {
  const std::vector<double> added = row.values();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += added[i % added.size()];
  return values;
}

std::vector<double> each(std::vector<double> values,
                         const std::function<double(double)>& function) {
  for (double& value : values) value = function(value);
  return values;
}

std::vector<double> attention(const double* q, const double* k, const double* v, std::int64_t keys,
                              std::int64_t pitch, std::int64_t d) {
  std::vector<double> weights(static_cast<std::size_t>(keys), 0.0);
  for (std::int64_t key = 0; key < keys; ++key) {
    double& score = weights[static_cast<std::size_t>(key)];
    for (std::int64_t i = 0; i < d; ++i) score += q[i] * k[key * pitch + i];
    score /= std::sqrt(static_cast<double>(d));
  }
  const double largest = *std::max_element(weights.begin(), weights.end());
  double total = 0;
  for (double& weight : weights) total += weight = std::exp(weight - largest);
  std::vector<double> out(static_cast<std::size_t>(d), 0.0);
  for (std::int64_t key = 0; key < keys; ++key) {
    for (std::int64_t i = 0; i < d; ++i)
      out[static_cast<std::size_t>(i)] +=
          weights[static_cast<std::size_t>(key)] / total * v[key * pitch + i];
  }
  return out;
}

// f16 and bf16: the weights and the result are rounded, two roundings. f32: two roundings of the
// weights (fma, exp2), two per block (the sum is scaled, then added to), three per merge, one of
// the quotient. The rounding error of an exponent, at most sqrt(d) * 2^magnitude * 2^-24, is also
// an error of the weight; the tolerance of one rounding is 168 * 2^-24.
double attention_roundings(DType dtype, std::int64_t d, std::int64_t magnitude, std::int64_t blocks,
                           std::int64_t merges) {
  if (dtype != DType::f32) return 2;
  const double exponent =
      std::sqrt(static_cast<double>(d)) * std::exp2(static_cast<double>(magnitude));
  return 3 + 2 * static_cast<double>(blocks) + 3 * static_cast<double>(merges) + exponent / 168;
}

Mixture mixture_of_experts(const HostArray& x, const HostArray& router, const HostArray& matrices,
                           int top) {
  const std::vector<double> logits = matmul(x, router), tokens = x.values(),
                            factors = matrices.values();
  const std::int64_t width = x.shape()[1], experts = router.shape()[1],
                     out_width = matrices.shape()[2];
  Mixture result;
  result.out.resize(static_cast<std::size_t>(x.shape()[0] * out_width));
  std::vector<std::int64_t> order(static_cast<std::size_t>(experts));
  for (std::int64_t token = 0; token < x.shape()[0]; ++token) {
    const double* preference = logits.data() + token * experts;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [preference](std::int64_t a, std::int64_t b) {
      return preference[a] > preference[b];
    });
    double total = 0;
    for (int i = 0; i < top; ++i) total += std::exp(preference[order[i]] - preference[order[0]]);
    for (int i = 0; i < top; ++i) {
      const std::int64_t expert = order[i];
      const double weight = std::exp(preference[expert] - preference[order[0]]) / total;
      result.chosen.push_back(static_cast<double>(expert));
      result.weights.push_back(weight);
      const double* matrix = factors.data() + expert * width * out_width;
      double* out = result.out.data() + token * out_width;
      for (std::int64_t l = 0; l < width; ++l) {
        const double factor = weight * tokens[static_cast<std::size_t>(token * width + l)];
        for (std::int64_t n = 0; n < out_width; ++n) out[n] += factor * matrix[l * out_width + n];
      }
    }
  }
  return result;
}

double exact_up_to(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return 1 << 11;
    case DType::bf16:
      return 1 << 8;
    default:
      return 1 << 24;
  }
}

double relu(double x) { return x > 0 ? x : 0; }
double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }
double silu(double x) { return x / (1 + std::exp(-x)); }

}  // namespace kernbench::reference
