// The body of gemm_kernel_*.cpp, compiled once per instruction set. Everything here has internal linkage, and EIGEN_WORLD names
// Eigen's namespace anew per instruction set: the linker must not merge their templates.
#pragma once

#define Eigen EIGEN_WORLD
#define EIGEN_NO_DEBUG
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>

#include "platform/numerics/gemm_kernel.h"

namespace kernbench {
namespace {

// Eigen cuts a product by the sizes of the caches that it finds, and that decides the order of the sums: say them.
void fix_cache_sizes() {
  static const bool done = [] {
    Eigen::setCpuCacheSizes(32 * 1024, 512 * 1024, 4 * 1024 * 1024);
    return true;
  }();
  (void)done;
}

template <int order>
using Operand = Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, order>, Eigen::Unaligned, Eigen::OuterStride<>>;
using Result = Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, Eigen::Unaligned, Eigen::OuterStride<>>;

template <int a_order, int b_order>
void multiply_as(const GemmBlock& block) {
  const Operand<a_order> a(block.a, block.rows, block.depth, Eigen::OuterStride<>(block.a_stride));
  const Operand<b_order> b(block.b, block.depth, block.columns, Eigen::OuterStride<>(block.b_stride));
  Result c(block.c, block.rows, block.columns, Eigen::OuterStride<>(block.c_stride));
  c.setZero();  // as an accumulator starts: small products, which Eigen computes otherwise, have no negative zeros either
  c.noalias() += a * b;
}

void multiply_here(const GemmBlock& block) {
  fix_cache_sizes();
  if (block.a_transposed) {
    block.b_transposed ? multiply_as<Eigen::ColMajor, Eigen::ColMajor>(block) : multiply_as<Eigen::ColMajor, Eigen::RowMajor>(block);
  } else {
    block.b_transposed ? multiply_as<Eigen::RowMajor, Eigen::ColMajor>(block) : multiply_as<Eigen::RowMajor, Eigen::RowMajor>(block);
  }
}

}  // namespace
}  // namespace kernbench
