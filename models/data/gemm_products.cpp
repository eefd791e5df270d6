#include "models/data/gemm_products.h"

#include <algorithm>

#include "models/data/elements.h"

namespace kernbench {
namespace {

bool has_k_tile_scope(const GemmParams& params) {
  return std::any_of(params.epilogue.begin(), params.epilogue.end(),
                     [](const EpilogueOp& op) { return op.scope == EpilogueScope::k_tile; });
}

}  // namespace

GemmProducts::GemmProducts(const DataOp& op) {
  const auto& params = std::get<GemmParams>(op.params);
  integer_ = params.acc_dtype == DType::i32;
  columns_ = params.n;
  part_depth_ = has_k_tile_scope(params) ? params.tile_k : params.k;
  missing_ = params.batch * params.m * params.k * params.n;
  parts_.assign(
      index_of(params.k - 1) + 1,
      std::vector<std::uint32_t>(static_cast<std::size_t>(params.batch * params.m * params.n)));
}

void GemmProducts::add(const ProductBlock& block, const std::uint32_t* bits) {
  std::vector<std::uint32_t>& part = parts_.at(index_of(block.depth));
  const bool first = block.depth % part_depth_ == 0;
  for (std::int64_t row = 0; row < block.rows; ++row) {
    std::uint32_t* const sums = part.data() + (block.row + row) * columns_ + block.column;
    for (std::int64_t column = 0; column < block.columns; ++column, ++bits) {
      std::uint32_t& sum = sums[column];
      if (first) {
        sum = *bits;
      } else if (integer_) {
        sum += *bits;
      } else {
        sum = float_bits(float_from_bits(sum) + float_from_bits(*bits));
      }
    }
  }
  missing_ -= block.rows * block.columns * block.depths;
}

}  // namespace kernbench
