#include "platform/observe/sqlite_database.h"

#include <sqlite3.h>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {

void SqliteDatabase::Close::operator()(sqlite3* database) const { sqlite3_close(database); }
void SqliteStatement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

SqliteDatabase::SqliteDatabase(const std::string& path) : path_(path) {
  sqlite3* database = nullptr;
  const int status = sqlite3_open(path.c_str(), &database);
  database_.reset(database);
  if (status != SQLITE_OK) fail("cannot be opened");
  execute(
      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE");  // one writer, no second chance
}

void SqliteDatabase::execute(const std::string& sql) {
  if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    fail("cannot be written");
}

void SqliteDatabase::close() {
  if (sqlite3_close(database_.get()) != SQLITE_OK) fail("cannot be closed");
  static_cast<void>(database_.release());
}

void SqliteDatabase::fail(const std::string& what) const {
  const std::string name = path_.empty() ? "a temporary SQLite database" : quote(path_);
  throw Error(name + " " + what + ": " +
              (database_ == nullptr ? "out of memory" : sqlite3_errmsg(database_.get())));
}

SqliteStatement::SqliteStatement(SqliteDatabase& database, const std::string& sql)
    : database_(database) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v2(database.database_.get(), sql.c_str(), static_cast<int>(sql.size()),
                           &statement, nullptr));
  statement_.reset(statement);
}

void SqliteStatement::check(int status) const {
  if (status != SQLITE_OK) database_.fail("cannot be used");
}

SqliteStatement& SqliteStatement::bind(int parameter, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), parameter + 1, value));
  return *this;
}

SqliteStatement& SqliteStatement::bind(int parameter, const std::string& text) {
  check(sqlite3_bind_text64(statement_.get(), parameter + 1, text.data(), text.size(),
                            SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

SqliteStatement& SqliteStatement::bind_null(int parameter) {
  check(sqlite3_bind_null(statement_.get(), parameter + 1));
  return *this;
}

void SqliteStatement::run() {
  step();
  check(sqlite3_reset(statement_.get()));
}

bool SqliteStatement::step() {
  const int status = sqlite3_step(statement_.get());
  if (status != SQLITE_ROW && status != SQLITE_DONE) database_.fail("cannot be written");
  return status == SQLITE_ROW;
}

std::int64_t SqliteStatement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string SqliteStatement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_.get(), column);
  return text == nullptr
             ? ""
             : std::string(
                   reinterpret_cast<const char*>(text),
                   static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)));
}

bool SqliteStatement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

}  // namespace kernbench
