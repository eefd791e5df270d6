#include "platform/sweep/sweep_results.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/sweep/result_reader.h"
#include "platform/sweep/sweep_configurations.h"

namespace kernbench {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

// A column whose first texts follow numbers has texts throughout.
void add(ResultValues& column, const SQLite::Column& cell) {
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
  // The first point of those with a common base is the one that others are compared with.
  struct First {
    std::size_t index;
    std::string hash;
  };
  std::map<std::string, First> firsts;
  for (const std::string& hash : hashes) {
    ResultConfigurations::OfPoint& point = result.points.emplace_back();
    if (!stored.has(hash)) continue;
    const auto [place, is_new] =
        firsts.try_emplace(stored.base_of(hash), First{result.bases.size(), hash});
    const First& first = place->second;
    if (is_new) result.bases.push_back(stored.text(hash));
    point = {first.index, stored.differences(hash, first.hash)};
  }
  return result;
}

}  // namespace

const ResultValues* SweepResults::find(const std::string& name) const {
  for (const ResultValues& column : columns)
    if (column.name == name) return &column;
  return nullptr;
}

std::string SweepResults::fact(const std::string& key) const { return fact_of(facts, key); }

SweepResults read_results(const std::string& path) try {
  const ResultReader reader(path);
  SweepResults results;
  results.facts = reader.content().facts;
  results.requested = reader.content().requested.size();
  for (const ResultColumn& column : reader.columns())
    results.columns.push_back({column.name, column.role});
  const SQLite::Database database = open_read_only(path);
  SQLite::Statement rows(database, "SELECT * FROM results");
  while (rows.executeStep()) {
    for (std::size_t i = 0; i < results.columns.size(); ++i)
      add(results.columns[i], rows.getColumn(static_cast<int>(i)));
  }
  if (const ResultValues* hashes = results.find("hash"))
    results.configurations = configurations_of(
        database, hashes->is_number ? std::vector<std::string>(results.rows()) : hashes->texts);
  return results;
} catch (const SQLite::Exception& error) {
  throw UsageError(fmt::format("{} cannot be read: {}", quote(path), error.what()));
}

}  // namespace kernbench
