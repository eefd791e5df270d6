// View `results` of a sweep: its definition, and the view as CSV.
#include <fmt/format.h>

#include <filesystem>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/nearest_name.h"
#include "platform/output/result_file.h"
#include "platform/output/table.h"
#include "platform/sweep/expression.h"
#include "platform/sweep/sweep_file.h"

namespace kernbench {
namespace {

std::string csv_of(const SQLite::Column& column) {
  if (column.isNull()) return "";
  if (column.isFloat()) return fmt::format("{}", column.getDouble());
  return csv_field(column.getString());
}

}  // namespace

std::string csv_next_to(const std::string& path) {
  const std::filesystem::path file(path);
  const std::string extension = file.extension().string();
  if (extension != ".sqlite" && extension != ".sqlite3" && extension != ".db")
    throw UsageError(
        fmt::format("the result file {} ends in {}: .sqlite, .sqlite3 or .db", quote(path),
                    extension.empty() ? "nothing that names a format" : quote(extension)));
  return std::filesystem::path(file).replace_extension(".csv").string();
}

std::vector<std::string> SweepFile::define_results(const std::vector<PlanExpression>& derived) {
  std::vector<std::string> names = columns_.in_order(), faults;
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + sql_name(name);
  // A table per derived column, which may use those before it. Nested queries would overflow the
  // stack of SQLite's parser.
  std::string query =
      fmt::format("WITH step0 AS (SELECT {} FROM points WHERE point IS NOT NULL)", list);
  std::size_t steps = 0;
  for (const PlanExpression& each : derived) {
    const auto fault = [&](const std::string& what) {
      faults.push_back(fmt::format("derived.{}: {}", each.name, what));
    };
    const bool taken = columns_.find(each.name) != nullptr || is_fixed_column(each.name);
    if (taken) {
      fault("a column has this name already");
      continue;
    }
    try {
      if (const auto unknown = Expression::unknown_name(each.text, names)) {
        fault(fmt::format("no such column: {}{}; kernbench plot {} --columns lists them", *unknown,
                          did_you_mean(*unknown, names), path_));
        continue;
      }
    } catch (const UsageError& error) {
      fault(error.what());
      continue;
    }
    query += fmt::format(", step{} AS (SELECT *, (\n{}\n) AS {} FROM step{})", steps + 1, each.text,
                         sql_name(each.name), steps);
    ++steps;
    names.push_back(each.name);
  }
  SQLite::Transaction transaction(*database_);
  database_->exec("DROP VIEW IF EXISTS results");
  database_->exec(
      fmt::format("CREATE VIEW results AS {} SELECT * FROM step{} ORDER BY point", query, steps));
  transaction.commit();
  return faults;
}

void SweepFile::write_csv(const std::string& path) const {
  WholeFile file(path);
  SQLite::Statement rows(*database_, "SELECT * FROM results");
  for (int i = 0; i < rows.getColumnCount(); ++i)
    file.out() << (i == 0 ? "" : ",") << csv_field(rows.getColumnName(i));
  file.out() << '\n';
  while (file.out() && rows.executeStep()) {
    for (int i = 0; i < rows.getColumnCount(); ++i)
      file.out() << (i == 0 ? "" : ",") << csv_of(rows.getColumn(i));
    file.out() << '\n';
  }
  file.commit(fmt::format("; {} has all results", quote(path_)));
}

}  // namespace kernbench
