#include "platform/sweep/result_reader.h"

#include <fmt/format.h>

#include <map>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/nearest_name.h"
#include "platform/sweep/expression.h"
#include "platform/sweep/sweep_columns.h"

namespace kernbench {
namespace {

ResultCell cell_of(const SQLite::Column& column) {
  ResultCell cell;
  if (column.isNull()) return cell;
  if (column.isInteger() || column.isFloat()) {
    cell.number = column.getDouble();
    cell.text = fmt::format("{}", *cell.number);
  } else {
    cell.text = column.getString();
  }
  return cell;
}

std::vector<ResultColumn> columns_of(const std::string& path) {
  const SQLite::Database database = open_read_only(path);
  std::map<std::string, std::string> roles;
  SQLite::Statement stored(database, "SELECT name, role FROM columns");
  while (stored.executeStep())
    roles[stored.getColumn(0).getString()] = stored.getColumn(1).getString();
  std::vector<ResultColumn> columns;
  SQLite::Statement all(database, "SELECT name FROM pragma_table_info('results')");
  while (all.executeStep()) {
    const std::string name = all.getColumn(0).getString();
    const auto role = roles.find(name);
    columns.push_back({name, role != roles.end()     ? role->second
                             : is_fixed_column(name) ? "point"
                                                     : "derived"});
  }
  return columns;
}

}  // namespace

ResultReader::ResultReader(const std::string& path) : content_(read_sweep(path)) {
  try {
    columns_ = columns_of(path);
  } catch (const SQLite::Exception& error) {
    throw UsageError(fmt::format("{} cannot be read: {}", quote(path), error.what()));
  }
}

std::vector<std::string> ResultReader::names(const std::string& role) const {
  std::vector<std::string> names;
  for (const ResultColumn& each : columns_) {
    if (role.empty() || each.role == role) names.push_back(each.name);
  }
  return names;
}

const std::string& ResultReader::column(const std::string& name) const {
  for (const ResultColumn& each : columns_) {
    if (each.name == name) return each.name;
  }
  throw UsageError(fmt::format("{} has no column {}{}; kernbench plot {} --columns lists them",
                               quote(path()), quote(name), did_you_mean(name, names("")), path()));
}

std::size_t ResultReader::count(const std::string& status) const {
  const SQLite::Database database = open_read_only(path());
  SQLite::Statement rows(database, "SELECT COUNT(*) FROM results WHERE status = ?");
  rows.bind(1, status);
  return rows.executeStep() ? static_cast<std::size_t>(rows.getColumn(0).getInt64()) : 0;
}

std::vector<std::vector<ResultCell>> ResultReader::rows(const std::vector<std::string>& columns,
                                                        const std::string& where) const {
  if (!where.empty()) {
    try {
      if (const auto unknown = Expression::unknown_name(where, names(""))) column(*unknown);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("where {}: {}", quote(where), error.what()));
    }
  }
  std::string list;
  for (const std::string& each : columns)
    list += (list.empty() ? "" : ", ") + sql_name(column(each));
  const std::string sql = fmt::format("SELECT {} FROM results WHERE status IN ('ok', 'until'){}",
                                      list, where.empty() ? "" : " AND (\n" + where + "\n)");
  std::vector<std::vector<ResultCell>> found;
  try {
    const SQLite::Database database = open_read_only(path());
    SQLite::Statement rows(database, sql);
    while (rows.executeStep()) {
      std::vector<ResultCell>& row = found.emplace_back();
      for (int i = 0; i < rows.getColumnCount(); ++i) row.push_back(cell_of(rows.getColumn(i)));
    }
  } catch (const SQLite::Exception& error) {
    throw UsageError(fmt::format("{}: {}", quote(path()), error.what()));
  }
  return found;
}

}  // namespace kernbench
