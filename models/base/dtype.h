// Element types and shapes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/small_vector.h"

namespace kernbench {

enum class DType : std::uint8_t { f16, bf16, f32, i8, i32 };

std::uint64_t size_of(DType dtype);        // bytes of one element
std::string_view name_of(DType dtype);     // "f16", ...
DType parse_dtype(std::string_view name);  // throws UsageError that lists the names
inline bool is_float(DType dtype) {
  return dtype == DType::f16 || dtype == DType::bf16 || dtype == DType::f32;
}

// Extents of a dense row-major block, outermost first; a scalar has rank 0. With an extent of 0 it
// has no elements, which is allowed for a tensor but not for a block of a kernel.
class Shape {
 public:
  Shape() = default;
  // Throw UsageError for a negative extent.
  Shape(std::initializer_list<std::int64_t> extents) : extents_(extents) { check(); }
  explicit Shape(const std::vector<std::int64_t>& extents)
      : extents_(extents.begin(), extents.end()) {
    check();
  }

  std::size_t rank() const { return extents_.size(); }
  std::int64_t operator[](std::size_t axis) const { return extents_[axis]; }
  std::int64_t elements() const;
  std::vector<std::int64_t> extents() const { return {extents_.begin(), extents_.end()}; }
  std::string str() const;  // "{32, 64}"

  friend bool operator==(const Shape& a, const Shape& b) { return a.extents_ == b.extents_; }
  friend bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }

 private:
  void check() const;

  SmallVector<std::int64_t, 4> extents_;
};

}  // namespace kernbench
