// Values of users in messages: cut and without control characters.
#include "models/base/quote.h"

#include <rapidcheck.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(quote_test)

BOOST_AUTO_TEST_CASE(what_prints_stays_as_it_is) {
  BOOST_TEST(quote("sip0.cube0") == "'sip0.cube0'");
  BOOST_TEST(quote("") == "''");
  BOOST_TEST(quote("Größe µs 値 \xf0\x9f\x98\x80") == "'Größe µs 値 \xf0\x9f\x98\x80'");
  BOOST_TEST(printable(std::string(200, 'a')) == std::string(200, 'a'));
}

BOOST_AUTO_TEST_CASE(control_characters_and_what_is_no_utf8_are_escaped) {
  BOOST_TEST(quote("a\nb\tc\rd") == "'a\\nb\\tc\\rd'");
  BOOST_TEST(printable("\x1b[31m\x7f") == "\\x1b[31m\\x7f");
  BOOST_TEST(printable(std::string_view("\0", 1)) == "\\x00");
  BOOST_TEST(printable("\xc2\x85") == "\\xc2\\x85");           // a control character of Unicode
  BOOST_TEST(printable("\xc3") == "\\xc3");                    // ends too early
  BOOST_TEST(printable("\xc0\xaf") == "\\xc0\\xaf");           // too long
  BOOST_TEST(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // a surrogate
  BOOST_TEST(printable("\xf5\x80\x80\x80") == "\\xf5\\x80\\x80\\x80");  // beyond Unicode
}

BOOST_AUTO_TEST_CASE(long_values_show_head_tail_and_size) {
  const std::string text = quote(std::string(50'000, 'a') + std::string(50'000, 'b'));
  BOOST_TEST(text ==
             "'" + std::string(120, 'a') + "..." + std::string(40, 'b') + "' (of 100000 bytes)");
  std::string wide;
  for (int i = 0; i < 200; ++i) wide += "値";  // is not cut within a character
  BOOST_TEST(printable(wide).find("\\x") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(no_value_brings_a_control_character_or_a_long_line) {
  BOOST_TEST(rc::check("of any bytes", [](const std::string& value) {
    const std::string text = quote(value + value + value);
    RC_ASSERT(text.size() <= 4 * 200 + 64);
    RC_ASSERT(std::none_of(text.begin(), text.end(),
                           [](unsigned char c) { return c < 0x20 || c == 0x7f; }));
  }));
}

BOOST_AUTO_TEST_SUITE_END()
