#include "sw/runtime/partial_sum.h"

#include <cstdint>

#include "models/data/elements.h"

namespace kernbench {
namespace {

double in_f32(double a, double b) { return static_cast<float>(a) + static_cast<float>(b); }

double modulo_range(DType dtype, double a, double b) {
  const auto sum =
      static_cast<std::uint32_t>(static_cast<std::int64_t>(a) + static_cast<std::int64_t>(b));
  return dtype == DType::i8 ? static_cast<std::int8_t>(sum) : static_cast<std::int32_t>(sum);
}

}  // namespace

std::vector<std::byte> sum_of(DType dtype, const std::vector<std::vector<std::byte>>& summands) {
  std::vector<std::byte> result = summands.front();
  for (std::size_t at = 0; at < result.size(); at += size_of(dtype)) {
    double sum = read_element(&result[at], dtype);
    for (std::size_t i = 1; i < summands.size(); ++i) {
      const double next = read_element(&summands[i][at], dtype);
      sum = is_float(dtype) ? in_f32(sum, next) : modulo_range(dtype, sum, next);
    }
    write_element(&result[at], dtype, sum);
  }
  return result;
}

}  // namespace kernbench
