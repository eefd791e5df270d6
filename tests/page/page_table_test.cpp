// Tables of pages: numbers, units, rows without a script.
#include "platform/page/page_table.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/support/error_text.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(page_table)

BOOST_AUTO_TEST_CASE(numbers_of_a_column_have_equally_many_decimals) {
  struct Case {
    std::vector<double> numbers;
    std::vector<std::string> texts;
  };
  const std::vector<Case> cases{
      {{1, 20, NAN, 300}, {"1", "20", "", "300"}},
      // 4 digits before the point: 6 - 4 decimals, of which the last is 0 throughout.
      {{1000.5, 2.25, 3}, {"1000.50", "2.25", "3.00"}},
      {{1000.5, 2, 3}, {"1000.5", "2.0", "3.0"}},
      // The smallest has three significant digits.
      {{0.00123456, 5}, {"0.00123", "5.00000"}},
      {{0.307692284, 0.25}, {"0.307692", "0.250000"}},
      {{-1.5, 0}, {"-1.5", "0.0"}},
      // Nine decimals are the most: exponents.
      {{1e-12, 1.5}, {"1e-12", "1.5"}},
      {{1e18, 2.5}, {"1e+18", "2.5"}},
      {{INFINITY, 1}, {"inf", "1"}},
      {{}, {}}};
  for (const Case& each : cases)
    BOOST_TEST(column_texts(each.numbers) == each.texts, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(units_are_those_that_names_end_in) {
  BOOST_TEST(unit_of_column("simulated_ns") == "ns");
  BOOST_TEST(unit_of_column("links.pcie.bytes") == "B");
  BOOST_TEST(unit_of_column("memories.hbm_ctrl.bytes_read") == "B");
  BOOST_TEST(unit_of_column("cube.links.hbm_to_router_bw_gbs") == "GB/s");
  BOOST_TEST(unit_of_column("energy.total_pj") == "pJ");
  BOOST_TEST(unit_of_column("s") == "");  // a parameter
  BOOST_TEST(unit_of_column("macs_per_cycle") == "");
}

BOOST_AUTO_TEST_CASE(rows_beyond_the_first_part_are_left_to_the_script) {
  PageTable table;
  table.id = "t";
  table.row_noun = "point";
  table.full_file = "all.csv";
  table.rows = rows_of_part + 1;
  PageColumn column{"n", "", CellKind::number, false, {}};
  for (std::size_t i = 0; i < table.rows; ++i) column.cells.push_back(std::to_string(i));
  table.columns.push_back(column);
  const std::string html = html_table(table);
  check_contains(html, {"<td class=\"number\">499</td>", "500 of 501 points; all.csv has all"});
  BOOST_TEST(html.find("<td class=\"number\">500</td>") == std::string::npos);
  check_contains(html, {"\"499\",\"500\"]"});  // for the script
}

BOOST_AUTO_TEST_SUITE_END()
