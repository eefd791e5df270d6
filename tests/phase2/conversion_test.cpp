// Conversions between all dtypes, ordinary numbers, ties and those at the ends of each format: to
// the nearest, ties to even (spec 6, 9).
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "platform/phase2/reference_functions.h"
#include "tests/phase2/special_numbers.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(conversion_test)

BOOST_AUTO_TEST_CASE(conversions_between_all_dtypes_round_to_nearest_even) {
  for (const DType from : dtypes) {
    std::vector<double> numbers = numbers_of(from, 2000);
    for (const double tie : {0.5, 1.5, 2.5, 126.5, 127.5, -128.5, 257.0, 2049.0, 2051.0, 65519.0,
                             65520.0, 16777219.0, 2147483584.0}) {
      if (is_float(from) || std::nearbyint(tie) == tie) numbers.insert(numbers.end(), {tie, -tie});
    }
    const TensorValue input = column(numbers, from);
    const std::vector<double> x = doubles(input);
    for (const DType to : dtypes) {
      FunctionalModel functional_model;
      const std::vector<double> got =
          result_of(functional_model, functional_model.converted(input, to));
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double expected = reference_rounding(to, x[i]);
        BOOST_CHECK_MESSAGE(identical(got[i], expected),
                            name_of(from) << " to " << name_of(to) << " of " << x[i] << ": "
                                          << got[i] << ", expected " << expected);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(every_f16_and_bf16_converts_to_every_dtype) {
  for (const DType from : {DType::f16, DType::bf16}) {
    std::vector<std::uint16_t> patterns(0x10000);
    for (std::size_t i = 0; i < patterns.size(); ++i) patterns[i] = static_cast<std::uint16_t>(i);
    const TensorValue input = FunctionalModel::constant(patterns.data(), {0x10000}, from);
    const std::vector<double> x = doubles(input);
    for (const DType to : dtypes) {
      FunctionalModel functional_model;
      const std::vector<double> got =
          result_of(functional_model, functional_model.converted(input, to));
      for (std::size_t i = 0; i < x.size(); ++i)
        BOOST_REQUIRE(identical(got[i], reference_rounding(to, x[i])));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
