#include "platform/sweep/expression.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/nearest_name.h"
#include "platform/sweep/axis_values.h"

namespace kernbench {
namespace {

int authorize(void* /*unused*/, int action, const char* /*a*/, const char* function,
              const char* /*database*/, const char* /*trigger*/) {
  const bool allowed = action == SQLITE_SELECT || action == SQLITE_READ ||
                       (action == SQLITE_FUNCTION && std::string(function) != "load_extension");
  return allowed ? SQLITE_OK : SQLITE_DENY;
}

// Name in SQLite's message about an unknown column; "" for other messages.
std::string unknown_column(const std::string& message) {
  const std::string start = "no such column: ";
  return message.compare(0, start.size(), start) == 0 ? message.substr(start.size()) : "";
}

class UnknownColumn final : public UsageError {
 public:
  UnknownColumn(const std::string& what, std::string column)
      : UsageError(what), name(std::move(column)) {}
  std::string name;
};

}  // namespace

std::string sql_name(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

void Expression::CloseDatabase::operator()(sqlite3* database) const { sqlite3_close(database); }
void Expression::FinalizeStatement::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Expression::Database Expression::open() {
  sqlite3* handle = nullptr;
  const int status = sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE, nullptr);
  Database database(handle);
  if (status != SQLITE_OK)
    throw Error(fmt::format("SQLite cannot be used: {}", sqlite3_errstr(status)));
  // Otherwise an unknown name in double quotes is a text.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  sqlite3_set_authorizer(handle, &authorize, nullptr);
  return database;
}

Expression::Statement Expression::prepare(sqlite3* database, const std::string& text,
                                          const std::vector<std::string>& names) {
  std::string row;
  for (std::size_t i = 0; i < names.size(); ++i)
    row += fmt::format("{}?{} AS {}", i == 0 ? "" : ", ", i + 1, sql_name(names[i]));
  // On lines of its own: a comment at its end does not hide the rest.
  const std::string sql =
      fmt::format("SELECT (\n{}\n) FROM (SELECT {})", text, row.empty() ? "1" : row);
  sqlite3_stmt* handle = nullptr;
  const char* rest = nullptr;
  const int status = sqlite3_prepare_v2(database, sql.c_str(), -1, &handle, &rest);
  Statement statement(handle);
  if (status != SQLITE_OK) {
    const std::string message = sqlite3_errmsg(database);
    const std::string unknown = unknown_column(message);
    const auto count = [&text](char c) { return std::count(text.begin(), text.end(), c); };
    if (message == "near \")\": syntax error" && count(')') <= count('('))
      throw UsageError("syntax error: the expression is not complete");
    if (unknown.empty()) throw UsageError(message);
    throw UnknownColumn(fmt::format("{}{}; known here: {}", message, did_you_mean(unknown, names),
                                    listed(names, "nothing")),
                        unknown);
  }
  if (*rest != '\0' || sqlite3_column_count(handle) != 1)
    throw UsageError("found more than one expression");
  return statement;
}

Expression::Expression(const std::string& text, const std::vector<std::string>& names)
    : database_(open()), statement_(prepare(database_.get(), text, names)) {}

Expression::~Expression() = default;

bool Expression::holds(const std::vector<std::string>& values) const {
  sqlite3_stmt* const statement = statement_.get();
  sqlite3_reset(statement);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int at = static_cast<int>(i) + 1;
    if (const std::optional<double> number = number_of(values[i])) {
      sqlite3_bind_double(statement, at, *number);
    } else {
      sqlite3_bind_text(statement, at, values[i].data(), static_cast<int>(values[i].size()),
                        SQLITE_STATIC);
    }
  }
  if (sqlite3_step(statement) != SQLITE_ROW) throw UsageError(sqlite3_errmsg(database_.get()));
  const bool holds = sqlite3_column_double(statement, 0) != 0;
  sqlite3_reset(statement);
  return holds;
}

std::optional<std::string> Expression::unknown_name(const std::string& text,
                                                    const std::vector<std::string>& names) {
  const Database database = open();
  try {
    prepare(database.get(), text, names);
  } catch (const UnknownColumn& error) {
    return error.name;
  }
  return std::nullopt;
}

}  // namespace kernbench
