// Every delay of every value that a declared parameter accepts can be computed: no error is left
// for the run.
#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>

#include "models/base/parameter.h"
#include "models/timing/link_state.h"
#include "models/timing/service_time.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(accepted_values)

namespace {

// Up to 18 digits of which many are 9, 0 or odd, so that little cancels; 1 where they make a value
// beyond the range.
Rational any_value(const Parameter& parameter, int largest_exponent) {
  const auto digits =
      *rc::gen::container<std::string>(18, rc::gen::element('0', '1', '3', '7', '9'));
  const auto count = *rc::gen::resize(100, rc::gen::inRange<std::size_t>(1, 19));
  const auto exponent = *rc::gen::resize(100, rc::gen::inRange(-18, largest_exponent + 1));
  try {
    return std::get<Rational>(
        parameter.parse(digits.substr(0, count) + "e" + std::to_string(exponent)));
  } catch (const std::invalid_argument&) {
    return Rational(1);
  }
}

const Parameter rate = Parameter::rate_gbs("bw_gbs", "a rate", "test");
const Parameter length_mm =
    Parameter::decimal("distance_mm", "a length", "mm", "test").range("0", "1000");

}  // namespace

RC_BOOST_PROP(a_flit_of_any_size_has_a_service_time, ()) {
  const auto flit_bytes = *rc::gen::inRange<std::uint32_t>(1, 65537);
  const Rational gbs = any_value(rate, 6);
  const ServiceTime service(gbs, flit_bytes);
  RC_ASSERT(service.of(flit_bytes) == transfer_fs(flit_bytes, gbs));
  RC_ASSERT(service.of(1) == transfer_fs(1, gbs));
}

// 65536 B at 0.001 GB/s take 65536000 ns, a byte at 1000000 GB/s a femtosecond.
BOOST_AUTO_TEST_CASE(the_bounds_of_a_rate_are_accepted) {
  BOOST_TEST(ServiceTime(std::get<Rational>(rate.parse("0.001")), 65536).of(65536) ==
             65'536'000 * fs_per_ns);
  BOOST_TEST(ServiceTime(std::get<Rational>(rate.parse("1000000")), 256).of(1) == 1U);
}

RC_BOOST_PROP(a_transfer_of_a_gibibyte_can_be_computed, ()) {
  transfer_fs(std::uint64_t{1} << 30, any_value(rate, 6));
}

RC_BOOST_PROP(a_link_of_any_length_has_a_propagation_delay, ()) {
  RC_ASSERT(propagation_fs(any_value(length_mm, 3), any_value(length_mm, 3)) >=
            1U);  // ns_per_mm has the same range
}

RC_BOOST_PROP(a_duration_is_at_most_a_second, ()) {
  RC_ASSERT(ns_to_fs(any_value(Parameter::duration_ns("overhead_ns", "a duration", "test"), 9)) <=
            1'000'000'000 * fs_per_ns);
}

// A thousand million cycles: a quarter of an hour at 1 MHz.
RC_BOOST_PROP(cycles_of_any_clock_can_be_computed, ()) {
  cycles_to_fs(1'000'000'000,
               any_value(Parameter::frequency_ghz("clock_ghz", "a clock", "test"), 3));
}

BOOST_AUTO_TEST_SUITE_END()
