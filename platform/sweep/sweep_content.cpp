#include "platform/sweep/sweep_content.h"

#include <SQLiteCpp/Backup.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {

std::string fact_of(const SweepFacts& facts, const std::string& key) {
  const auto found = facts.find(key);
  return found == facts.end() ? "" : found->second;
}

std::set<std::string> labels_of(const std::vector<RequestedPoint>& points) {
  std::set<std::string> labels;
  for (const RequestedPoint& each : points) labels.insert(each.label);
  return labels;
}

void check_same_plan(const std::string& path, const std::vector<RequestedPoint>& stored,
                     const std::set<std::string>& labels, const std::string& advice) {
  const bool shares = std::any_of(stored.begin(), stored.end(), [&labels](const auto& each) {
    return labels.count(each.label) != 0;
  });
  if (!stored.empty() && !shares)
    throw UsageError(
        fmt::format("{} has the results of another plan, of which no point is requested: {}",
                    quote(path), advice));
}

void check_facts(const std::string& path, const SweepFacts& facts, const std::string& advice) {
  if (fact_of(facts, "kind") != sweep_file_kind)
    throw UsageError(quote(path) + " is no result file of a sweep");
  const std::string version = fact_of(facts, "schema_version");
  if (version != std::to_string(sweep_schema_version))
    throw UsageError(
        fmt::format("{} has schema version {}; this program reads and writes version {}{}",
                    quote(path), quote(version), sweep_schema_version, advice));
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

namespace {

namespace fs = std::filesystem;

// The database with its write-ahead log, in memory: read from a copy in the first folder that has
// room for it.
SQLite::Database copy_in_memory(const std::string& path) {
  std::string template_name, reason;
  for (const std::string& folder : {std::string("/dev/shm"), fs::temp_directory_path().string()}) {
    template_name = folder + "/kernbench-XXXXXX";
    if (::mkdtemp(template_name.data()) == nullptr) continue;
    const fs::path copy = template_name;
    try {
      fs::copy_file(path, copy / "r.sqlite");
      fs::copy_file(path + "-wal", copy / "r.sqlite-wal");
      SQLite::Database memory(":memory:", SQLite::OPEN_READWRITE);
      {
        SQLite::Database source((copy / "r.sqlite").string(), SQLite::OPEN_READWRITE);
        SQLite::Backup backup(memory, source);
        backup.executeStep();
      }
      fs::remove_all(copy);
      return memory;
    } catch (const std::exception& error) {
      std::error_code ignored;
      fs::remove_all(copy, ignored);
      reason = error.what();
    }
  }
  throw UsageError(fmt::format(
      "{} cannot be read: its write-ahead log needs room here, in /dev/shm or in the folder for "
      "temporary files{}",
      quote(path), reason.empty() ? "" : ": " + reason));
}

}  // namespace

// Without a write-ahead log there is no writer. SQLite would still create one, which a folder that
// is read-only does not admit.
SQLite::Database open_read_only(const std::string& path) {
  std::error_code ignored;
  if (const auto bytes = fs::file_size(path + "-wal", ignored); !ignored && bytes > 0) {
    try {
      SQLite::Database database(path, SQLite::OPEN_READONLY, 10'000);
      SQLite::Statement(database, "SELECT COUNT(*) FROM sqlite_master").executeStep();
      return database;
    } catch (const SQLite::Exception& error) {
      if (error.getErrorCode() == SQLITE_NOTADB || error.getErrorCode() == SQLITE_CORRUPT) throw;
    }
    return copy_in_memory(path);
  }
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
      database, "SELECT COUNT(*), SUM(status <> 'failed') FROM points WHERE point IS NOT NULL");
  if (counts.executeStep()) {
    content.finished = static_cast<std::uint64_t>(counts.getColumn(0).getInt64());
    content.ok = static_cast<std::uint64_t>(counts.getColumn(1).getInt64());
  }
  return content;
} catch (const SQLite::Exception& error) {
  throw UsageError(fmt::format("{} cannot be read: {}", quote(path), error.what()));
}

}  // namespace kernbench
