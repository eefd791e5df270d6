// tl::Half: an f16 number as a scalar argument of a kernel. It is passed by its bits, so that it
// arrives unchanged, including NaN payload and sign of zero.
#pragma once

#include <cstdint>

#include "models/data/elements.h"
#include "models/protocol/host_messages.h"

namespace kernbench::tl {

class Half {
 public:
  // Rounded to nearest even, once.
  explicit Half(double value) {
    std::byte element[2];
    write_element(element, DType::f16, value);
    bits_ = static_cast<std::uint16_t>(std::to_integer<unsigned>(element[0]) |
                                       std::to_integer<unsigned>(element[1]) << 8);
  }
  static Half from_bits(std::uint16_t bits) {
    Half half(0);
    half.bits_ = bits;
    return half;
  }

  std::uint16_t bits() const { return bits_; }
  operator float() const {
    return f16_to_float(bits_);
  }  // NOLINT(google-explicit-constructor): every f16 is an f32

 private:
  std::uint16_t bits_ = 0;
};

}  // namespace kernbench::tl
