// Finished points of a result file, for figures: the view `results`, which is only read.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <optional>
#include <string>
#include <vector>

#include "platform/sweep/sweep_content.h"

namespace kernbench {

// Value of a column: a number, a text, or neither.
struct ResultCell {
  std::optional<double> number = {};
  std::string text = {};  // a number has one, too: "32"
  bool empty() const { return text.empty(); }
};

struct ResultColumn {
  std::string name, role;  // "point", "axis", "setting", "summary", "derived"
};

class ResultReader {
 public:
  // UsageError: no result file of a sweep, or one of another schema version.
  explicit ResultReader(const std::string& path);

  const std::string& path() const { return content_.path; }
  const SweepContent& content() const { return content_; }
  const std::vector<ResultColumn>& columns() const { return columns_; }
  std::vector<std::string> names(const std::string& role) const;
  // Name as stored; UsageError with the nearest one if there is no such column.
  const std::string& column(const std::string& name) const;

  // Rows of the points with status `ok` or `until` for which `where` (SQL; "": all) is true, in the
  // order of the plan. UsageError: `where` is no SQL.
  std::vector<std::vector<ResultCell>> rows(const std::vector<std::string>& columns,
                                            const std::string& where) const;
  std::size_t count(const std::string& status) const;

 private:
  SweepContent content_;
  std::vector<ResultColumn> columns_;
};

}  // namespace kernbench
