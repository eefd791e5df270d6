// Bits of pins of any width.
#include "models/rtl/pins.h"

#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <vector>

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(pins_test)

// Against a vector of single bits.
RC_BOOST_PROP(bits_of_any_place_and_width_are_those_that_were_set, ()) {
  std::uint32_t pin[5] = {};
  std::vector<bool> bits(160);
  for (int i = 0; i < 20; ++i) {
    const auto width = *rc::gen::inRange(1U, 65U);
    const auto first = *rc::gen::inRange(0U, 161U - width);
    const auto value = *rc::gen::arbitrary<std::uint64_t>();
    set_bits(pin, first, width, value);
    for (unsigned bit = 0; bit < width; ++bit) bits[first + bit] = (value >> bit) & 1;
  }
  const auto width = *rc::gen::inRange(1U, 65U);
  const auto first = *rc::gen::inRange(0U, 161U - width);
  std::uint64_t expected = 0;
  for (unsigned bit = 0; bit < width; ++bit)
    expected |= static_cast<std::uint64_t>(bits[first + bit]) << bit;
  RC_ASSERT(bits_of(pin, first, width) == expected);
  for (unsigned bit = 0; bit < 160; ++bit)
    RC_ASSERT(((pin[bit / 32] >> (bit % 32)) & 1) == bits[bit]);
}

BOOST_AUTO_TEST_CASE(a_difference_of_data_counts_while_they_are_valid) {
  std::uint8_t valid[2] = {0, 0}, other[2] = {1, 1};
  std::uint32_t data[2][3] = {{1, 2, 3}, {1, 2, 4}};
  const auto pins = [&](int i) {
    return Pins{{"in", "", 1, Pin::Kind::input, &other[i]},
                {"valid", "", 1, Pin::Kind::control, &valid[i]},
                {"data", "", 96, Pin::Kind::data, data[i], 0, SignalType::count, &valid[i]}};
  };
  BOOST_TEST((first_difference(pins(0), pins(1)) == nullptr));
  valid[0] = valid[1] = 1;
  const Pins a = pins(0), b = pins(1);
  const Pin* const found = first_difference(a, b);
  BOOST_REQUIRE(found != nullptr);
  BOOST_TEST(found->name == "data");
  other[0] = 0;
  copy_inputs(a, b);
  BOOST_TEST(int{other[1]} == 0);
}

BOOST_AUTO_TEST_SUITE_END()
