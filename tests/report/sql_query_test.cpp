// `inspect --sql`: queries of all kinds of values; nothing is written.
#include "platform/report/sql_query.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "models/base/errors.h"
#include "tests/report/hand_made_log.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(sql_query_test)

namespace {

struct Log {
  Log() {
    hand_made.launch("k", 0, 10, {"sip0.cube0.pe0"}, 1, 9);
    path = hand_made.write();
  }
  std::string rows(const std::string& sql, QueryFormat format = QueryFormat::csv) const {
    std::ostringstream out;
    run_query(path, sql, format, out);
    return out.str();
  }
  std::string fault(const std::string& sql) const {
    try {
      rows(sql);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }
  HandMadeLog hand_made;
  std::string path;
};

constexpr const char* values = "SELECT 1 AS n, 2.5 AS x, 'a,b' AS t, NULL AS gone, x'00ff' AS b";

}  // namespace

BOOST_AUTO_TEST_CASE(rows_are_printed_in_every_format) {
  const Log log;
  BOOST_TEST(log.rows(values) == "n,x,t,gone,b\n1,2.5,\"a,b\",,00ff\n");
  BOOST_TEST(log.rows(values, QueryFormat::text) ==
             "n    x  t    gone  b\n1  2.5  a,b        00ff\n");
  BOOST_TEST(nlohmann::json::parse(log.rows(values, QueryFormat::json)) ==
             nlohmann::json::parse(
                 R"({"rows": [{"n": 1, "x": 2.5, "t": "a,b", "gone": null, "b": "00ff"}]})"));
  BOOST_TEST(
      nlohmann::json::parse(log.rows("SELECT 1 WHERE 0", QueryFormat::json))["rows"].empty());
  BOOST_TEST(log.rows("SELECT kernel FROM launches;  -- and no more\n ;") == "kernel\nk\n");
  BOOST_TEST(log.rows("WITH a AS (SELECT 7 AS n) SELECT n FROM a") == "n\n7\n");
}

BOOST_AUTO_TEST_CASE(what_is_no_query_is_refused) {
  const Log log;
  BOOST_TEST(log.fault("SELEC 1") == "--sql: near \"SELEC\": syntax error");
  BOOST_TEST(log.fault("SELECT missing FROM ops") == "--sql: no such column: missing");
  BOOST_TEST(log.fault("") == "--sql: no statement");
  BOOST_TEST(log.fault(" -- a comment") == "--sql: no statement");
  BOOST_TEST(log.fault("SELECT 1; SELECT 2") == "--sql: more than one statement");
}

BOOST_AUTO_TEST_CASE(nothing_can_be_written) {
  const Log log;
  const std::string before = read_file(log.path);
  const TemporaryFolder folder;
  const std::string copy = folder.file("copy.db");
  const std::vector<std::string> statements{"DELETE FROM ops",
                                            "CREATE TABLE mine (a)",
                                            "INSERT INTO meta VALUES ('a', 'b') RETURNING key",
                                            "DROP TABLE ops",
                                            "SELECT 1; DELETE FROM ops",
                                            "ATTACH '" + copy + "' AS other",
                                            "VACUUM INTO '" + copy + "'",
                                            "VACUUM",
                                            "PRAGMA user_version = 7",
                                            "PRAGMA journal_mode = WAL"};
  for (const std::string& sql : statements) {
    const std::string fault = log.fault(sql);
    if (sql != "PRAGMA journal_mode = WAL") BOOST_TEST(fault.find("--sql: ") == 0U, sql);
    BOOST_TEST((read_file(log.path) == before), sql);
    BOOST_TEST(!folder.has("copy.db"), sql);
  }
}

BOOST_AUTO_TEST_SUITE_END()
