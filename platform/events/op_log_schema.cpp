#include "platform/events/op_log_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {

const char* name_of(KernelWait::Reason reason) {
  constexpr std::array<const char*, 4> names{"command", "send", "receive", "barrier"};
  return names.at(static_cast<std::size_t>(reason));
}

const char* name_of(KernelWait::CommandKind kind) {
  constexpr std::array<const char*, 5> names{"none", "dma", "gemm", "math", "composite"};
  return names.at(static_cast<std::size_t>(kind));
}

void refuse_name(const std::string& text, const char* table, const char* column,
                 const std::vector<const char*>& names) {
  throw UsageError(fmt::format("has {} in column '{}' of table '{}'; allowed: {}", quote(text),
                               column, table, fmt::join(names, ", ")));
}

void refuse_negative(std::int64_t value, const char* table, const char* column) {
  throw UsageError(fmt::format("has {} in column '{}' of table '{}', which is never negative",
                               value, column, table));
}

void refuse_interval(Fs before, const char* column_before, Fs value, const char* table,
                     const char* column) {
  throw UsageError(fmt::format("has {} in column '{}' of table '{}', before {} in column '{}'",
                               value, column, table, before, column_before));
}

std::string create_statement(const char* table, const std::vector<ColumnText>& columns) {
  std::string text;
  for (const ColumnText& column : columns) {
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", column.name, column.type,
                        column.use == ColumnUse::key ? " PRIMARY KEY"
                        : column.is_optional         ? ""
                                                     : " NOT NULL");
  }
  return fmt::format("CREATE TABLE {} ({});\n", table, text);
}

std::string insert_statement(const char* table, std::size_t columns) {
  const std::vector<const char*> places(columns, "?");
  return fmt::format("INSERT INTO {} VALUES ({})", table, fmt::join(places, ", "));
}

std::string select_statement(const char* table, const std::vector<ColumnText>& columns,
                             bool records, const std::string& rest) {
  std::vector<const char*> names;
  for (const ColumnText& column : columns)
    if (records || column.use != ColumnUse::record) names.push_back(column.name);
  return fmt::format("SELECT {} FROM {} {}", fmt::join(names, ", "), table, rest);
}

std::string index_statement(const char* table, const std::string& columns) {
  return fmt::format("CREATE INDEX {0}_by_{1} ON {0} ({2});\n", table,
                     columns.substr(0, columns.find(',')), columns);
}

}  // namespace kernbench
