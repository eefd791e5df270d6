// Element types as kernels and benches write them: f16, not DType::f16.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "models/base/dtype.h"
#include "models/base/errors.h"

namespace kernbench {

inline constexpr DType f16 = DType::f16;
inline constexpr DType bf16 = DType::bf16;
inline constexpr DType f32 = DType::f32;
inline constexpr DType i8 = DType::i8;
inline constexpr DType i32 = DType::i32;

// "f16{32, 64}"
inline std::string describe(DType dtype, const Shape& shape) {
  return std::string(name_of(dtype)) + shape.str();
}

// UsageError that names the call if the block has no elements.
inline void check_block(const char* call, const Shape& shape) {
  if (shape.elements() == 0)
    throw UsageError(
        fmt::format("{}: block {}: every extent must be at least 1", call, shape.str()));
}

// Size of a dense block.
inline std::uint64_t bytes_of(const Shape& shape, DType dtype) {
  return static_cast<std::uint64_t>(shape.elements()) * size_of(dtype);
}

}  // namespace kernbench
