#include "platform/events/opened_log.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {
namespace {

UsageError unreadable(const std::string& path, const std::string& why) {
  return UsageError(fmt::format("{} {}", quote(path), why));
}

// File size in bytes from the header of the database (file format of SQLite, section 1.3); 0: not
// stated.
std::uint64_t bytes_by_header(const std::string& header) {
  const auto byte = [&](std::size_t at) {
    return static_cast<std::uint64_t>(static_cast<unsigned char>(header[at]));
  };
  const std::uint64_t page = byte(16) << 8 | byte(17);
  const std::uint64_t pages = byte(28) << 24 | byte(29) << 16 | byte(30) << 8 | byte(31);
  return pages * (page == 1 ? 65536 : page);
}

void check_database_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw unreadable(path, "does not exist");
  if (!std::filesystem::is_regular_file(status)) throw unreadable(path, "is not a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw unreadable(path, "cannot be read");
  std::string header(100, '\0');
  file.read(header.data(), static_cast<std::streamsize>(header.size()));
  const std::string magic("SQLite format 3", 16);
  if (file.gcount() < 100 || header.compare(0, magic.size(), magic) != 0) {
    throw unreadable(path,
                     "is not a SQLite database; an operation log to inspect is written by "
                     "kernbench run --op-log F.sqlite");
  }
  const std::uint64_t size = std::filesystem::file_size(path);
  if (size < bytes_by_header(header)) {
    throw unreadable(
        path, fmt::format("is cut short: it has {} of {} bytes", size, bytes_by_header(header)));
  }
}

SQLite::Database open(const std::string& path) {
  check_database_file(path);
  try {
    return SQLite::Database(path, SQLite::OPEN_READONLY);
  } catch (const SQLite::Exception& error) {
    throw unreadable(path, fmt::format("cannot be opened: {}", error.what()));
  }
}

struct TableNames {
  std::vector<std::string>& names;
  template <class Row>
  void table() {
    names.emplace_back(Row::table);
  }
};

}  // namespace

OpenedLog::OpenedLog(const std::string& path) : path_(path), database_(open(path)) {
  reading([this] {
    read_meta();
    check_tables();
    read_launches();
  });
}

void OpenedLog::reading(const std::function<void()>& body) const {
  try {
    body();
  } catch (const SQLite::Exception& error) {
    constexpr int busy = 5;  // SQLITE_BUSY of sqlite3.h: a run holds the lock of its log to its end
    if (error.getErrorCode() == busy)
      throw unreadable(path_, "is not complete: the run that writes it has not ended");
    throw unreadable(path_, fmt::format("cannot be read: {}", error.what()));
  } catch (const UsageError& error) {
    throw unreadable(path_, error.what());
  }
}

void OpenedLog::read_meta() {
  if (!database_.tableExists("meta"))
    throw UsageError("is not an operation log: it has no table 'meta'");
  SQLite::Statement rows(database_, "SELECT key, value FROM meta");
  while (rows.executeStep()) facts_[rows.getColumn(0).getString()] = rows.getColumn(1).getString();
  const std::string& version = fact("schema_version");
  if (version.empty()) throw UsageError("is not complete: the run that wrote it has not ended");
  if (version != std::to_string(op_log_schema_version)) {
    throw UsageError(
        fmt::format("has schema version {}; this program reads version {}: run again with --op-log",
                    quote(version), op_log_schema_version));
  }
}

void OpenedLog::check_tables() {
  std::vector<std::string> tables;
  for_each_table(TableNames{tables});
  for (const std::string& table : tables) {
    if (database_.tableExists(table)) continue;
    throw UsageError(
        fmt::format("has no table '{}', which an operation log of schema version {} has", table,
                    op_log_schema_version));
  }
}

void OpenedLog::read_launches() {
  SQLite::Statement rows(database_, select_statement(LaunchRow::table, column_texts<LaunchRow>(),
                                                     false, "ORDER BY id"));
  while (rows.executeStep()) read_row(rows, false, launches_.emplace_back());
  SQLite::Statement requests(database_,
                             "SELECT DISTINCT launch, request FROM runs WHERE launch NOT NULL");
  while (requests.executeStep()) {
    const auto id = static_cast<std::uint64_t>(requests.getColumn(0).getInt64());
    for (LaunchRow& launch : launches_)
      if (launch.id == id) launch.requests.push_back(requests.getColumn(1).getString());
  }
}

const std::string& OpenedLog::fact(const std::string& key) const {
  static const std::string none;
  const auto found = facts_.find(key);
  return found == facts_.end() ? none : found->second;
}

std::string OpenedLog::bench() const {
  const std::string& bench = fact("bench");
  return bench.substr(0, bench.find(' '));
}

std::string OpenedLog::status() const {
  const std::string& error = fact("error");
  return fact("status") + (error.empty() ? "" : ": " + error.substr(0, error.find('\n')));
}

}  // namespace kernbench
