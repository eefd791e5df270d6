#include "platform/sweep/sweep_results.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/sweep/sweep_columns.h"
#include "platform/sweep/sweep_file.h"

namespace kernbench {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

std::vector<ResultColumn> empty_columns(SQLite::Database& database, SQLite::Statement& rows) {
  std::map<std::string, ResultRole> roles;
  SQLite::Statement stored(database, "SELECT name, role FROM columns");
  while (stored.executeStep()) {
    const ColumnRole role = column_role(stored.getColumn(1).getString());
    roles[stored.getColumn(0).getString()] = role == ColumnRole::axis      ? ResultRole::axis
                                             : role == ColumnRole::setting ? ResultRole::setting
                                                                           : ResultRole::summary;
  }
  std::vector<ResultColumn> columns;
  for (int i = 0; i < rows.getColumnCount(); ++i) {
    const std::string name = rows.getColumnName(i);
    const auto role = roles.find(name);
    columns.push_back({name, is_fixed_column(name) ? ResultRole::fixed
                             : role == roles.end() ? ResultRole::derived
                                                   : role->second});
  }
  return columns;
}

// A column whose first texts follow numbers has texts throughout.
void add(ResultColumn& column, const SQLite::Column& cell) {
  const bool number = cell.isInteger() || cell.isFloat();
  if (column.is_number && !number && !cell.isNull()) {
    column.is_number = false;
    for (const double each : column.numbers)
      column.texts.push_back(std::isnan(each) ? "" : fmt::format("{}", each));
  }
  column.numbers.push_back(number ? cell.getDouble() : none);
  if (!column.is_number)
    column.texts.push_back(number ? fmt::format("{}", cell.getDouble()) : cell.getString());
}

ResultConfigurations configurations_of(const SQLite::Database& database,
                                       const std::vector<std::string>& hashes) {
  StoredConfigurations stored(database);
  ResultConfigurations result;
  std::map<std::string, std::size_t> bases;
  for (const std::string& hash : hashes) {
    ResultConfigurations::OfPoint& point = result.points.emplace_back();
    if (!stored.has(hash)) continue;
    const std::string& base = stored.base_of(hash);
    const auto [place, is_new] = bases.try_emplace(base, result.bases.size());
    if (is_new) result.bases.push_back(stored.text(base));
    point = {place->second, stored.differences(hash)};
  }
  return result;
}

}  // namespace

const ResultColumn* SweepResults::find(const std::string& name) const {
  for (const ResultColumn& column : columns)
    if (column.name == name) return &column;
  return nullptr;
}

std::string SweepResults::fact(const std::string& key) const {
  const auto found = facts.find(key);
  return found == facts.end() ? "" : found->second;
}

SweepResults read_results(const std::string& path) try {
  SweepContent content = read_sweep(path);
  SweepResults results;
  results.facts = std::move(content.facts);
  results.requested = content.requested.size();
  SQLite::Database database(path, SQLite::OPEN_READONLY);
  SQLite::Statement rows(database, "SELECT * FROM results");
  results.columns = empty_columns(database, rows);
  while (rows.executeStep()) {
    for (std::size_t i = 0; i < results.columns.size(); ++i)
      add(results.columns[i], rows.getColumn(static_cast<int>(i)));
  }
  if (const ResultColumn* hashes = results.find("hash"))
    results.configurations = configurations_of(
        database, hashes->is_number ? std::vector<std::string>(results.rows()) : hashes->texts);
  return results;
} catch (const SQLite::Exception& error) {
  throw UsageError(fmt::format("{} cannot be read: {}", quote(path), error.what()));
}

}  // namespace kernbench
