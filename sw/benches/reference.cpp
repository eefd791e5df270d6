#include "sw/benches/reference.h"

#include <algorithm>
#include <cmath>

namespace kernbench::reference {

std::vector<double> matmul(const HostArray& a, const HostArray& b) {
  const std::int64_t m = a.shape()[0], k = a.shape()[1], n = b.shape()[1];
  const std::vector<double> left = a.values(), right = b.values();
  std::vector<double> out(static_cast<std::size_t>(m * n), 0.0);
  constexpr std::int64_t rows_at_once = 8;  // that use a row of b while it is in the cache
  for (std::int64_t first = 0; first < m; first += rows_at_once) {
    for (std::int64_t l = 0; l < k; ++l) {
      const double* from = right.data() + l * n;
      for (std::int64_t i = first; i < std::min(m, first + rows_at_once); ++i) {
        const double factor = left[static_cast<std::size_t>(i * k + l)];
        double* row = out.data() + i * n;
        for (std::int64_t j = 0; j < n; ++j) row[j] += factor * from[j];
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

std::vector<double> each(std::vector<double> values, const std::function<double(double)>& function) {
  for (double& value : values) value = function(value);
  return values;
}

double relu(double x) { return x > 0 ? x : 0; }
double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }
double silu(double x) { return x / (1 + std::exp(-x)); }

}  // namespace kernbench::reference
