// Rows of the result file of a sweep.
#pragma once

#include <sqlite3.h>

#include <boost/test/unit_test.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kernbench::test {

using Row = std::map<std::string, std::string>;

// Rows of a query on a result file; without NULL values.
inline std::vector<Row> rows_of(const std::string& path,
                                const std::string& sql = "SELECT * FROM results") {
  sqlite3* database = nullptr;
  std::vector<Row> rows;
  BOOST_TEST_REQUIRE(sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) ==
                     SQLITE_OK);
  const auto add = [](void* to, int n, char** values, char** names) {
    Row row;
    for (int i = 0; i < n; ++i)
      if (values[i] != nullptr) row[names[i]] = values[i];
    static_cast<std::vector<Row>*>(to)->push_back(std::move(row));
    return 0;
  };
  BOOST_TEST(sqlite3_exec(database, sql.c_str(), add, &rows, nullptr) == SQLITE_OK,
             sqlite3_errmsg(database));
  sqlite3_close(database);
  return rows;
}

}  // namespace kernbench::test
