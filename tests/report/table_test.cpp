// Tables as text, CSV and JSON.
#include "platform/report/table.h"

#include <boost/test/unit_test.hpp>

#include "platform/report/json_text.h"

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

BOOST_AUTO_TEST_CASE(numbers_for_people) {
  BOOST_TEST(percent(0.1234) == "12.3 %");
  BOOST_TEST(readable_bytes(1023) == "1023 B");
  BOOST_TEST(readable_bytes(1536) == "1.5 KiB");
  BOOST_TEST(readable_bytes(std::uint64_t{3} << 40) == "3.0 TiB");
  BOOST_TEST(readable_time(999.9994) == "999.999 ns");
  BOOST_TEST(readable_time(999.9996) == "1.000 us");
  BOOST_TEST(readable_time(2.5e9) == "2.500 s");
}

BOOST_AUTO_TEST_CASE(the_middle_of_a_long_text_is_left_out) {
  Table table("rows", {{"n", "n"}});
  for (std::uint64_t n = 0; n < 10; ++n) table.add({n});
  BOOST_TEST(table.text("", 4) == "n\n0\n1\n... 6 more; --csv and --json have all\n8\n9\n");
  BOOST_TEST(table.text("", 10).find("more") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
