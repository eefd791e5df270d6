// Axes of figures: ranges and marks (spec 10.7).
#include "platform/figure/axis_script.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/error_text.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(axis_script_test)

namespace {

std::string script_of(const std::vector<double>& values, bool logarithmic) {
  const FigureAxis axis{"x", logarithmic, {}, {}, {}};
  return axis_script("x", axis_range(axis, values, true), values);
}

}  // namespace

BOOST_AUTO_TEST_CASE(large_numbers_have_prefixes) {
  BOOST_TEST(tick_text(0) == "0");
  BOOST_TEST(tick_text(5000) == "5000");
  BOOST_TEST(tick_text(20000) == "20k");
  BOOST_TEST(tick_text(1.5e6) == "1.5M");
  BOOST_TEST(tick_text(-2e9) == "-2G");
  BOOST_TEST(tick_text(0.000125) == "0.000125");
  BOOST_TEST(tick_text(512, true) == "512");
  BOOST_TEST(tick_text(65536, true) == "64Ki");
}

BOOST_AUTO_TEST_CASE(a_linear_axis_of_large_values_has_even_steps_from_zero) {
  // 0 to 2.1e6 in steps of 5e5: a fifth of it is 4.2e5.
  const std::string script = script_of({0, 2e6}, false);
  for (const char* mark : {"'0' 0", "'500k' 500000", "'1.5M' 1500000", "'2M' 2000000"})
    BOOST_TEST(contains(script, mark), script);
  BOOST_TEST(!contains(script, "logscale"));
}

BOOST_AUTO_TEST_CASE(powers_of_two_have_marks_at_powers_of_two) {
  const std::string script = script_of({64, 1024, 65536}, true);
  for (const char* mark : {"'64' 64", "'128' 128", "'1Ki' 1024", "'64Ki' 65536"})
    BOOST_TEST(contains(script, mark), script);
  check_contains(script_of({32, 64}, true), {"'32' 32", "'64' 64"});
  // More than twelve: every other one, or fewer.
  BOOST_TEST(!contains(script_of({1, 1 << 20}, true), "'2' 2,"));
}

BOOST_AUTO_TEST_CASE(other_logarithmic_axes_have_marks_in_decades) {
  const std::string script = script_of({3, 700}, true);
  for (const char* mark : {"'5' 5", "'10' 10", "'200' 200", "'' 30 1"})
    BOOST_TEST(contains(script, mark), script);
  // Less than half a decade: even steps.
  BOOST_TEST(contains(script_of({850, 990}, true), "'900' 900"));
}

// A single value is in the middle of a range that has marks.
BOOST_AUTO_TEST_CASE(one_value_has_a_range) {
  for (const double value : {0.0, 5.0, -3.0}) {
    const AxisRange range = axis_range({}, {value}, true);
    BOOST_TEST(range.low < range.high);
    BOOST_TEST(range.share(value) >= 0);
    BOOST_TEST(range.share(value) <= 1);
  }
  const AxisRange range = axis_range({"", true, {}, {}, {}}, {256}, true);
  BOOST_TEST(range.share(256) == 0.5);
  BOOST_TEST(contains(script_of({256}, true), "'256' 256"));
}

BOOST_AUTO_TEST_CASE(an_axis_may_set_its_ends) {
  const AxisRange range = axis_range({"", false, -1, 20, {}}, {2, 3}, true);
  BOOST_TEST(range.low == -1);
  BOOST_TEST(range.high == 20);
}

BOOST_AUTO_TEST_SUITE_END()
