// Reference of PE_GEMM: three loops.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "platform/phase2/reference_op.h"

namespace kernbench {
namespace {

struct Matrix {
  std::vector<double> elements;  // row-major
  std::size_t rows = 0, columns = 0;
};

// Matrix of each product of a batch.
std::vector<Matrix> matrices_of(const TensorValue& value, bool transposed,
                                const ValueLookup& lookup) {
  const std::vector<double> elements = elements_of(value, lookup);
  const std::size_t rank = value.shape.rank();
  const auto rows = static_cast<std::size_t>(value.shape[rank - 2]),
             columns = static_cast<std::size_t>(value.shape[rank - 1]);
  std::vector<Matrix> matrices;
  for (auto at = elements.begin(); at != elements.end();
       at += static_cast<std::ptrdiff_t>(rows * columns)) {
    const std::vector<double> stored(at, at + static_cast<std::ptrdiff_t>(rows * columns));
    matrices.push_back({stored, rows, columns});
    if (!transposed) continue;
    Matrix& matrix = matrices.back();
    std::swap(matrix.rows, matrix.columns);
    for (std::size_t row = 0; row < matrix.rows; ++row) {
      for (std::size_t column = 0; column < matrix.columns; ++column)
        matrix.elements[row * matrix.columns + column] = stored[column * matrix.rows + row];
    }
  }
  return matrices;
}

// One row of a partial product.
class Row {
 public:
  Row(const Matrix& a, const Matrix& b, bool integers)
      : a_(a), b_(b), integers_(integers), sums_(b.columns), exact_(b.columns) {}

  void clear() {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    std::fill(exact_.begin(), exact_.end(), 0U);
    squares_ = 0;
  }

  void add(std::size_t row, std::size_t k, std::size_t k_end) {
    for (; k < k_end; ++k) {
      const double a = a_.elements[row * a_.columns + k];
      const double* b = &b_.elements[k * b_.columns];
      squares_ += a * a;
      if (integers_) {
        const auto factor = static_cast<std::uint64_t>(static_cast<std::int64_t>(a));
        for (std::size_t n = 0; n < exact_.size(); ++n)
          exact_[n] += factor * static_cast<std::uint64_t>(static_cast<std::int64_t>(b[n]));
      } else {
        for (std::size_t n = 0; n < sums_.size(); ++n) sums_[n] += a * b[n];
      }
    }
  }

  // By the Cauchy-Schwarz inequality the norms of row and column bound the sum of the magnitudes of
  // the products.
  Estimate at(std::size_t column, double squares_of_column) const {
    if (integers_)
      return {static_cast<double>(
                  static_cast<std::int32_t>(static_cast<std::uint32_t>(exact_[column]))),
              0};
    const double magnitudes = std::sqrt(squares_) * std::sqrt(squares_of_column);
    if (!std::isfinite(sums_[column])) return {sums_[column], 0};
    return {sums_[column], magnitudes > f32_largest ? INFINITY : f32_accumulation * magnitudes};
  }

 private:
  const Matrix &a_, &b_;
  bool integers_;
  std::vector<double> sums_;
  std::vector<std::uint64_t> exact_;  // modulo 2^64, of which 32 bits are kept
  double squares_ = 0;
};

std::vector<Estimate> product_of(const Matrix& a, const Matrix& b, const GemmParams& params,
                                 const ReferenceEpilogue& epilogue, const StopQuestion& stop) {
  const bool integers = params.acc_dtype == DType::i32;
  const std::size_t depth = a.columns;
  const std::size_t tile =
      epilogue.has(EpilogueScope::k_tile) ? static_cast<std::size_t>(params.tile_k) : depth;
  const std::size_t tiles = (depth + tile - 1) / tile;

  std::vector<double> squares(tiles * b.columns);  // sum of squares of each column of b, by k tile
  for (std::size_t k = 0; k < depth; ++k) {
    for (std::size_t n = 0; n < b.columns; ++n)
      squares[k / tile * b.columns + n] +=
          b.elements[k * b.columns + n] * b.elements[k * b.columns + n];
  }

  std::vector<Estimate> results(a.rows * b.columns);
  constexpr std::size_t rows_at_once = 8,
                        panel = 16;  // rows that use a panel of b while it is in the cache
  std::vector<Row> rows(std::min(rows_at_once, a.rows), Row(a, b, integers));
  for (std::size_t first = 0; first < a.rows; first += rows.size()) {
    const std::size_t count = std::min(rows.size(), a.rows - first);
    for (std::size_t t = 0; t < tiles; ++t) {
      for (Row& row : rows) row.clear();
      const std::size_t k_end = std::min(depth, (t + 1) * tile);
      for (std::size_t k = t * tile; k < k_end; k += panel) {
        if (says_stop(stop)) throw StoppedError("a reference was stopped");
        for (std::size_t i = 0; i < count; ++i)
          rows[i].add(first + i, k, std::min(k_end, k + panel));
      }
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t n = 0; n < b.columns; ++n) {
          const std::size_t index = (first + i) * b.columns + n;
          Estimate partial = rows[i].at(n, squares[t * b.columns + n]);
          if (!epilogue.empty()) partial.error += f32_rounding(partial.value);  // f32 from here on
          partial = epilogue.apply(EpilogueScope::k_tile, partial, index, t);
          Estimate& result = results[index];
          if (t == 0) {
            result = partial;
          } else {
            result.value += partial.value;
            result.error += partial.error + f32_rounding(result.value);
          }
        }
      }
    }
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    for (const auto scope : {EpilogueScope::output_tile, EpilogueScope::kernel})
      results[i] = epilogue.apply(scope, results[i], i);
  }
  return results;
}

// Integers modulo 2^32.
void accumulate(std::vector<Estimate>& results, const std::vector<double>& added, bool integers) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    Estimate& result = results[i];
    result.value += added[i];
    if (integers) {
      result.value = static_cast<std::int32_t>(
          static_cast<std::uint32_t>(static_cast<std::int64_t>(result.value)));
    } else {
      result.error += f32_rounding(result.value);
      result = within_f32(result);
    }
  }
}

}  // namespace

std::vector<Estimate> reference_of_gemm(const DataOp& op, const ValueLookup& lookup,
                                        const StopQuestion& stop) {
  const auto& params = std::get<GemmParams>(op.params);
  const std::vector<Matrix> a = matrices_of(op.inputs.at(0), params.transpose_a, lookup),
                            b = matrices_of(op.inputs.at(1), params.transpose_b, lookup);
  const ReferenceEpilogue epilogue(params.epilogue, op.inputs, lookup);
  std::vector<Estimate> results;
  for (std::size_t product = 0; product < a.size(); ++product) {
    const std::vector<Estimate> of_one =
        product_of(a[product], b.at(product), params, epilogue, stop);
    results.insert(results.end(), of_one.begin(), of_one.end());
  }
  if (params.accumulates)
    accumulate(results, elements_of(op.inputs.at(2), lookup), params.acc_dtype == DType::i32);
  return results;
}

}  // namespace kernbench
