// HostArray: dense row-major array in host memory.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "models/base/dtype.h"

namespace kernbench {

class HostArray {
 public:
  // Each value is rounded to the dtype once.
  HostArray(const Shape& shape, DType dtype, const std::vector<double>& values);
  HostArray(const Shape& shape, DType dtype, std::vector<std::uint8_t> bytes);
  static HostArray full(const Shape& shape, DType dtype, double value);
  // Multiples of 1/16 in [-1, 1] (floats) or integers in [-8, 8]: exact in every dtype, and sums of
  // fewer than 2^15 products of two of them are exact in f32. The values are equal in every build:
  // the draw uses only the generator's bits.
  static HostArray random(const Shape& shape, DType dtype, std::mt19937_64& generator);

  const Shape& shape() const { return shape_; }
  DType dtype() const { return dtype_; }
  std::uint64_t nbytes() const { return bytes_->size(); }
  const std::vector<std::uint8_t>& bytes() const { return *bytes_; }
  std::vector<double> values() const;
  double at(const std::vector<std::int64_t>& index) const;  // UsageError outside the shape
  std::string str() const;  // "f16{2, 2} [[1, 2], [3, 4]]", long axes abbreviated

 private:
  Shape shape_;
  DType dtype_;
  std::shared_ptr<const std::vector<std::uint8_t>> bytes_;
};

}  // namespace kernbench
