// Products of tiles, element by element: what a GEMM block is held against. Shares no code with the
// program or with the block.
#pragma once

#include <cstdint>
#include <vector>

namespace kernbench::test {

enum class GemmDType : std::uint8_t { i8 = 0, f16 = 1 };  // as on the pins

// Elements in 16 bits: i8 sign-extended. Row-major.
struct GemmTile {
  std::uint32_t m, n, k;
  GemmDType dtype;
  std::vector<std::uint16_t> a, b;
};

// i8: the sum in 64 bits, of which the lower 32. f16: products and sums in f32, k ascending from
// +0; NaN is 7fc00000.
std::vector<std::uint32_t> reference_product(const GemmTile& tile);

float f16_value(std::uint16_t bits);
std::uint32_t f32_bits(float value);
float f32_value(std::uint32_t bits);

}  // namespace kernbench::test
