// Kernel of gemm, compiled once per instruction set as the functions KERNBENCH_MULTIPLY. Everything
// else here has internal linkage, and EIGEN_WORLD renames Eigen's namespace per instruction set:
// the linker must not merge their templates.
#pragma once

#define Eigen EIGEN_WORLD
#define EIGEN_NO_DEBUG
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>

#include "platform/phase2/gemm_kernel.h"

namespace kernbench {
namespace {

// Eigen cuts a product by the cache sizes that it detects, which determine the order of the sums.
// Fixed sizes make it reproducible.
void fix_cache_sizes() {
  static const bool done = [] {
    Eigen::setCpuCacheSizes(32 * 1024, 512 * 1024, 4 * 1024 * 1024);
    return true;
  }();
  (void)done;
}

template <int order>
using Operand = Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, order>,
                           Eigen::Unaligned, Eigen::OuterStride<>>;
using Result = Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>,
                          Eigen::Unaligned, Eigen::OuterStride<>>;

template <int a_order, int b_order>
void multiply_as(const GemmBlock& block) {
  const Operand<a_order> a(block.a, block.rows, block.depth, Eigen::OuterStride<>(block.a_stride));
  const Operand<b_order> b(block.b, block.depth, block.columns,
                           Eigen::OuterStride<>(block.b_stride));
  Result c(block.c, block.rows, block.columns, Eigen::OuterStride<>(block.c_stride));
  c.setZero();  // initial value of an accumulator: small products, which Eigen computes
                // differently, have no negative zeros either
  c.noalias() += a * b;
}

void multiply_here(const GemmBlock& block) {
  fix_cache_sizes();
  if (block.a_transposed) {
    block.b_transposed ? multiply_as<Eigen::ColMajor, Eigen::ColMajor>(block)
                       : multiply_as<Eigen::ColMajor, Eigen::RowMajor>(block);
  } else {
    block.b_transposed ? multiply_as<Eigen::RowMajor, Eigen::ColMajor>(block)
                       : multiply_as<Eigen::RowMajor, Eigen::RowMajor>(block);
  }
}

// c += a b over `count` of the depth, for one row.
template <int count>
void add_rows(std::uint32_t* c, const std::uint32_t* a, const std::uint32_t* b,
              std::ptrdiff_t b_stride, std::ptrdiff_t columns) {
  for (std::ptrdiff_t column = 0; column < columns; ++column) {
    std::uint32_t sum = c[column];
    for (int k = 0; k < count; ++k) sum += a[k] * b[k * b_stride + column];
    c[column] = sum;
  }
}

void multiply_here(const IntegerBlock& block) {
  constexpr std::ptrdiff_t panel =
      16;  // rows of b that remain in the cache while all rows of a are processed
  constexpr int unrolled = 4;
  for (std::ptrdiff_t i = 0; i < block.rows * block.columns; ++i) block.c[i] = 0;
  for (std::ptrdiff_t first = 0; first < block.depth; first += panel) {
    const std::ptrdiff_t end = first + panel < block.depth ? first + panel : block.depth;
    for (std::ptrdiff_t row = 0; row < block.rows; ++row) {
      std::uint32_t* c = block.c + row * block.columns;
      const std::uint32_t* a = block.a + row * block.a_stride;
      std::ptrdiff_t k = first;
      for (; k + unrolled <= end; k += unrolled)
        add_rows<unrolled>(c, a + k, block.b + k * block.b_stride, block.b_stride, block.columns);
      for (; k < end; ++k)
        add_rows<1>(c, a + k, block.b + k * block.b_stride, block.b_stride, block.columns);
    }
  }
}

}  // namespace

void KERNBENCH_MULTIPLY(const GemmBlock& block) { multiply_here(block); }
void KERNBENCH_MULTIPLY(const IntegerBlock& block) { multiply_here(block); }

}  // namespace kernbench
