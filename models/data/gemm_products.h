// GemmProducts: products that a computing engine has produced for a gemm op, in accumulator
// precision: f32, or i32 modulo 2^32. Phase 2 applies epilogues and the conversion to it, and
// multiplies nothing.
//
// The engine adds the product of each tile. Products of one part of the output are summed as the
// register file does, in the order of their k tiles; they stay separate if the op has an epilogue
// at k_tile scope.
#pragma once

#include <cstdint>
#include <vector>

#include "models/data/data_op.h"

namespace kernbench {

// A tile of the output, and the part of the inner extent that its product covers.
struct ProductBlock {
  std::int64_t row = 0, column = 0, depth = 0;
  std::int64_t rows = 0, columns = 0, depths = 0;
};

class GemmProducts {
 public:
  explicit GemmProducts(const DataOp& op);

  bool integer() const { return integer_; }
  // Bits of the elements, row by row.
  void add(const ProductBlock& block, const std::uint32_t* bits);
  // Whether all products of the op have been added.
  bool complete() const { return missing_ == 0; }

  // The products of a batch are stacked by rows. Products of all of K, or of the k tile that begins
  // at `depth` if k tiles stay separate. Row by row, as wide as the output.
  const std::uint32_t* sums(std::int64_t depth) const { return parts_.at(index_of(depth)).data(); }

 private:
  std::size_t index_of(std::int64_t depth) const {
    return static_cast<std::size_t>(depth / part_depth_);
  }

  bool integer_;
  std::int64_t columns_, part_depth_;  // k of a part
  std::int64_t missing_;               // multiply-accumulates
  std::vector<std::vector<std::uint32_t>> parts_;
};

}  // namespace kernbench
