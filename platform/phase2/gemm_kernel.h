// Matrix product in f32: Eigen, compiled for any processor, for AVX2 with FMA and for AVX-512,
// selected at run time. The variants may differ in the last bit; one machine always uses the same.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kernbench {

// c{rows,columns} = a{rows,depth} b{depth,columns}; c is row-major. An operand is row-major, or
// column-major if transposed; strides are the distances between its rows (columns).
struct GemmBlock {
  const float* a;
  const float* b;
  float* c;
  std::ptrdiff_t rows, depth, columns;
  std::ptrdiff_t a_stride, b_stride, c_stride;
  bool a_transposed, b_transposed;
};

// Same product of integers modulo 2^32, with the same bits on any processor. All row-major, c
// without gaps.
struct IntegerBlock {
  const std::uint32_t* a;
  const std::uint32_t* b;
  std::uint32_t* c;
  std::ptrdiff_t rows, depth, columns;
  std::ptrdiff_t a_stride, b_stride;
};

void multiply_portable(const GemmBlock& block);
void multiply_portable(const IntegerBlock& block);
void multiply_avx2(const GemmBlock& block);
void multiply_avx2(const IntegerBlock& block);
void multiply_avx512(const GemmBlock& block);
void multiply_avx512(const IntegerBlock& block);
void multiply(const GemmBlock& block);  // best variant for this processor
void multiply(const IntegerBlock& block);

}  // namespace kernbench
