// Expressions of plans: SQL over named values, which reaches nothing else.
#include "platform/sweep/expression.h"

#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "tests/support/error_text.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(expression)

BOOST_AUTO_TEST_CASE(values_are_numbers_or_texts_of_a_sql_expression) {
  const Expression expression("M / 2 > 1 AND dtype IN ('f16', 'bf16') OR log2(M) = 0",
                              {"M", "dtype"});
  BOOST_TEST(expression.holds({"3", "f16"}));
  BOOST_TEST(!expression.holds({"2", "f16"}));
  BOOST_TEST(!expression.holds({"3", "f32"}));
  BOOST_TEST(expression.holds({"1", "f32"}));
}

BOOST_AUTO_TEST_CASE(an_unknown_name_differs_from_other_faults) {
  BOOST_TEST(Expression::unknown_name("a + b", {"a"}).value_or("") == "b");
  BOOST_TEST(!Expression::unknown_name("a + 1", {"a"}).has_value());
  BOOST_CHECK_EXCEPTION(Expression::unknown_name("a +", {"a"}), UsageError,
                        with_text<UsageError>("syntax error"));
  BOOST_CHECK_EXCEPTION(Expression::unknown_name("nolog(a)", {"a"}), UsageError,
                        with_text<UsageError>("no such function: nolog"));
}

BOOST_AUTO_TEST_SUITE_END()
