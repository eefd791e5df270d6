// Tables as text, CSV and JSON.
#include "platform/output/table.h"

#include <boost/test/unit_test.hpp>
#include <sstream>

#include "platform/output/json_text.h"
#include "platform/output/text_layout.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(table_test)

BOOST_AUTO_TEST_CASE(cells_are_readable_in_text_and_exact_elsewhere) {
  Table table("rows", {{"name", "name"},
                       {"time_ns", "time"},
                       {"exact_ns", "exact"},
                       {"difference_ns", "change"},
                       {"share", "share"},
                       {"gbs", "GB/s"},
                       {"count", "count"}});
  table.add({std::string("a,\"b\""),
             TimeCell{1'234'567'891},
             ExactTimeCell{1'234'567'891},
             TimeDifferenceCell{3'500'000, 1'000'000},
             ShareCell{0.5},
             RateCell{1.25},
             {}});
  BOOST_TEST(table.text() ==
             "name       time        exact     change   share  GB/s  count\n"
             "a,\"b\"  1.235 us  1234.567891  -2.500 ns  50.0 %   1.2\n");
  BOOST_TEST(table.csv() ==
             "name,time_ns,exact_ns,difference_ns,share,gbs,count\n"
             "\"a,\"\"b\"\"\",1234.567891,1234.567891,-2.5,0.500000,1.250000,\n");
  BOOST_TEST(json_text(table.json()) ==
             R"([{"name":"a,\"b\"","time_ns":1234.567891,"exact_ns":1234.567891,)"
             R"("difference_ns":-2.5,"share":0.5,"gbs":1.25,"count":null}])");
}

BOOST_AUTO_TEST_CASE(columns_are_as_wide_as_their_widest_cell) {
  Table table({{"engine"}, {"busy", Table::Align::right}, {"note"}});
  table.add({"pe_dma", "1.5", ""});
  table.add({"pe_fetch_store", "1024.0", "x"});
  BOOST_TEST(table.text(" ") ==
             " engine            busy  note\n"
             " pe_dma             1.5\n"
             " pe_fetch_store  1024.0  x\n");
}

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string times(int count, const std::string& word) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i == 0 ? "" : " ") + word;
  return text;
}

}  // namespace

// Columns of 4 and 6 characters and two gaps of 2 leave 106 to the widest one.
BOOST_AUTO_TEST_CASE(a_table_wider_than_the_line_is_narrowed_where_it_is_widest) {
  const std::string most = times(25, "abc") + " abcdef";  // 25 * 4 - 1 + 7 = 106
  Table table({{"name"}, {"number", Table::Align::right}, {"meaning"}});
  table.add({"a", "1", most});
  table.add({"b", "2", most + "g"});
  BOOST_TEST(table.text() ==
             "name  number  meaning\n"
             "a          1  " +
                 most +
                 "\n"
                 "b          2  " +
                 times(25, "abc") +
                 "\n"
                 "              abcdefg\n");
}

// A path of 70 characters, more than half a line, in a column that is narrowed to 24: the cells
// after it begin a line below.
BOOST_AUTO_TEST_CASE(a_word_longer_than_its_column_has_a_line_of_its_own) {
  const std::string path(70, 'p'), glob(60, 'g');
  Table table({{"key"}, {"value"}, {"meaning"}});
  table.add({path, glob, times(20, "abc")});
  const std::vector<std::string> lines = lines_of(table.text());
  BOOST_TEST_REQUIRE(lines.size() >= 3U);
  BOOST_TEST(lines[1] == path);
  for (const std::string& line : lines) BOOST_TEST(line.size() <= 120U, line);
  BOOST_TEST(table.text().find(glob) != std::string::npos);
}

// 12 columns of 12 digits: 12 * 12 + 11 * 2 = 166. Nine of them have 9 * 12 + 8 * 2 = 124, eight
// 110.
BOOST_AUTO_TEST_CASE(numbers_stay_whole_in_a_second_block_of_columns) {
  std::vector<Table::Column> columns;
  std::vector<std::string> cells;
  for (int i = 0; i < 12; ++i) {
    columns.emplace_back("c" + std::to_string(i), Table::Align::right);
    cells.push_back(std::to_string(100'000'000'000 + i));
  }
  Table table(columns);
  table.add(row_of(cells));
  const std::vector<std::string> lines = lines_of(table.text());
  BOOST_TEST_REQUIRE(lines.size() == 5U);
  BOOST_TEST(lines[0].size() == 110U);
  BOOST_TEST(lines[2] == "");
  BOOST_TEST(lines[3] == "          c0            c8            c9           c10           c11");
  BOOST_TEST(lines[4] ==
             cells[0] + "  " + cells[8] + "  " + cells[9] + "  " + cells[10] + "  " + cells[11]);
}

// "mean latency" above numbers of six characters is broken when there is no room for it.
BOOST_AUTO_TEST_CASE(titles_of_numbers_are_broken_too) {
  Table table({{"name"}, {"mean latency", Table::Align::right}});
  table.add({std::string(111, 'n'), "123.45"});  // 111 + 2 + 7 = 120
  BOOST_TEST(table.text() == "name" + std::string(107, ' ') + "     mean\n" +
                                 std::string(113, ' ') + "latency\n" + std::string(111, 'n') +
                                 "   123.45\n");
}

BOOST_AUTO_TEST_CASE(text_is_continued_below_its_second_column) {
  const std::string words = times(29, "abc");  // 115 characters
  BOOST_TEST(fitted("  hbm  " + words + "\nshort\n") ==
             "  hbm  " + times(28, "abc") + "\n       abc\nshort\n");  // 7 + 111 + 4 > 120
  BOOST_TEST(fitted("name:   ") == "name:   ");
  BOOST_TEST(fitted("name: " + words, 4) == "name: " + times(28, "abc") + "\n    abc");
  BOOST_TEST(fitted(std::string(130, 'w')) == std::string(130, 'w'));
}

BOOST_AUTO_TEST_CASE(numbers_for_people) {
  BOOST_TEST(percent(0.1234) == "12.3 %");
  BOOST_TEST(readable_bytes(1023) == "1023 B");
  BOOST_TEST(readable_bytes(1536) == "1.5 KiB");
  BOOST_TEST(readable_count(0, "FLOP") == "0 FLOP");
  BOOST_TEST(readable_count(999) == "999");
  BOOST_TEST(readable_count(1536) == "1.536 k");
  BOOST_TEST(readable_count(12.5) == "12.500");
  BOOST_TEST(readable_count(2e12, "FLOP/s") == "2.000 TFLOP/s");
  BOOST_TEST(readable_energy(999.9996) == "1.000 nJ");
  BOOST_TEST(readable_bytes(std::uint64_t{3} << 40) == "3.0 TiB");
  BOOST_TEST(readable_time(999.9994) == "999.999 ns");
  BOOST_TEST(readable_time(999.9996) == "1.000 us");
  BOOST_TEST(readable_time(2.5e9) == "2.500 s");
}

BOOST_AUTO_TEST_CASE(the_middle_of_a_long_text_is_left_out) {
  Table table("rows", {{"n", "n"}});
  for (std::uint64_t n = 0; n < 10; ++n) table.add({n});
  BOOST_TEST(table.text("", 4, Table::Cut::middle) ==
             "n\n0\n1\n... 6 more; --json has all\n8\n9\n");
  BOOST_TEST(table.text("", 10).find("more") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
