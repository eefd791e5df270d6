// Reductions along one axis, or several together, which are moved last and treated as one. Sums are
// pairwise in f32 (integers wrap modulo 2^32); softmax subtracts the maximum; max, min, argmax and
// argmin return the first NaN; NaN is true for any and all.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/errors.h"
#include "models/data/integer_math.h"
#include "models/data/shape_rules.h"
#include "platform/phase2/element_arrays.h"
#include "platform/phase2/epilogue.h"
#include "platform/phase2/job.h"
#include "platform/phase2/math_functions.h"

namespace kernbench {
namespace {

constexpr std::int64_t block_elements = 64 * 1024;

// `extent` rows of `inner` values each, reduced to one row.
template <class T>
void sum_rows(const T* rows, std::int64_t extent, std::int64_t inner, T* out) {
  constexpr std::int64_t leaf = 16;
  if (extent > leaf) {
    const std::int64_t half = extent / 2;
    std::vector<T> upper(static_cast<std::size_t>(inner));
    sum_rows(rows, half, inner, out);
    sum_rows(rows + half * inner, extent - half, inner, upper.data());
    for (std::int64_t i = 0; i < inner; ++i) out[i] += upper[static_cast<std::size_t>(i)];
    return;
  }
  std::copy(rows, rows + inner, out);
  for (std::int64_t row = 1; row < extent; ++row) {
    for (std::int64_t i = 0; i < inner; ++i) out[i] += rows[row * inner + i];
  }
}

template <class T, class Function>
void fold_rows(const T* rows, std::int64_t extent, std::int64_t inner, T* out, Function function) {
  std::copy(rows, rows + inner, out);
  for (std::int64_t row = 1; row < extent; ++row) {
    for (std::int64_t i = 0; i < inner; ++i) out[i] = function(out[i], rows[row * inner + i]);
  }
}

// First of the best elements, by `better`.
template <class T, class Better>
void best_rows(const T* rows, std::int64_t extent, std::int64_t inner, std::int64_t* out,
               Better better) {
  for (std::int64_t i = 0; i < inner; ++i) {
    std::int64_t best = 0;
    for (std::int64_t row = 1; row < extent; ++row) {
      const T value = rows[row * inner + i], champion = rows[best * inner + i];
      if (champion == champion && (better(value, champion) || value != value)) best = row;
    }
    out[i] = best;
  }
}

// Number of nonzero elements.
template <class T>
void count_rows(const T* rows, std::int64_t extent, std::int64_t inner, std::int64_t* out) {
  std::fill(out, out + inner, 0);
  for (std::int64_t row = 0; row < extent; ++row) {
    for (std::int64_t i = 0; i < inner; ++i) out[i] += rows[row * inner + i] != 0 ? 1 : 0;
  }
}

// Reductions with integer results for any operands.
template <class T>
void places_or_masks(MathOp op, const T* rows, std::int64_t extent, std::int64_t inner,
                     std::int64_t* out) {
  if (op == MathOp::argmax)
    return best_rows(rows, extent, inner, out, [](T a, T b) { return a > b; });
  if (op == MathOp::argmin)
    return best_rows(rows, extent, inner, out, [](T a, T b) { return a < b; });
  count_rows(rows, extent, inner, out);
  for (std::int64_t i = 0; i < inner; ++i)
    out[i] = out[i] >= (op == MathOp::any ? 1 : extent) ? 1 : 0;
}

bool gives_integers(MathOp op) {
  return op == MathOp::argmax || op == MathOp::argmin || op == MathOp::any || op == MathOp::all;
}

// Kept axes first, then the reduced ones.
TensorValue reduced_last(const TensorValue& input, const std::vector<std::size_t>& reduced) {
  std::vector<int> kept, last;
  for (std::size_t axis = 0; axis < input.shape.rank(); ++axis) {
    const bool goes = std::find(reduced.begin(), reduced.end(), axis) != reduced.end();
    (goes ? last : kept).push_back(static_cast<int>(axis));
  }
  kept.insert(kept.end(), last.begin(), last.end());
  return permuted(input, kept);
}

void softmax_rows(const float* rows, std::int64_t extent, std::int64_t inner, float* out) {
  std::vector<float> row_value(static_cast<std::size_t>(inner));
  fold_rows(rows, extent, inner, row_value.data(),
            [](float a, float b) { return math_functions::maximum(a, b); });
  for (std::int64_t row = 0; row < extent; ++row) {
    for (std::int64_t i = 0; i < inner; ++i)
      out[row * inner + i] =
          std::exp(rows[row * inner + i] - row_value[static_cast<std::size_t>(i)]);
  }
  sum_rows(out, extent, inner, row_value.data());
  for (std::int64_t row = 0; row < extent; ++row) {
    for (std::int64_t i = 0; i < inner; ++i)
      out[row * inner + i] /= row_value[static_cast<std::size_t>(i)];
  }
}

class ReductionJob : public Job {
 public:
  ReductionJob(const DataOp& op, const ValueLookup& lookup)
      : Job(op), op_(std::get<MathParams>(op.params).op), out_dtype_(op.outputs[0].dtype),
        epilogue_(std::get<MathParams>(op.params).epilogue, op.inputs, lookup) {
    const MathParams& params = std::get<MathParams>(op.params);
    const TensorValue& given = op.inputs.at(static_cast<std::size_t>(params.operands.at(0).input));
    const std::vector<std::size_t> axes = reduced_axes(params, given.shape);
    const TensorValue input = axes.size() == 1 ? given : reduced_last(given, axes);
    const std::size_t end = axes.size() == 1 ? axes[0] + 1 : input.shape.rank(),
                      begin = end - axes.size();
    for (std::size_t i = 0; i < input.shape.rank(); ++i)
      (i < begin ? outer_ : i < end ? extent_ : inner_) *= input.shape[i];
    integer_ = !is_float(input.dtype) && op_ != MathOp::softmax && epilogue_.empty();
    if (integer_) {
      integers_.resize(static_cast<std::size_t>(input.shape.elements()));
      load_elements(dense_bytes(input, lookup).data(), input.dtype, integers_.size(),
                    integers_.data());
    } else {
      floats_ = floats_of(input, lookup);
    }
  }

  std::size_t blocks() const override {
    return static_cast<std::size_t>((outer_ + outer_per_block() - 1) / outer_per_block());
  }

  void run_block(std::size_t index) override {
    const std::int64_t begin = static_cast<std::int64_t>(index) * outer_per_block(),
                       end = std::min(outer_, begin + outer_per_block());
    for (std::int64_t outer = begin; outer < end; ++outer) {
      if (integer_ || gives_integers(op_)) {
        reduce_to_integers(outer);
      } else {
        reduce_to_floats(outer);
      }
    }
  }

 private:
  std::int64_t outer_per_block() const {
    return std::max<std::int64_t>(1, block_elements / (extent_ * inner_));
  }

  std::byte* output_at(std::int64_t element) const {
    return output_.get() + static_cast<std::uint64_t>(element) * size_of(out_dtype_);
  }

  void reduce_to_integers(std::int64_t outer) {
    std::vector<std::int64_t> out(static_cast<std::size_t>(inner_));
    const std::int64_t* rows = integers_.data() + (integer_ ? outer * extent_ * inner_ : 0);
    switch (op_) {
      case MathOp::sum:
        sum_rows(rows, extent_, inner_, out.data());
        for (std::int64_t& value : out) value = wrapped(value, DType::i32);
        break;
      case MathOp::max:
        fold_rows(rows, extent_, inner_, out.data(),
                  [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
        break;
      case MathOp::min:
        fold_rows(rows, extent_, inner_, out.data(),
                  [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
        break;
      case MathOp::xor_sum:
        fold_rows(rows, extent_, inner_, out.data(),
                  [](std::int64_t a, std::int64_t b) { return a ^ b; });
        break;
      default:
        if (integer_) {
          places_or_masks(op_, rows, extent_, inner_, out.data());
        } else {
          places_or_masks(op_, floats_.get() + outer * extent_ * inner_, extent_, inner_,
                          out.data());
        }
    }
    store_elements(out.data(), out.size(), out_dtype_, output_at(outer * inner_));
  }

  void reduce_to_floats(std::int64_t outer) {
    const std::int64_t count = (op_ == MathOp::softmax ? extent_ : 1) * inner_;
    std::vector<float> out(static_cast<std::size_t>(count));
    const float* rows = floats_.get() + outer * extent_ * inner_;
    switch (op_) {
      case MathOp::sum:
        sum_rows(rows, extent_, inner_, out.data());
        break;
      case MathOp::max:
        fold_rows(rows, extent_, inner_, out.data(),
                  [](float a, float b) { return math_functions::maximum(a, b); });
        break;
      case MathOp::min:
        fold_rows(rows, extent_, inner_, out.data(),
                  [](float a, float b) { return math_functions::minimum(a, b); });
        break;
      case MathOp::softmax:
        softmax_rows(rows, extent_, inner_, out.data());
        break;
      default:
        throw ModelError(fmt::format("'{}' is not a reduction", name_of(op_)));
    }
    epilogue_.finish(out.data(), outer * count, count);
    store_elements(out.data(), out.size(), out_dtype_, output_at(outer * count));
  }

  MathOp op_;
  DType out_dtype_;
  Epilogue epilogue_;
  std::int64_t outer_ = 1, extent_ = 1, inner_ = 1;
  bool integer_ = false;
  FloatArray floats_;
  std::vector<std::int64_t> integers_;
};

}  // namespace

std::unique_ptr<Job> make_reduction_job(const DataOp& op, const ValueLookup& lookup) {
  return std::make_unique<ReductionJob>(op, lookup);
}

}  // namespace kernbench
