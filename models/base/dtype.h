// Element types and shapes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace kernbench {

enum class DType : std::uint8_t { f16, bf16, f32, i8, i32 };

std::uint64_t size_of(DType dtype);        // bytes of one element
std::string_view name_of(DType dtype);     // "f16", ...
DType parse_dtype(std::string_view name);  // throws UsageError that lists the names
inline bool is_float(DType dtype) {
  return dtype == DType::f16 || dtype == DType::bf16 || dtype == DType::f32;
}

// Extents of a dense row-major block, outermost first. Every extent is at least 1; a scalar has
// rank 0.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<std::int64_t> extents) : Shape(std::vector<std::int64_t>(extents)) {}
  explicit Shape(std::vector<std::int64_t> extents);  // throws UsageError if an extent is below 1

  std::size_t rank() const { return extents_.size(); }
  std::int64_t operator[](std::size_t axis) const { return extents_[axis]; }
  std::int64_t elements() const;
  const std::vector<std::int64_t>& extents() const { return extents_; }
  std::string str() const;  // "{32, 64}"

  friend bool operator==(const Shape& a, const Shape& b) { return a.extents_ == b.extents_; }
  friend bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }

 private:
  std::vector<std::int64_t> extents_;
};

}  // namespace kernbench
