// Columns of a summary: the scalars of its JSON, by path (spec 10.6).
#include "platform/sweep/summary_columns.h"

#include <boost/test/unit_test.hpp>

#include "platform/output/json_text.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(summary_columns)

namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const SummaryColumns& columns) {
  std::string text;
  for (const auto& [name, value] : columns) text += name + '=' + value.dump() + '\n';
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(rows_of_lists_are_named_by_the_texts_that_they_begin_with) {
  const Json summary = Json::parse(R"({
    "simulated_ns": 1.5, "ok": true, "nothing": null, "limit": "HBM",
    "engines": [{"engine": "dma", "part": "read", "busy_ns": 2, "on": "pe0"},
                {"engine": "dma", "part": "", "busy_ns": 3}],
    "results": [{"name": "t", "rows": [{"bytes": 4}, {"bytes": 5}]},
                {"name": "t", "rows": []}],
    "same": [{"op": "a", "n": 6}, {"op": "a", "n": 7}],
    "races": ["text"]})");
  BOOST_TEST(text_of(columns_of(summary)) ==
             "simulated_ns=1.5\nok=1\nlimit=\"HBM\"\n"
             "engines.dma.read.busy_ns=2\nengines.dma.read.on=\"pe0\"\nengines.dma.busy_ns=3\n"
             "results.t.rows.1.bytes=4\nresults.t.rows.2.bytes=5\n"
             "same.a.n=6\nsame.a.2.n=7\n");
}

BOOST_AUTO_TEST_CASE(members_that_a_report_declares_name_the_rows_of_its_lists) {
  const Json summary = Json::parse(R"({
    "limits": {"rows": [{"resource": "HBM", "busiest": "hbm3", "gain": 1}]}})");
  BOOST_TEST(text_of(columns_of(summary, {{"limits", {"kernel", "resource"}}})) ==
             "limits.rows.HBM.busiest=\"hbm3\"\nlimits.rows.HBM.gain=1\n");
}

BOOST_AUTO_TEST_CASE(times_that_no_double_holds_are_numbers_and_long_lists_have_no_columns) {
  Json summary;
  summary["time_ns"] = ns_json(9'007'199'254'740'993ULL);  // 2^53 + 1 fs
  for (int i = 0; i < 65; ++i) summary["list"].push_back({{"name", "a"}, {"n", i}});
  const SummaryColumns columns = columns_of(summary);
  BOOST_TEST_REQUIRE(columns.size() == 1u);
  BOOST_TEST(columns[0].second.get<double>() == 9'007'199'254.740993);
}

BOOST_AUTO_TEST_SUITE_END()
