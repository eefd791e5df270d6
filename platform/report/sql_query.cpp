#include "platform/report/sql_query.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <vector>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/output/table.h"

namespace kernbench {
namespace {

using Database = std::unique_ptr<sqlite3, int (*)(sqlite3*)>;
using Statement = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;
using Json = nlohmann::ordered_json;

UsageError fault(const std::string& what) { return UsageError("--sql: " + what); }

Database open(const std::string& path) {
  sqlite3* handle = nullptr;
  const int status = sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READONLY, nullptr);
  Database database(handle, &sqlite3_close);
  if (status != SQLITE_OK)
    throw UsageError(fmt::format("{} cannot be opened: {}", quote(path), sqlite3_errstr(status)));
  return database;
}

Statement prepare(sqlite3* database, const char*& sql) {
  sqlite3_stmt* handle = nullptr;
  const int status = sqlite3_prepare_v2(database, sql, -1, &handle, &sql);
  Statement statement(handle, &sqlite3_finalize);
  if (status != SQLITE_OK) throw fault(sqlite3_errmsg(database));
  return statement;
}

// SQLite parses up to the end of the first statement; only blanks and comments may follow.
Statement only_query(sqlite3* database, const std::string& sql) {
  const char* rest = sql.c_str();
  Statement statement = prepare(database, rest);
  if (!statement) throw fault("no statement");
  while (*rest != '\0')
    if (prepare(database, rest)) throw fault("more than one statement");
  if (sqlite3_stmt_readonly(statement.get()) == 0)
    throw fault("the statement writes; an operation log is only read");
  if (sqlite3_column_count(statement.get()) == 0)
    throw fault("the statement returns no rows; allowed are queries, such as SELECT");
  return statement;
}

bool next(sqlite3* database, sqlite3_stmt* statement) {
  const int status = sqlite3_step(statement);
  if (status == SQLITE_ROW) return true;
  if (status != SQLITE_DONE) throw fault(sqlite3_errmsg(database));
  return false;
}

std::string bytes_of(sqlite3_stmt* statement, int column) {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
  const int size = sqlite3_column_bytes(statement, column);
  return bytes == nullptr ? "" : std::string(bytes, static_cast<std::size_t>(size));
}

// Blob as hexadecimal digits.
std::string hex_of(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string text_of(sqlite3_stmt* statement, int column) {
  if (sqlite3_column_type(statement, column) == SQLITE_BLOB)
    return hex_of(bytes_of(statement, column));
  const auto* text = sqlite3_column_text(statement, column);
  return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

Json json_of(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
      return nullptr;
    case SQLITE_INTEGER:
      return sqlite3_column_int64(statement, column);
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    default:
      return text_of(statement, column);
  }
}

std::vector<std::string> names_of(sqlite3_stmt* statement) {
  std::vector<std::string> names;
  for (int column = 0; column < sqlite3_column_count(statement); ++column)
    names.emplace_back(sqlite3_column_name(statement, column));
  return names;
}

void write_json(sqlite3* database, sqlite3_stmt* statement, std::ostream& out) {
  const std::vector<std::string> names = names_of(statement);
  out << "{\"rows\": [";
  for (bool first = true; next(database, statement); first = false) {
    Json row = Json::object();
    for (std::size_t column = 0; column < names.size(); ++column)
      row[names[column]] = json_of(statement, static_cast<int>(column));
    out << (first ? "\n" : ",\n") << "  "
        << row.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  out << "\n]}\n";
}

void write_csv(sqlite3* database, sqlite3_stmt* statement, std::ostream& out) {
  const std::vector<std::string> names = names_of(statement);
  for (std::size_t column = 0; column < names.size(); ++column)
    out << (column == 0 ? "" : ",") << csv_field(names[column]);
  out << '\n';
  while (next(database, statement)) {
    for (std::size_t column = 0; column < names.size(); ++column)
      out << (column == 0 ? "" : ",") << csv_field(text_of(statement, static_cast<int>(column)));
    out << '\n';
  }
}

// Long values are cut.
void write_text(sqlite3* database, sqlite3_stmt* statement, std::ostream& out) {
  const std::vector<std::string> names = names_of(statement);
  std::vector<std::vector<std::string>> rows;
  std::vector<bool> numbers(names.size(), true);
  while (next(database, statement)) {
    rows.emplace_back();
    for (std::size_t column = 0; column < names.size(); ++column) {
      const int type = sqlite3_column_type(statement, static_cast<int>(column));
      if (type == SQLITE_TEXT || type == SQLITE_BLOB) numbers[column] = false;
      rows.back().push_back(printable(text_of(statement, static_cast<int>(column))));
    }
  }
  std::vector<Table::Column> columns;
  for (std::size_t column = 0; column < names.size(); ++column)
    columns.push_back({names[column], numbers[column] ? Table::Align::right : Table::Align::left});
  Table table(std::move(columns));
  for (std::vector<std::string>& row : rows) table.add(row_of(std::move(row)));
  out << table.text();
}

}  // namespace

void run_query(const std::string& path, const std::string& sql, QueryFormat format,
               std::ostream& out) {
  const Database database = open(path);
  const Statement statement = only_query(database.get(), sql);
  if (format == QueryFormat::json) return write_json(database.get(), statement.get(), out);
  if (format == QueryFormat::csv) return write_csv(database.get(), statement.get(), out);
  write_text(database.get(), statement.get(), out);
}

}  // namespace kernbench
