// A query of the user's on an operation log: one statement that returns rows and writes nothing.
#pragma once

#include <iosfwd>
#include <string>

namespace kernbench {

enum class QueryFormat { text, csv, json };

// The database is opened read-only. Throws UsageError with SQLite's text, or for a statement that
// writes, returns no rows, or is not alone.
void run_query(const std::string& path, const std::string& sql, QueryFormat format,
               std::ostream& out);

}  // namespace kernbench
