// Gemm: operands are converted to f32 once; the product is cut into blocks of the output, each over
// the whole K.
//
// A batch is one matrix with its outputs stacked; each block is part of one product. An accumulator
// is added to the finished sums: in f32 for floats, modulo 2^32 for integers.
//
// Floats accumulate in f32. i8 x i8 is exact in i32: f32 products over at most 1024 of K stay below
// 2^24 and are added as integers. Other integers are multiplied as integers, modulo 2^32.
#include <algorithm>
#include <cstring>

#include "models/data/elements.h"
#include "platform/phase2/element_arrays.h"
#include "platform/phase2/epilogue.h"
#include "platform/phase2/gemm_kernel.h"
#include "platform/phase2/job.h"

namespace kernbench {
namespace {

constexpr std::int64_t block_rows = 256,
                       block_columns =
                           1024;            // large enough to amortise the packing of the operands
constexpr std::int64_t exact_depth = 1024;  // 2^7 * 2^7 * 2^10 = 2^24

// A block with more products, some tenths of a second, is computed in strips of rows. Each sum
// still covers the whole depth, and strips are multiples of the rows per kernel step, so no bit
// differs.
constexpr std::int64_t long_block = std::int64_t{1} << 34;
constexpr std::int64_t strip_rows = 32;

// Calls visit(first row, rows) for each strip; the last one includes the remainder.
template <class Visit>
void for_each_strip(std::int64_t rows, std::int64_t products, Visit visit) {
  if (products <= long_block) return visit(std::int64_t{0}, rows);
  for (std::int64_t row = 0; row < rows;) {
    const std::int64_t count = rows - row < 2 * strip_rows ? rows - row : strip_rows;
    visit(row, count);
    row += count;
  }
}

// Matrix in the format of the kernels.
struct Matrix {
  FloatArray floats;
  std::vector<std::uint32_t> integers;  // instead of floats; never transposed
  bool transposed = false;
  std::int64_t stride = 0;

  const float* at(std::int64_t row, std::int64_t column) const {
    return floats.get() + (transposed ? column * stride + row : row * stride + column);
  }
  const std::uint32_t* integer(std::int64_t row, std::int64_t column) const {
    return integers.data() + row * stride + column;
  }
};

std::vector<std::uint32_t> integers_of(const TensorValue& value, const ValueLookup& lookup) {
  const std::vector<std::byte> bytes = dense_bytes(value, lookup);
  std::vector<std::uint32_t> integers(static_cast<std::size_t>(value.shape.elements()));
  if (value.dtype == DType::i32) {
    std::memcpy(integers.data(), bytes.data(), bytes.size());
  } else {
    for (std::size_t i = 0; i < integers.size(); ++i)
      integers[i] = static_cast<std::uint32_t>(static_cast<std::int8_t>(bytes[i]));
  }
  return integers;
}

Matrix make_matrix(const TensorValue& stored, bool transpose, bool as_integers,
                   const ValueLookup& lookup) {
  const TensorValue value = as_integers && transpose ? transposed(stored) : stored;
  Matrix matrix;
  matrix.transposed = transpose && !as_integers;
  matrix.stride = value.shape[value.shape.rank() - 1];
  if (as_integers) {
    matrix.integers = integers_of(value, lookup);
  } else {
    matrix.floats = floats_of(value, lookup);
  }
  return matrix;
}

class GemmJob : public Job {
 public:
  GemmJob(const DataOp& op, const ValueLookup& lookup, const StopQuestion& stop,
          std::shared_ptr<const GemmProducts> products)
      : Job(op), stop_(stop), products_(std::move(products)),
        params_(std::get<GemmParams>(op.params)), out_dtype_(op.outputs[0].dtype),
        integer_(params_.acc_dtype == DType::i32),
        as_integers_(integer_ &&
                     !(op.inputs[0].dtype == DType::i8 && op.inputs[1].dtype == DType::i8)),
        a_(operand(op.inputs[0], params_.transpose_a, lookup)),
        b_(operand(op.inputs[1], params_.transpose_b, lookup)),
        epilogue_(params_.epilogue, op.inputs, lookup),
        row_blocks_((params_.m + block_rows - 1) / block_rows),
        column_blocks_((params_.n + block_columns - 1) / block_columns) {
    if (!params_.accumulates) return;
    if (integer_) {
      added_integers_ = integers_of(op.inputs[2], lookup);
    } else {
      added_floats_ = floats_of(op.inputs[2], lookup);
    }
  }

  std::size_t blocks() const override {
    return static_cast<std::size_t>(params_.batch * row_blocks_ * column_blocks_);
  }

  void run_block(std::size_t index) override {
    const auto at = static_cast<std::int64_t>(index);
    const std::int64_t nth = at / (row_blocks_ * column_blocks_);
    const std::int64_t row = at / column_blocks_ % row_blocks_ * block_rows;
    Block block;
    block.row = nth * params_.m + row;
    block.depth = nth * params_.k;
    block.column = at % column_blocks_ * block_columns;
    block.rows = std::min(block_rows, params_.m - row);
    block.columns = std::min(block_columns, params_.n - block.column);
    const std::int64_t tile_k = epilogue_.has(EpilogueScope::k_tile) ? params_.tile_k : params_.k;
    if (tile_k >= params_.k && integer_ && epilogue_.empty())
      return store(block, accumulated(block, integer_product(block, 0, params_.k)));

    FloatArray sum = accumulated(block, product(block, 0, std::min(tile_k, params_.k)));
    apply_k_tile(block, sum.get(), 0);
    for (std::int64_t tile = 1; tile * tile_k < params_.k; ++tile) {
      const FloatArray partial =
          product(block, tile * tile_k, std::min(tile_k, params_.k - tile * tile_k));
      apply_k_tile(block, partial.get(), tile);
      for (std::int64_t i = 0; i < block.size(); ++i)
        sum[static_cast<std::size_t>(i)] += partial[static_cast<std::size_t>(i)];
    }
    for (std::int64_t row = 0; row < block.rows; ++row) {
      epilogue_.finish(sum.get() + row * block.columns,
                       (block.row + row) * params_.n + block.column, block.columns);
    }
    store(block, sum.get());
  }

 private:
  // Rows of all products are numbered consecutively: rows of a and of the output (row), and rows of
  // b (depth).
  struct Block {
    std::int64_t row = 0, column = 0, depth = 0, rows = 0, columns = 0;
    std::int64_t size() const { return rows * columns; }
  };

  Matrix operand(const TensorValue& value, bool transpose, const ValueLookup& lookup) const {
    return products_ ? Matrix() : make_matrix(value, transpose, as_integers_, lookup);
  }

  // Copies products of an engine unchanged, row by row, to `to`.
  template <class Element>
  void products_of_engine(const Block& block, std::int64_t k, Element (*element)(std::uint32_t),
                          Element* to) const {
    const std::uint32_t* const sums = products_->sums(k);
    for (std::int64_t row = 0; row < block.rows; ++row) {
      const std::uint32_t* const first = sums + (block.row + row) * params_.n + block.column;
      to = std::transform(first, first + block.columns, to, element);
    }
  }

  void ask() const {
    if (says_stop(stop_)) throw StoppedError("a gemm was stopped");
  }

  FloatArray float_product(const Block& block, std::int64_t k, std::int64_t depth) const {
    FloatArray c = make_floats(static_cast<std::uint64_t>(block.size()));
    if (products_ && !integer_) {
      products_of_engine<float>(block, k, &float_from_bits, c.get());
      return c;
    }
    for_each_strip(block.rows, block.size() * depth, [&](std::int64_t row, std::int64_t rows) {
      ask();
      multiply(GemmBlock{a_.at(block.row + row, k), b_.at(block.depth + k, block.column),
                         c.get() + row * block.columns, rows, depth, block.columns, a_.stride,
                         b_.stride, block.columns, a_.transposed, b_.transposed});
    });
    return c;
  }

  std::vector<std::int64_t> integer_product(const Block& block, std::int64_t k,
                                            std::int64_t depth) const {
    if (products_) {
      std::vector<std::int64_t> result(static_cast<std::size_t>(block.size()));
      products_of_engine<std::int64_t>(
          block, k,
          [](std::uint32_t bits) { return std::int64_t{static_cast<std::int32_t>(bits)}; },
          result.data());
      return result;
    }
    std::vector<std::uint32_t> sum(static_cast<std::size_t>(block.size()), 0);
    if (as_integers_) {
      for_each_strip(block.rows, block.size() * depth, [&](std::int64_t row, std::int64_t rows) {
        ask();
        multiply(IntegerBlock{
            a_.integer(block.row + row, k), b_.integer(block.depth + k, block.column),
            sum.data() + row * block.columns, rows, depth, block.columns, a_.stride, b_.stride});
      });
    } else {
      for (std::int64_t i = k; i < k + depth; i += exact_depth) {
        const FloatArray partial = float_product(block, i, std::min(exact_depth, k + depth - i));
        for (std::size_t j = 0; j < sum.size(); ++j)
          sum[j] += static_cast<std::uint32_t>(static_cast<std::int32_t>(partial[j]));
      }
    }
    std::vector<std::int64_t> result(sum.size());
    for (std::size_t j = 0; j < sum.size(); ++j) result[j] = static_cast<std::int32_t>(sum[j]);
    return result;
  }

  // Adds the accumulator once after the sum over K, which began at zero.
  FloatArray accumulated(const Block& block, FloatArray sums) const {
    if (added_floats_ == nullptr) return sums;
    for_each_element(block, [&](std::size_t i, std::int64_t element) {
      sums[i] += added_floats_[static_cast<std::size_t>(element)];
    });
    return sums;
  }
  std::vector<std::int64_t> accumulated(const Block& block, std::vector<std::int64_t> sums) const {
    if (added_integers_.empty()) return sums;
    for_each_element(block, [&](std::size_t i, std::int64_t element) {
      sums[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[i]) +
                                          added_integers_[static_cast<std::size_t>(element)]);
    });
    return sums;
  }
  // Calls visit(index in the block, index in the output), row by row.
  template <class Visit>
  void for_each_element(const Block& block, Visit visit) const {
    std::size_t i = 0;
    for (std::int64_t row = block.row; row < block.row + block.rows; ++row) {
      for (std::int64_t column = 0; column < block.columns; ++column)
        visit(i++, row * params_.n + block.column + column);
    }
  }

  FloatArray product(const Block& block, std::int64_t k, std::int64_t depth) const {
    if (!integer_) return float_product(block, k, depth);
    const std::vector<std::int64_t> integers = integer_product(block, k, depth);
    FloatArray floats = make_floats(integers.size());
    for (std::size_t i = 0; i < integers.size(); ++i) floats[i] = static_cast<float>(integers[i]);
    return floats;
  }

  void apply_k_tile(const Block& block, float* values, std::int64_t tile) const {
    for (std::int64_t row = 0; row < block.rows; ++row) {
      epilogue_.apply(EpilogueScope::k_tile, values + row * block.columns,
                      (block.row + row) * params_.n + block.column, block.columns, tile);
    }
  }

  std::byte* output_row(const Block& block, std::int64_t row) const {
    return output_.get() +
           static_cast<std::uint64_t>((block.row + row) * params_.n + block.column) *
               size_of(out_dtype_);
  }

  template <class Values>
  void store(const Block& block, const Values& values) const {
    for (std::int64_t row = 0; row < block.rows; ++row) {
      store_elements(&values[static_cast<std::size_t>(row * block.columns)],
                     static_cast<std::uint64_t>(block.columns), out_dtype_, output_row(block, row));
    }
  }

  const StopQuestion stop_;
  const std::shared_ptr<const GemmProducts> products_;
  const GemmParams& params_;
  DType out_dtype_;
  bool integer_, as_integers_;
  Matrix a_, b_;
  FloatArray added_floats_;  // accumulator in one of these forms
  std::vector<std::uint32_t> added_integers_;
  Epilogue epilogue_;
  std::int64_t row_blocks_, column_blocks_;
};

}  // namespace

std::unique_ptr<Job> make_gemm_job(const DataOp& op, const ValueLookup& lookup,
                                   const StopQuestion& stop,
                                   std::shared_ptr<const GemmProducts> products) {
  return std::make_unique<GemmJob>(op, lookup, stop, std::move(products));
}

}  // namespace kernbench
