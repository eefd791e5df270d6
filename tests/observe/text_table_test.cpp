// Tables and numbers for the console.
#include "platform/observe/text_table.h"

#include <boost/test/unit_test.hpp>

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(text_table_test)

BOOST_AUTO_TEST_CASE(columns_are_as_wide_as_their_widest_cell) {
  TextTable table({{"engine"}, {"busy", TextTable::Align::right}, {"note"}});
  table.add({"pe_dma", "1.5", ""});
  table.add({"pe_fetch_store", "1024.0", "x"});
  BOOST_TEST(table.text(" ") ==
             " engine            busy  note\n"
             " pe_dma             1.5\n"
             " pe_fetch_store  1024.0  x\n");
}

BOOST_AUTO_TEST_CASE(numbers_for_people) {
  BOOST_TEST(percent(0.1234) == "12.3 %");
  BOOST_TEST(readable_bytes(1023) == "1023 B");
  BOOST_TEST(readable_bytes(1536) == "1.5 KiB");
  BOOST_TEST(readable_bytes(std::uint64_t{3} << 40) == "3.0 TiB");
  BOOST_TEST(readable_time(999.9994) == "999.999 ns");
  BOOST_TEST(readable_time(999.9996) == "1.000 us");
  BOOST_TEST(readable_time(2.5e9) == "2.500 s");
}

BOOST_AUTO_TEST_SUITE_END()
