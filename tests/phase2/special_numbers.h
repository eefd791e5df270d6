// Numbers of each dtype where functions and conversions go wrong, and ordinary ones.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "tests/phase2/phase2_fixture.h"

namespace kernbench {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline const std::vector<DType> dtypes{DType::f16, DType::bf16, DType::f32, DType::i8, DType::i32};

struct Format {
  double smallest, smallest_normal, largest;
};

inline Format format_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return {0x1p-24, 0x1p-14, 65504};
    case DType::bf16:
      return {0x1p-133, 0x1p-126, 0x1.fep127};
    default:
      return {0x1p-149, 0x1p-126, 0x1.fffffep127};
  }
}

// The ends of the format, what functions turn at, and numbers between them.
inline std::vector<double> numbers_of(DType dtype, std::int64_t ordinary) {
  std::vector<double> list;
  if (is_float(dtype)) {
    const Format format = format_of(dtype);
    list = {std::nan(""), 0.0};
    for (const double x :
         {format.smallest, format.smallest_normal - format.smallest, format.smallest_normal,
          format.largest, infinity, 0.5, 1.0, 1.5, 2.0, 3.0, 7.0, 11.0, 90.0, 104.0, 300.0}) {
      list.insert(list.end(), {x, -x});
    }
    list.push_back(-0.0);
  } else if (dtype == DType::i8) {
    list = {-128, -127, -100, -2, -1, 0, 1, 2, 3, 7, 100, 126, 127};
  } else {
    list = {-0x1p31, 1 - 0x1p31, -16777217, -46341, -2,    -1,       0,         1,
            2,       3,          7,         46341,  65537, 16777217, 0x1p31 - 1};
  }
  Numbers numbers(static_cast<std::uint64_t>(dtype) + 17);
  const std::vector<double> more =
      is_float(dtype) ? numbers.uniform(ordinary, -12, 12) : numbers.integers(ordinary, -128, 127);
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

inline TensorValue column(const std::vector<double>& x, DType dtype) {
  return tensor(x, {static_cast<std::int64_t>(x.size()), 1}, dtype);
}
inline TensorValue row(const std::vector<double>& x, DType dtype) {
  return tensor(x, {1, static_cast<std::int64_t>(x.size())}, dtype);
}

}  // namespace kernbench
