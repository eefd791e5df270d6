#include "models/rtl/gemm_tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/data/elements.h"

namespace kernbench {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// The 16 bits of a lane: i8 with its sign extended, f16 as it is.
template <DType dtype>
std::uint16_t lane_of(const std::byte* elements, std::int64_t index) {
  if (dtype == DType::i8)
    return static_cast<std::uint16_t>(static_cast<std::int8_t>(elements[index]));
  std::uint16_t bits;
  std::memcpy(&bits, elements + index * 2, sizeof bits);
  return bits;
}

std::uint16_t lane_of(const std::byte* elements, std::int64_t index, DType dtype) {
  return dtype == DType::i8 ? lane_of<DType::i8>(elements, index)
                            : lane_of<DType::f16>(elements, index);
}

// `depth` beats of `width` lanes per fold: those of A are its columns, cut into folds of rows, ...
template <DType dtype>
void stream_columns(const std::byte* elements, std::int64_t rows, std::int64_t depth,
                    std::int64_t width, std::uint16_t* beats) {
  for (std::int64_t row = 0; row < rows; ++row) {
    std::uint16_t* lane = beats + row / width * depth * width + row % width;
    for (std::int64_t t = 0; t < depth; ++t, lane += width)
      *lane = lane_of<dtype>(elements, row * depth + t);
  }
}

// ... those of B its rows, cut into folds of columns.
template <DType dtype>
void stream_rows(const std::byte* elements, std::int64_t depth, std::int64_t columns,
                 std::int64_t width, std::uint16_t* beats) {
  for (std::int64_t first = 0; first < columns; first += width) {
    const std::int64_t lanes = std::min(width, columns - first);
    for (std::int64_t t = 0; t < depth; ++t, beats += width) {
      for (std::int64_t lane = 0; lane < lanes; ++lane)
        beats[lane] = lane_of<dtype>(elements, t * columns + first + lane);
    }
  }
}

}  // namespace

void GemmTile::begin(std::int64_t m, std::int64_t k, std::int64_t n, DType dtype,
                     const std::vector<std::byte>& a_elements,
                     const std::vector<std::byte>& b_elements) {
  m_ = m;
  k_ = k;
  n_ = n;
  dtype_ = dtype;
  const std::int64_t folds_m = ceil_div(m, array_.rows), folds_n = ceil_div(n, array_.columns);
  const auto set_up = [&](Beats& beats, std::int64_t width, std::int64_t own_folds) {
    beats.width_ = width;
    beats.depth_ = k;
    beats.folds_ = folds_m * folds_n;
    beats.folds_per_row_ = folds_n;
    beats.values_.resize(static_cast<std::size_t>(own_folds * k * width));
    std::memset(beats.values_.data(), 0, beats.values_.size() * sizeof beats.values_[0]);
  };
  set_up(a, array_.rows, folds_m);
  a.repeats_folds_ = true;
  set_up(b, array_.columns, folds_n);
  b.repeats_folds_ = false;
  const bool is_i8 = dtype == DType::i8;
  if (!a_elements.empty())
    (is_i8 ? stream_columns<DType::i8> : stream_columns<DType::f16>)(a_elements.data(), m, k,
                                                                     a.width_, a.values_.data());
  if (!b_elements.empty())
    (is_i8 ? stream_rows<DType::i8> : stream_rows<DType::f16>)(b_elements.data(), k, n, b.width_,
                                                               b.values_.data());
  a.go_to(0);
  b.go_to(0);
  rows_left_ = m * folds_n;
  fold_row_ = fold_column_ = next_row_ = result_fold_ = 0;
  products_.assign(static_cast<std::size_t>(m * n), 0);
}

void GemmTile::Beats::go_to(std::int64_t fold) {
  fold_ = fold;
  beat_ = 0;
  offered = false;
  const std::int64_t own = repeats_folds_ ? fold / folds_per_row_ : fold % folds_per_row_;
  at_ = values_.data() + (left() ? own * depth_ * width_ : 0);
}

void GemmTile::take_row(const void* lanes) {
  const std::int64_t columns = std::min(array_.columns, n_ - fold_column_);
  std::memcpy(products_.data() + (fold_row_ + next_row_) * n_ + fold_column_, lanes,
              static_cast<std::size_t>(columns) * sizeof(std::uint32_t));
  --rows_left_;
  if (++next_row_ < std::min(array_.rows, m_ - fold_row_)) return;
  next_row_ = 0;
  ++result_fold_;
  fold_column_ += array_.columns;
  if (fold_column_ < n_) return;
  fold_column_ = 0;
  fold_row_ += array_.rows;
}

namespace {

// One element of the product, summed with k ascending.
class ReferenceElement {
 public:
  void add(std::uint16_t a, std::uint16_t b, DType dtype) {
    if (dtype == DType::i8) {
      integer_ +=
          static_cast<std::uint32_t>(static_cast<std::int16_t>(a) * static_cast<std::int16_t>(b));
      return;
    }
    const float product = f16_to_float(a) * f16_to_float(b);  // exact
    sum_ += product;
    magnitude_ += std::fabs(static_cast<double>(product));
    ++additions_;
  }
  bool agrees(std::uint32_t bits, DType dtype) const {
    if (dtype == DType::i8) return bits == integer_;
    const float found = float_from_bits(bits);
    if (bits == float_bits(sum_) || (std::isnan(found) && std::isnan(sum_))) return true;
    const double allowed = static_cast<double>(additions_) * 0x1p-23 * magnitude_;
    return std::fabs(static_cast<double>(found) - static_cast<double>(sum_)) <= allowed;
  }
  std::string text(DType dtype) const {
    return dtype == DType::i8 ? std::to_string(static_cast<std::int32_t>(integer_))
                              : fmt::format("{:.9g}", sum_);
  }

 private:
  std::uint32_t integer_ = 0;
  float sum_ = 0;
  double magnitude_ = 0;
  std::int64_t additions_ = 0;
};

std::string text_of(std::uint32_t bits, DType dtype) {
  return dtype == DType::i8 ? std::to_string(static_cast<std::int32_t>(bits))
                            : fmt::format("{:.9g}", float_from_bits(bits));
}

}  // namespace

std::optional<GemmTile::Difference> GemmTile::first_difference(
    const std::vector<std::byte>& a_elements, const std::vector<std::byte>& b_elements) const {
  for (std::int64_t row = 0; row < m_; ++row) {
    for (std::int64_t column = 0; column < n_; ++column) {
      ReferenceElement expected;
      for (std::int64_t t = 0; t < k_ && !a_elements.empty(); ++t) {
        expected.add(lane_of(a_elements.data(), row * k_ + t, dtype_),
                     lane_of(b_elements.data(), t * n_ + column, dtype_), dtype_);
      }
      const std::uint32_t bits = products_[static_cast<std::size_t>(row * n_ + column)];
      if (!expected.agrees(bits, dtype_))
        return Difference{row, column, text_of(bits, dtype_), expected.text(dtype_)};
    }
  }
  return std::nullopt;
}

Pins GemmPins::list(GemmArray array) const {
  using Kind = Pin::Kind;
  constexpr SignalType count = SignalType::count, address = SignalType::address;
  const auto a_bits = static_cast<unsigned>(array.rows * 16),
             b_bits = static_cast<unsigned>(array.columns * 16),
             result_bits = static_cast<unsigned>(array.columns * 32);
  return {
      {"task_valid", "a task is offered", 1, Kind::input, task_valid},
      {"task_ready", "the task is accepted", 1, Kind::control, task_ready},
      {"task_m", "rows of A and of the result", 32, Kind::input, task_m},
      {"task_n", "columns of B and of the result", 32, Kind::input, task_n},
      {"task_k", "columns of A, rows of B", 32, Kind::input, task_k},
      {"task_dtype", "0: i8 x i8 -> i32, 1: f16 x f16 -> f32", 4, Kind::input, task_dtype},
      {"task_a_address", "address of A", 64, Kind::input, task_a_address, 0, address},
      {"task_b_address", "address of B", 64, Kind::input, task_b_address, 0, address},
      {"task_result_address", "address of the result", 64, Kind::input, task_result_address, 0,
       address},
      {"a_valid", "a beat of A is offered", 1, Kind::input, a_valid},
      {"a_ready", "the beat of A is accepted", 1, Kind::control, a_ready},
      {"a_data", "elements of A, one per row of the fold", a_bits, Kind::input, a_data, 16},
      {"a_last", "last beat of the fold", 1, Kind::input, a_last},
      {"b_valid", "a beat of B is offered", 1, Kind::input, b_valid},
      {"b_ready", "the beat of B is accepted", 1, Kind::control, b_ready},
      {"b_data", "elements of B, one per column of the fold", b_bits, Kind::input, b_data, 16},
      {"b_last", "last beat of the fold", 1, Kind::input, b_last},
      {"result_valid", "a row of the result is offered", 1, Kind::control, result_valid},
      {"result_ready", "the row of the result is accepted", 1, Kind::input, result_ready},
      {"result_data", "elements of the result, one per column of the fold", result_bits, Kind::data,
       result_data, 32, count, result_valid},
      {"result_last", "last row of the task", 1, Kind::data, result_last, 0, count, result_valid},
      {"error", "error code; not 0: the block ends the run", 8, Kind::control, error},
  };
}

}  // namespace kernbench
