// Energy in windows of time: every part of it is in one window, also after the windows have become
// longer.
#include <boost/test/unit_test.hpp>

#include "platform/energy/energy_account.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(power_windows_test)

namespace {

std::vector<double> channel(const PowerWindows& windows, std::size_t of) {
  std::vector<double> values;
  for (std::size_t i = 0; i < windows.size(); ++i) values.push_back(windows[i][of]);
  return values;
}

}  // namespace

// 12 pJ over [5, 35) of windows of 10: 5, 10, 10 and 5 of 30.
BOOST_AUTO_TEST_CASE(energy_of_an_interval_is_spread_over_its_windows) {
  PowerWindows windows(2, 8, 10);
  for (int i = 0; i < 3; ++i) windows.take();
  windows.spread(1, 12, 5, 35);
  windows.add(1, 1);
  BOOST_TEST(channel(windows, 0) == (std::vector<double>{0, 0, 0, 0}),
             boost::test_tools::per_element());
  BOOST_TEST(channel(windows, 1) == (std::vector<double>{2, 4, 4, 3}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(windows_double_in_length_and_keep_their_sums) {
  PowerWindows windows(1, 4, 10);
  for (int i = 1; i <= 4; ++i) {
    BOOST_TEST(windows.next() == 10U * static_cast<unsigned>(i));
    windows.add(0, i);
    windows.take();
  }
  BOOST_TEST(windows.width() == 20U);
  BOOST_TEST(windows.next() == 60U);
  windows.add(0, 5);
  BOOST_TEST(channel(windows, 0) == (std::vector<double>{1 + 2, 3 + 4, 5}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
