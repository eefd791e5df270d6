// User query on an operation log: one statement that returns rows and writes nothing.
#pragma once

#include <iosfwd>
#include <string>

namespace kernbench {

enum class QueryFormat { text, csv, json };

// Opens the database read-only. Throws UsageError with SQLite's text, or for a statement that
// writes, returns no rows, or is followed by another.
void run_query(const std::string& path, const std::string& sql, QueryFormat format,
               std::ostream& out);

}  // namespace kernbench
