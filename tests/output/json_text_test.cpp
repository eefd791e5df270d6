// Times in JSON are the decimals of their femtoseconds (docs/json.md).
#include "platform/output/json_text.h"

#include <fmt/format.h>
#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>
#include <limits>

using namespace kernbench;
using Json = nlohmann::ordered_json;

BOOST_AUTO_TEST_SUITE(json_text_of_times)

namespace {

// The femtoseconds of a number of nanoseconds, from its digits alone.
unsigned __int128 fs_of(const std::string& text) {
  const std::size_t exponent_at = text.find('e');
  const int exponent =
      exponent_at == std::string::npos ? 0 : std::stoi(text.substr(exponent_at + 1));
  const std::string digits = text.substr(0, exponent_at);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  unsigned __int128 value = 0;
  int places = 6 + exponent;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i == point) continue;
    value = value * 10 + static_cast<unsigned>(digits[i] - '0');
    if (i > point) --places;
  }
  for (; places > 0; --places) value *= 10;
  for (; places < 0; ++places) {
    RC_ASSERT(value % 10 == 0);
    value /= 10;
  }
  return value;
}

void check_exact(Fs t) {
  RC_ASSERT(fs_of(json_text(ns_json(t))) == t);
  RC_ASSERT(to_double(ns_json(t)) == to_ns(t));
  if (t > static_cast<Fs>(std::numeric_limits<std::int64_t>::max())) return;
  const std::string negative = json_text(signed_ns_json(-static_cast<std::int64_t>(t)));
  RC_ASSERT(t == 0 || negative == "-" + json_text(ns_json(t)));
}

}  // namespace

BOOST_AUTO_TEST_CASE(nanoseconds_print_to_the_femtosecond) {
  BOOST_TEST(json_text(ns_json(15'000'004)) == "15.000004");
  BOOST_TEST(json_text(ns_json(15'000'000)) == "15.0");
  BOOST_TEST(json_text(ns_json(0)) == "0.0");
  BOOST_TEST(json_text(ns_json(1)) == "1e-06");
  BOOST_TEST(json_text(ns_json(123'456'789'012'345)) == "123456789.012345");
  BOOST_TEST(json_text(ns_json((Fs{1} << 53) + 1)) == "9007199254.740993");
  BOOST_TEST(json_text(ns_json(never_fs)) == "18446744073709.551615");
  BOOST_TEST(json_text(signed_ns_json(std::numeric_limits<std::int64_t>::min())) ==
             "-9223372036854.775808");
}

RC_BOOST_PROP(every_count_of_femtoseconds_is_its_own_decimal, ()) {
  const auto bits = *rc::gen::inRange(0, 64);
  const auto value = *rc::gen::arbitrary<std::uint64_t>();
  check_exact(value >> bits);
  check_exact(value % 1'000'000'000);
  check_exact(value % (Fs{1} << 53));
}

BOOST_AUTO_TEST_CASE(everything_else_is_as_nlohmann_has_it) {
  const Json json = Json::parse(
      R"({"a": [1, -2, 0.1, 1e-7, 1e300, null, true], "empty": {}, "none": [], "text \"quoted\"": "\u00e9\n", "nested": [{"k": []}, [[3]]]})");
  for (const int indent : {-1, 0, 1, 2, 4})
    BOOST_TEST(json_text(json, indent) == json.dump(indent));
}

BOOST_AUTO_TEST_SUITE_END()
