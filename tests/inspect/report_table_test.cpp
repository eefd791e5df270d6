// Tables as text, CSV and JSON.
#include "platform/inspect/report_table.h"

#include <boost/test/unit_test.hpp>

#include "platform/observe/json_text.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(report_table_test)

BOOST_AUTO_TEST_CASE(cells_are_readable_in_text_and_exact_elsewhere) {
  ReportTable table("rows", {{"name", "name"},
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

BOOST_AUTO_TEST_CASE(the_middle_of_a_long_text_is_left_out) {
  ReportTable table("rows", {{"n", "n"}});
  for (std::uint64_t n = 0; n < 10; ++n) table.add({n});
  BOOST_TEST(table.text(4) == "n\n0\n1\n... 6 more; --csv and --json have all\n8\n9\n");
  BOOST_TEST(table.text(10).find("more") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
