// Tile of a GEMM as beats: the operand and result streams of a block with the pins of
// kernbench_gemm_if. Without SystemC.
//
// Folds of rows x columns elements of the result, row by row; k beats of A and of B each, then a
// beat per row of the fold. Elements beyond the edges of the matrices are zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/dtype.h"
#include "models/rtl/pins.h"

namespace kernbench {

struct GemmArray {
  std::int64_t rows = 8, columns = 8;
};

class GemmTile {
 public:
  explicit GemmTile(GemmArray array) : array_(array) {}

  // a: m x k, b: k x n elements, dense, row by row; empty: zeros. dtype: i8 or f16.
  void begin(std::int64_t m, std::int64_t k, std::int64_t n, DType dtype,
             const std::vector<std::byte>& a, const std::vector<std::byte>& b);

  // An operand's stream: 16 bits per lane.
  class Beats {
   public:
    bool left() const { return fold_ < folds_; }
    std::int64_t fold() const { return fold_; }
    const std::uint16_t* lanes() const { return at_; }
    bool last() const { return beat_ + 1 == depth_; }  // last beat of its fold
    std::size_t lane_bytes() const { return static_cast<std::size_t>(width_) * 2; }
    void taken() {
      offered = false;
      if (last()) return go_to(fold_ + 1);
      ++beat_;
      at_ += width_;
    }
    bool offered = false;  // and not taken yet

   private:
    friend class GemmTile;
    std::vector<std::uint16_t> values_;  // values of its own folds, in sequence
    const std::uint16_t* at_ = nullptr;
    std::int64_t width_ = 0, depth_ = 0;  // lanes; beats of a fold
    std::int64_t beat_ = 0, fold_ = 0, folds_ = 0;
    bool repeats_folds_ = false;  // A: the same fold for all columns; B: all folds, for each row
    std::int64_t folds_per_row_ = 1;
    void go_to(std::int64_t fold);
  };
  Beats a, b;

  bool operands_left() const { return a.left() || b.left(); }
  bool last_row() const { return rows_left_ == 1; }
  bool complete() const { return rows_left_ == 0; }
  // Whether the operands of the fold of the next rows have been accepted.
  bool row_due() const { return a.fold_ > result_fold_ && b.fold_ > result_fold_; }
  // A beat of the result: 32 bits per lane.
  void take_row(const void* lanes);
  // m x n, row by row.
  const std::vector<std::uint32_t>& products() const { return products_; }

  // The first element that differs from the product of the operands computed here: exactly for i8;
  // for f16 by more than the roundings of k additions in any order make.
  struct Difference {
    std::int64_t row = 0, column = 0;
    std::string found, expected;
  };
  std::optional<Difference> first_difference(const std::vector<std::byte>& a,
                                             const std::vector<std::byte>& b) const;

 private:
  GemmArray array_;
  std::int64_t m_ = 0, k_ = 0, n_ = 0;
  DType dtype_ = DType::i8;
  std::int64_t rows_left_ = 0;  // rows of all folds
  std::int64_t fold_row_ = 0, fold_column_ = 0, next_row_ = 0,
               result_fold_ = 0;  // fold of the next beat
  std::vector<std::uint32_t> products_;
};

// Pins of a block that multiplies tiles (models/rtl/README.md, kernbench_gemm_if.sv), in the model
// that Verilator has generated from it.
struct GemmPins {
  std::uint8_t *task_valid, *task_ready;
  std::uint32_t *task_m, *task_n, *task_k;
  std::uint8_t* task_dtype;
  std::uint64_t *task_a_address, *task_b_address, *task_result_address;
  std::uint8_t *a_valid, *a_ready, *a_last;
  void* a_data;
  std::uint8_t *b_valid, *b_ready, *b_last;
  void* b_data;
  std::uint8_t *result_valid, *result_ready, *result_last;
  void* result_data;
  std::uint8_t* error;

  template <class Model>
  static GemmPins of(Model& m) {
    return {&m.task_valid,     &m.task_ready,     &m.task_m,
            &m.task_n,         &m.task_k,         &m.task_dtype,
            &m.task_a_address, &m.task_b_address, &m.task_result_address,
            &m.a_valid,        &m.a_ready,        &m.a_last,
            &m.a_data,         &m.b_valid,        &m.b_ready,
            &m.b_last,         &m.b_data,         &m.result_valid,
            &m.result_ready,   &m.result_last,    &m.result_data,
            &m.error};
  }
  // Pins for signals, and for the search for unknown outputs.
  Pins list(GemmArray array) const;
};

}  // namespace kernbench
