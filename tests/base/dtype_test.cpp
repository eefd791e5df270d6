// Element types, shapes, and the list of math operations.
#include "models/base/dtype.h"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>

#include "models/base/errors.h"
#include "models/base/math_op.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(dtype_test)

BOOST_AUTO_TEST_CASE(every_dtype_reads_back_as_it_prints) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::i8, DType::i32}) {
    BOOST_TEST((parse_dtype(name_of(dtype)) == dtype));
  }
}

BOOST_AUTO_TEST_CASE(dtypes_have_the_size_of_their_name) {
  BOOST_TEST(size_of(DType::f16) == 2u);
  BOOST_TEST(size_of(DType::bf16) == 2u);
  BOOST_TEST(size_of(DType::f32) == 4u);
  BOOST_TEST(size_of(DType::i8) == 1u);
  BOOST_TEST(size_of(DType::i32) == 4u);
}

BOOST_AUTO_TEST_CASE(an_unknown_dtype_is_an_error_that_lists_the_names) {
  BOOST_CHECK_EXCEPTION(parse_dtype("fp8"), UsageError, [](const UsageError& error) {
    return error.what() == std::string("unknown dtype 'fp8' (known: f16, bf16, f32, i8, i32)");
  });
}

BOOST_AUTO_TEST_CASE(a_shape_multiplies_its_extents) {
  BOOST_TEST(Shape({32, 64}).elements() == 2048);
  BOOST_TEST(Shape().elements() == 1);  // a scalar
  BOOST_TEST(Shape({32, 64}).rank() == 2u);
  BOOST_TEST(Shape({32, 64}).str() == "{32, 64}");
  BOOST_TEST((Shape({2, 3}) != Shape({3, 2})));
  BOOST_CHECK_THROW(Shape({std::int64_t{1} << 40, std::int64_t{1} << 40}).elements(), UsageError);
  BOOST_CHECK_THROW(Shape({std::int64_t{1} << 62}).elements(),
                    UsageError);  // whose bytes nothing could count
}

BOOST_AUTO_TEST_CASE(extents_are_not_negative) {
  BOOST_TEST(Shape({4, 0}).elements() == 0);
  BOOST_CHECK_THROW(Shape({-1}), UsageError);
}

BOOST_AUTO_TEST_CASE(a_shape_with_too_many_elements_is_an_error) {
  BOOST_CHECK_THROW(static_cast<void>(Shape({INT64_MAX, 2}).elements()), UsageError);
}

BOOST_AUTO_TEST_CASE(every_math_op_reads_back_as_it_prints) {
  for (int i = 0; i < math_op_count; ++i) {
    const auto op = static_cast<MathOp>(i);
    BOOST_TEST((parse_math_op(name_of(op)) == op), name_of(op));
  }
  BOOST_TEST(!parse_math_op("sinh").has_value());
}

BOOST_AUTO_TEST_CASE(operands_are_counted_by_the_operation) {
  BOOST_TEST(operand_count(MathOp::silu) == 1);
  BOOST_TEST(operand_count(MathOp::minimum) == 2);
  BOOST_TEST(operand_count(MathOp::fma) == 3);
  BOOST_TEST(operand_count(MathOp::where) == 3);
  BOOST_TEST(operand_count(MathOp::softmax) == 1);
  BOOST_TEST(is_reduction(MathOp::sum));
  BOOST_TEST(!is_reduction(MathOp::where));
}

BOOST_AUTO_TEST_SUITE_END()
