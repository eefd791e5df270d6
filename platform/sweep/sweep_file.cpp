#include "platform/sweep/sweep_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/output/json_text.h"
#include "platform/sweep/expression.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

// SQLite allows 2000 columns; some are left for derived ones.
constexpr std::size_t most_columns = 1900;
// Numbers of a point beyond that, as JSON.
constexpr const char* further_column = "further";

UsageError refused(const std::string& path, const std::string& why) {
  return UsageError(fmt::format("{} {}", quote(path), why));
}

// Doubles throughout, so that a quotient of two columns is no integer division.
void bind(SQLite::Statement& statement, int at, const Json& value) {
  if (value.is_number()) {
    statement.bind(at, value.get<double>());
  } else if (value.is_string()) {
    statement.bind(at, value.get<std::string>());
  } else {
    statement.bind(at);
  }
}

Json json_of(const SQLite::Column& column) {
  if (column.isNull()) return nullptr;
  if (column.isInteger()) return column.getInt64();
  if (column.isFloat()) return column.getDouble();
  return column.getString();
}

void check_header(const std::string& path, int file) {
  std::array<char, 16> header{};
  const ::ssize_t n = ::pread(file, header.data(), header.size(), 0);
  if (n != 0 && std::memcmp(header.data(), "SQLite format 3", 16) != 0)
    throw refused(path, "is no SQLite database, such as a sweep writes");
}

}  // namespace

SweepFile::SweepFile(const std::string& path) : path_(path) {
  csv_next_to(path);
  lock_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0)
    throw UsageError(fmt::format("cannot write {}: {}", quote(path), std::strerror(errno)));
  try {
    if (::flock(lock_, LOCK_EX | LOCK_NB) != 0)
      throw refused(path, "is in use by another sweep, which is still running");
    check_header(path, lock_);
    database_ = std::make_unique<SQLite::Database>(
        path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, 10'000);
    read_facts();
  } catch (const SQLite::Exception& error) {
    database_.reset();
    ::close(lock_);
    throw refused(path, fmt::format("cannot be written: {}", error.what()));
  } catch (...) {
    database_.reset();
    ::close(lock_);
    throw;
  }
}

// Closing any descriptor of the file ends SQLite's own locks, so this one is closed last.
SweepFile::~SweepFile() {
  insertions_.clear();
  database_.reset();
  ::close(lock_);
}

void SweepFile::release_in_child() const { ::close(lock_); }

void SweepFile::create() {
  SQLite::Transaction transaction(*database_);
  database_->exec("CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT)");
  database_->exec(
      "CREATE TABLE columns(name TEXT PRIMARY KEY COLLATE NOCASE, role TEXT, position INTEGER)");
  database_->exec("CREATE TABLE requested(point INTEGER PRIMARY KEY, key TEXT UNIQUE, label TEXT)");
  database_->exec(
      "CREATE TABLE points(key TEXT PRIMARY KEY, point INTEGER, status TEXT, message TEXT, "
      "version TEXT, hash TEXT, command TEXT)");
  SQLite::Statement fact(*database_, "INSERT INTO meta VALUES(?, ?)");
  for (const auto& [key, value] :
       {std::pair("kind", std::string(sweep_file_kind)),
        std::pair("schema_version", std::to_string(sweep_schema_version))}) {
    fact.bind(1, key);
    fact.bind(2, value);
    fact.exec();
    fact.reset();
  }
  transaction.commit();
}

void SweepFile::read_facts() {
  SQLite::Statement objects(*database_, "SELECT COUNT(*) FROM sqlite_master");
  const bool is_new = objects.executeStep() && objects.getColumn(0).getInt64() == 0;
  objects.reset();
  if (!is_new)
    check_facts(path_, facts_of(*database_),
                ": name another file with --results");  // before anything is changed
  database_->exec("PRAGMA journal_mode=WAL");
  database_->exec("PRAGMA synchronous=NORMAL");  // in WAL mode a crash of the host leaves it sound
  if (is_new) create();
  configurations_ = std::make_unique<SweepConfigurations>(*database_);
  facts_ = facts_of(*database_);
  std::vector<std::string> axes;
  SQLite::Statement rows(*database_, "SELECT name, role FROM columns ORDER BY position");
  while (rows.executeStep()) {
    const std::string name = rows.getColumn(0).getString();
    const ColumnRole role = column_role(rows.getColumn(1).getString());
    columns_.add(name, role);
    if (role == ColumnRole::axis) axes.push_back(name);
  }
  columns_.set_axes(axes);
}

std::map<std::string, SweepFile::Stored> SweepFile::stored() const {
  std::map<std::string, Stored> points;
  SQLite::Statement rows(*database_, "SELECT key, status, version FROM points");
  while (rows.executeStep())
    points[rows.getColumn(0).getString()] = {rows.getColumn(1).getString() != "failed",
                                             rows.getColumn(2).getString()};
  return points;
}

void SweepFile::describe(const SweepFacts& facts, const std::vector<std::string>& axes) {
  SQLite::Transaction transaction(*database_);
  SQLite::Statement fact(*database_, "INSERT OR REPLACE INTO meta VALUES(?, ?)");
  for (const auto& [key, value] : facts) {
    fact.bind(1, key);
    fact.bind(2, value);
    fact.exec();
    fact.reset();
    facts_[key] = value;
  }
  database_->exec("UPDATE columns SET role = 'setting', position = NULL WHERE role = 'axis'");
  SQLite::Statement role(*database_,
                         "UPDATE columns SET role = 'axis', position = ? WHERE name = ?");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    role.bind(1, static_cast<std::int64_t>(i));
    role.bind(2, column(axes[i], ColumnRole::axis));
    role.exec();
    role.reset();
  }
  columns_.set_axes(axes);
  transaction.commit();
}

void SweepFile::request(const std::vector<RequestedPoint>& points) {
  SQLite::Transaction transaction(*database_);
  std::map<std::string, std::string> keys;  // key of each earlier request, by label
  for (RequestedPoint& each : requested()) keys[each.label] = std::move(each.key);
  database_->exec("DELETE FROM requested");
  SQLite::Statement insert(*database_, "INSERT INTO requested VALUES(?, ?, ?)");
  SQLite::Statement drop(*database_, "DELETE FROM points WHERE key = ?");
  for (const RequestedPoint& point : points) {
    insert.bind(1, static_cast<std::int64_t>(point.number));
    insert.bind(2, point.key);
    insert.bind(3, point.label);
    insert.exec();
    insert.reset();
    const auto earlier = keys.find(point.label);
    if (earlier == keys.end() || earlier->second == point.key) continue;
    drop.bind(1, earlier->second);
    drop.exec();
    drop.reset();
  }
  database_->exec(
      "UPDATE points SET point = (SELECT point FROM requested WHERE requested.key = points.key)");
  transaction.commit();
}

std::string SweepFile::column(const std::string& name, ColumnRole role) {
  if (const std::string* stored = columns_.find(name)) return *stored;
  if (columns_.size() >= most_columns && name != further_column) return "";
  database_->exec("ALTER TABLE points ADD COLUMN " + sql_name(name));
  SQLite::Statement row(*database_, "INSERT INTO columns(name, role) VALUES(?, ?)");
  row.bind(1, name);
  row.bind(2, name_of(role));
  row.exec();
  columns_.add(name, role);
  return name;
}

SQLite::Statement& SweepFile::insertion(const std::vector<std::string>& columns) {
  std::string names = "key, point, status, message, version, hash, command",
              values = "?, ?, ?, ?, ?, ?, ?";
  for (const std::string& name : columns) {
    names += ", " + sql_name(name);
    values += ", ?";
  }
  std::unique_ptr<SQLite::Statement>& statement = insertions_[names];
  if (!statement)
    statement = std::make_unique<SQLite::Statement>(
        *database_, fmt::format("INSERT OR REPLACE INTO points({}) VALUES({})", names, values));
  return *statement;
}

void SweepFile::insert(const SweepRow& row) {
  std::vector<std::string> names;
  std::vector<const Json*> values;
  std::set<std::string> present;
  Json further = Json::object();
  const auto add = [&](const SummaryColumns& columns, ColumnRole role) {
    for (const auto& [name, value] : columns) {
      if (name == further_column && value.is_string()) {  // column of a shard
        further.update(Json::parse(value.get<std::string>()));
        continue;
      }
      const std::string stored = column(name, role);
      if (stored.empty()) {
        further[name] = value;
      } else if (present.insert(stored).second) {
        names.push_back(stored);
        values.push_back(&value);
      }
    }
  };
  add(row.settings, ColumnRole::setting);
  add(row.summary, ColumnRole::summary);
  const Json text = json_text(further);
  if (!further.empty()) {
    names.push_back(column(further_column, ColumnRole::summary));
    values.push_back(&text);
  }
  SQLite::Statement& statement = insertion(names);
  int at = 0;
  statement.bind(++at, row.key);
  row.point == 0 ? statement.bind(++at)
                 : statement.bind(++at, static_cast<std::int64_t>(row.point));
  for (const std::string* text : {&row.status, &row.message, &row.version, &row.hash, &row.command})
    statement.bind(++at, *text);
  for (const Json* value : values) bind(statement, ++at, *value);
  statement.exec();
  statement.reset();
  if (!row.configuration.empty()) configurations_->add(row.hash, row.configuration);
}

void SweepFile::store(const SweepRow& row) try {
  SQLite::Transaction transaction(*database_);
  insert(row);
  transaction.commit();
} catch (const SQLite::Exception& error) {
  insertions_.clear();
  throw Error(write_fault(error));
}

std::string SweepFile::write_fault(const std::exception& error) const {
  return fmt::format(
      "{} cannot be written: {}; its finished points are kept, and the same command runs the "
      "others",
      quote(path_), error.what());
}

std::uint64_t SweepFile::count(const std::string& status) const {
  SQLite::Statement rows(*database_,
                         "SELECT COUNT(*) FROM points WHERE point IS NOT NULL AND status = ?");
  rows.bind(1, status);
  return rows.executeStep() ? static_cast<std::uint64_t>(rows.getColumn(0).getInt64()) : 0;
}

std::vector<std::pair<std::uint64_t, std::string>> SweepFile::failures(std::size_t most) const {
  std::vector<std::pair<std::uint64_t, std::string>> failures;
  SQLite::Statement rows(*database_,
                         "SELECT point, message FROM points WHERE point IS NOT NULL AND status = "
                         "'failed' ORDER BY point LIMIT ?");
  rows.bind(1, static_cast<std::int64_t>(most));
  while (rows.executeStep())
    failures.emplace_back(static_cast<std::uint64_t>(rows.getColumn(0).getInt64()),
                          rows.getColumn(1).getString());
  return failures;
}

namespace {

// A row of `SELECT * FROM points`.
SweepRow row_of(SQLite::Statement& rows, const std::map<std::string, ColumnRole>& roles) {
  SweepRow row;
  const auto text = [&rows](const char* name) { return rows.getColumn(name).getString(); };
  row.point = static_cast<std::uint64_t>(rows.getColumn("point").getInt64());
  row.key = text("key");
  row.status = text("status");
  row.message = text("message");
  row.version = text("version");
  row.hash = text("hash");
  row.command = text("command");
  for (int i = 0; i < rows.getColumnCount(); ++i) {
    const std::string name = rows.getColumnName(i);
    if (is_fixed_column(name) || rows.getColumn(i).isNull()) continue;
    const auto role = roles.find(name);
    const bool is_summary = role == roles.end() || role->second == ColumnRole::summary;
    (is_summary ? row.summary : row.settings).emplace_back(name, json_of(rows.getColumn(i)));
  }
  return row;
}

}  // namespace

std::vector<RequestedPoint> SweepFile::requested() const { return requested_of(*database_); }

void SweepFile::store_all(const std::string& path, const std::set<std::string>* keys) try {
  const SQLite::Database other = open_read_only(path);
  std::map<std::string, ColumnRole> roles;
  SQLite::Statement columns(other, "SELECT name, role FROM columns");
  while (columns.executeStep())
    roles[columns.getColumn(0).getString()] = column_role(columns.getColumn(1).getString());
  SQLite::Transaction transaction(*database_);
  SQLite::Statement rows(other, "SELECT * FROM points WHERE point IS NOT NULL ORDER BY point");
  std::set<std::string> hashes;
  while (rows.executeStep()) {
    const SweepRow row = row_of(rows, roles);
    if (keys != nullptr && keys->count(row.key) == 0) continue;
    insert(row);
    hashes.insert(row.hash);
  }
  configurations_->add_all(other, hashes);
  transaction.commit();
} catch (const SQLite::Exception& error) {
  insertions_.clear();
  throw Error(
      fmt::format("{} cannot be copied to {}: {}", quote(path), quote(path_), error.what()));
}

}  // namespace kernbench
