#include "platform/sweep/sweep_content.h"

#include <fmt/format.h>

#include <filesystem>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {

std::string fact_of(const SweepFacts& facts, const std::string& key) {
  const auto found = facts.find(key);
  return found == facts.end() ? "" : found->second;
}

void check_facts(const std::string& path, const SweepFacts& facts) {
  if (fact_of(facts, "kind") != sweep_file_kind)
    throw UsageError(quote(path) + " is no result file of a sweep");
  const std::string version = fact_of(facts, "schema_version");
  if (version != std::to_string(sweep_schema_version))
    throw UsageError(
        fmt::format("{} has schema version {}; this program reads and writes version {}: name "
                    "another file with --results",
                    quote(path), quote(version), sweep_schema_version));
}

SweepFacts facts_of(const SQLite::Database& database) {
  SweepFacts facts;
  if (!database.tableExists("meta")) return facts;
  SQLite::Statement rows(database, "SELECT key, value FROM meta");
  while (rows.executeStep()) facts[rows.getColumn(0).getString()] = rows.getColumn(1).getString();
  return facts;
}

std::vector<RequestedPoint> requested_of(const SQLite::Database& database) {
  std::vector<RequestedPoint> points;
  SQLite::Statement rows(database, "SELECT point, key, label FROM requested ORDER BY point");
  while (rows.executeStep())
    points.push_back({static_cast<std::uint64_t>(rows.getColumn(0).getInt64()),
                      rows.getColumn(1).getString(), rows.getColumn(2).getString()});
  return points;
}

// Without a write-ahead log there is no writer. SQLite would still create one, which a folder that
// is read-only does not admit.
SQLite::Database open_read_only(const std::string& path) {
  if (std::filesystem::exists(path + "-wal"))
    return SQLite::Database(path, SQLite::OPEN_READONLY, 10'000);
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string())
    uri += c == '%' || c == '?' || c == '#' ? fmt::format("%{:02x}", static_cast<unsigned char>(c))
                                            : std::string(1, c);
  return SQLite::Database(uri + "?immutable=1", SQLite::OPEN_READONLY | SQLite::OPEN_URI);
}

SweepContent read_sweep(const std::string& path) try {
  if (!std::filesystem::is_regular_file(path)) throw UsageError(quote(path) + " does not exist");
  const SQLite::Database database = open_read_only(path);
  SweepContent content;
  content.path = path;
  content.facts = facts_of(database);
  check_facts(path, content.facts);
  SQLite::Statement axes(database,
                         "SELECT name FROM columns WHERE role = 'axis' ORDER BY position");
  while (axes.executeStep()) content.axes.push_back(axes.getColumn(0).getString());
  content.requested = requested_of(database);
  SQLite::Statement counts(
      database, "SELECT COUNT(*), SUM(status = 'ok') FROM points WHERE point IS NOT NULL");
  if (counts.executeStep()) {
    content.finished = static_cast<std::uint64_t>(counts.getColumn(0).getInt64());
    content.ok = static_cast<std::uint64_t>(counts.getColumn(1).getInt64());
  }
  return content;
} catch (const SQLite::Exception& error) {
  throw UsageError(fmt::format("{} cannot be read: {}", quote(path), error.what()));
}

}  // namespace kernbench
