// Declared parameters: what they accept, and what they say about the rest.
#include "models/base/parameter.h"

#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <string>

#include "models/base/errors.h"
#include "models/base/parameter_set.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(parameter_test)

namespace {

// The message of the refusal; "accepted" if the text was taken.
std::string refusal(const Parameter& parameter, const std::string& text) {
  try {
    parameter.parse(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

Parameter overhead() {
  return Parameter::decimal("overhead_ns", "time added to each flit", "ns", "spec 1.2")
      .range("0", "");
}
Parameter burst() {
  return Parameter::integer("burst_bytes", "bytes of a burst", "B", "spec 1.2")
      .power_of_two()
      .range("1", "4096");
}
Parameter mode() {
  return Parameter::choice("mapping", "channels of a PE", {"n_to_one", "one_to_one"}, "spec 1.2");
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_decimal_keeps_its_value_exactly) {
  BOOST_TEST((std::get<Rational>(overhead().parse("0.1")) == Rational::fraction(1, 10)));
}

BOOST_AUTO_TEST_CASE(a_value_beyond_the_range_is_refused_and_the_bounds_belong_to_it) {
  const Parameter p =
      Parameter::decimal("efficiency", "share of the peak", "", "assumption").range("0", "1");
  BOOST_TEST(refusal(p, "0") == "accepted");
  BOOST_TEST(refusal(p, "1.0") == "accepted");
  BOOST_TEST(refusal(p, "1.01") == "found 1.01, allowed is a number, 0 to 1");
  BOOST_TEST(refusal(overhead(), "-0.5") == "found -0.5, allowed is a number, at least 0");
}

BOOST_AUTO_TEST_CASE(positive_excludes_zero) {
  const Parameter p = Parameter::decimal("clock_ghz", "clock", "GHz", "spec 1.2").positive();
  BOOST_TEST(refusal(p, "0.001") == "accepted");
  BOOST_TEST(refusal(p, "0") == "found 0, allowed is a number, above 0");
}

BOOST_AUTO_TEST_CASE(an_integer_may_be_written_as_a_decimal_but_has_no_fraction) {
  const Parameter p =
      Parameter::integer("num_pcs", "pseudo-channels", "", "spec 1.2").range("1", "");
  BOOST_TEST(refusal(p, "8") == "accepted");
  BOOST_TEST(refusal(p, "8.0") == "accepted");
  BOOST_TEST(refusal(p, "8.5") == "found 8.5, allowed is an integer, at least 1");
}

BOOST_AUTO_TEST_CASE(a_power_of_two_is_checked) {
  BOOST_TEST(refusal(burst(), "256") == "accepted");
  BOOST_TEST(refusal(burst(), "1") == "accepted");
  BOOST_TEST(refusal(burst(), "255") ==
             "found 255, allowed is an integer, a power of two, 1 to 4096");
  BOOST_TEST(refusal(burst(), "8192") ==
             "found 8192, allowed is an integer, a power of two, 1 to 4096");
  BOOST_TEST(refusal(burst(), "0") != "accepted");
  BOOST_TEST(refusal(burst(), "-256") != "accepted");
}

BOOST_AUTO_TEST_CASE(an_integer_without_a_range_fits_64_bits) {
  const Parameter p = Parameter::integer("count", "a count", "", "test");
  BOOST_TEST(refusal(p, "9e18") == "accepted");
  BOOST_TEST(refusal(p, "99e17") == "found 99e17, allowed is an integer");
  BOOST_TEST(refusal(p, "-99e17") == "found -99e17, allowed is an integer");
}

BOOST_AUTO_TEST_CASE(durations_rates_and_frequencies_have_a_unit_and_bounds) {
  const Parameter duration = Parameter::duration_ns("overhead_ns", "a duration", "test");
  BOOST_TEST(duration.unit() == "ns");
  BOOST_TEST(refusal(duration, "1e9") == "accepted");
  BOOST_TEST(refusal(duration, "1e10") == "found 1e10, allowed is a number, 0 to 1000000000");
  const Parameter rate = Parameter::rate_gbs("bw_gbs", "a rate", "test");
  BOOST_TEST(rate.unit() == "GB/s");
  BOOST_TEST(refusal(rate, "0") == "found 0, allowed is a number, 0.001 to 1000000");
  const Parameter frequency = Parameter::frequency_ghz("clock_ghz", "a clock", "test");
  BOOST_TEST(frequency.unit() == "GHz");
  BOOST_TEST(refusal(frequency, "0") == "found 0, allowed is a number, 0.001 to 1000");
}

BOOST_AUTO_TEST_CASE(unlimited_is_zero_in_addition_to_the_range) {
  const Parameter p = Parameter::rate_gbs("bw_gbs", "a rate", "test").or_unlimited();
  BOOST_TEST(refusal(p, "0") == "accepted");
  BOOST_TEST(refusal(p, "0.0005") ==
             "found 0.0005, allowed is 0 (unlimited) or a number, 0.001 to 1000000");
}

BOOST_AUTO_TEST_CASE(a_number_has_at_most_18_digits_and_decimals) {
  BOOST_TEST(refusal(overhead(), "0.123456789012345678") == "accepted");
  for (const char* text : {"0.1234567890123456789", "1e-19", "1234567890123456789"})
    BOOST_TEST(refusal(overhead(), text) ==
               std::string("found ") + text +
                   ", which has more than 18 digits or decimals; allowed is a number, at least 0");
}

BOOST_AUTO_TEST_CASE(text_where_a_number_belongs_is_refused_with_what_is_allowed) {
  BOOST_TEST(refusal(overhead(), "fast") == "found 'fast', allowed is a number, at least 0");
  BOOST_TEST(refusal(overhead(), "") == "found '', allowed is a number, at least 0");
}

BOOST_AUTO_TEST_CASE(a_choice_is_one_of_its_words) {
  BOOST_TEST(std::get<std::string>(mode().parse("n_to_one")) == "n_to_one");
  BOOST_TEST(refusal(mode(), "n-to-one") ==
             "found 'n-to-one', allowed is one of n_to_one, one_to_one");
}

BOOST_AUTO_TEST_CASE(a_boolean_is_true_or_false_only) {
  const Parameter p = Parameter::boolean("enabled", "whether it runs", "assumption");
  BOOST_TEST(std::get<bool>(p.parse("true")));
  BOOST_TEST(!std::get<bool>(p.parse("false")));
  BOOST_TEST(refusal(p, "yes") == "found 'yes', allowed is true or false");
}

BOOST_AUTO_TEST_CASE(defaults_keep_their_type) {
  const ParameterSchema schema{
      overhead().default_val("2.5"), burst().default_val(256), mode().default_val("n_to_one"),
      Parameter::boolean("enabled", "whether it runs", "assumption").default_val(true),
      Parameter::integer("required", "no default", "", "assumption")};
  const Attributes attributes = defaults_of(schema);
  BOOST_TEST((attributes.decimal("overhead_ns") == Rational::parse("2.5")));
  BOOST_TEST(attributes.integer("burst_bytes") == 256);
  BOOST_TEST(attributes.text("mapping") == "n_to_one");
  BOOST_TEST(attributes.flag("enabled"));
  BOOST_TEST(!attributes.has("required"));
}

BOOST_AUTO_TEST_CASE(a_default_outside_the_choices_is_refused) {
  BOOST_CHECK_THROW(mode().default_val("two_to_one"), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(asking_for_an_undeclared_parameter_is_a_model_error) {
  BOOST_CHECK_THROW(Attributes().decimal("overhead_ns"), ModelError);
}

BOOST_AUTO_TEST_CASE(values_print_as_they_are_written) {
  BOOST_TEST(format_value(overhead().parse("2.50")) == "2.5");
  BOOST_TEST(format_value(ParameterValue(true)) == "true");
  BOOST_TEST(format_value(mode().parse("one_to_one")) == "one_to_one");
}

BOOST_AUTO_TEST_CASE(typed_parameters_are_read_once_for_all_who_share_the_values) {
  struct Typed : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<std::uint32_t> burst_bytes{*this, burst().default_val(256)};
  };
  Attributes attributes = defaults_of(schema_of<Typed>());
  const Typed& first = attributes.as<Typed>();
  BOOST_TEST(*first.burst_bytes == 256U);
  BOOST_TEST(&attributes.as<Typed>() == &first);
  const Attributes copy = attributes;
  BOOST_TEST(&copy.as<Typed>() == &first);
  attributes.set("burst_bytes", Rational(64));
  BOOST_TEST(*attributes.as<Typed>().burst_bytes == 64U);
  BOOST_TEST(*copy.as<Typed>().burst_bytes == 256U);
}

BOOST_AUTO_TEST_CASE(values_read_as_another_type_are_read_again) {
  struct Bytes : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<std::uint32_t> burst_bytes{*this, burst().default_val(256)};
  };
  struct Exact : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<Rational> burst_bytes{*this, burst().default_val(256)};
  };
  const Attributes attributes = defaults_of(schema_of<Bytes>());
  BOOST_TEST(*attributes.as<Bytes>().burst_bytes == 256U);
  BOOST_TEST((*attributes.as<Exact>().burst_bytes == Rational(256)));
  BOOST_TEST(*attributes.as<Bytes>().burst_bytes == 256U);
}

BOOST_AUTO_TEST_SUITE_END()
