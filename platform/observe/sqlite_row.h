// Inserting rows into a SQLite database, with faults as Errors that name it.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {

// `body`, with faults of SQLite as Errors that name the database; "": a temporary one.
template <class Body>
void guarded_sqlite(const std::string& path, const char* fault, Body body) {
  try {
    body();
  } catch (const SQLite::Exception& error) {
    throw Error(fmt::format("{} {}: {}", path.empty() ? "a temporary SQLite database" : quote(path),
                            fault, error.what()));
  }
}

// Binds the values of a row one after the other.
class SqliteRow {
 public:
  explicit SqliteRow(SQLite::Statement& statement) : statement_(statement) {}
  SqliteRow& add(std::uint64_t value) { return add_signed(static_cast<std::int64_t>(value)); }
  SqliteRow& add_signed(std::int64_t value) { return statement_.bind(++column_, value), *this; }
  SqliteRow& add(const std::string& text) { return statement_.bind(++column_, text), *this; }
  SqliteRow& add(const std::optional<std::uint64_t>& value) {
    return value ? add(*value) : add_null();
  }
  SqliteRow& add_null() { return statement_.bind(++column_), *this; }
  void insert() {
    statement_.exec();
    statement_.reset();
  }

 private:
  SQLite::Statement& statement_;
  int column_ = 0;
};

}  // namespace kernbench
