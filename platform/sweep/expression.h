// Expression in SQL over named values: conditions on points and derived columns of a sweep. SQLite
// evaluates it in a database of its own without tables, where it can read nothing else.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace kernbench {

class Expression {
 public:
  // `names`: the values that the expression may use; a name with a dot is written in double quotes.
  // Throws UsageError with SQLite's message, and with the nearest name for an unknown one.
  Expression(const std::string& text, const std::vector<std::string>& names);
  ~Expression();
  Expression(Expression&&) noexcept = default;

  // Whether the expression is true (neither 0 nor NULL) for these values, in the order of the
  // names. Texts that are numbers are numbers. UsageError: it cannot be evaluated.
  bool holds(const std::vector<std::string>& values) const;

  // Name in the expression that none of `names` is; none: it is valid. Throws UsageError for other
  // faults.
  static std::optional<std::string> unknown_name(const std::string& text,
                                                 const std::vector<std::string>& names);

 private:
  struct CloseDatabase {
    void operator()(sqlite3* database) const;
  };
  struct FinalizeStatement {
    void operator()(sqlite3_stmt* statement) const;
  };
  using Database = std::unique_ptr<sqlite3, CloseDatabase>;
  using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;
  static Database open();
  static Statement prepare(sqlite3* database, const std::string& text,
                           const std::vector<std::string>& names);

  Database database_;
  Statement statement_;
};

// Name in the form of SQL: "a.b" in quotes, quotes doubled.
std::string sql_name(const std::string& name);

}  // namespace kernbench
