// A SQLite database, for writing and reading rows. Every fault is an Error with SQLite's text.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace kernbench {

class SqliteDatabase {
 public:
  // Creates the file if it is not there. "": a temporary database on disk that goes away with this
  // object.
  explicit SqliteDatabase(const std::string& path);
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;

  void execute(const std::string& sql);
  // Throws if something has not reached the file.
  void close();

 private:
  friend class SqliteStatement;
  [[noreturn]] void fail(const std::string& what) const;

  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> database_;
};

// A prepared statement; parameters and columns count from 0. Ends before its database is closed.
class SqliteStatement {
 public:
  SqliteStatement(SqliteDatabase& database, const std::string& sql);

  SqliteStatement& bind(int parameter, std::int64_t value);
  SqliteStatement& bind(int parameter, const std::string& text);
  SqliteStatement& bind_null(int parameter);
  void run();   // for statements without rows; may be bound and run again
  bool step();  // to the next row; false at the end
  std::int64_t integer(int column) const;
  std::string text(int column) const;
  bool is_null(int column) const;

 private:
  void check(int status) const;

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  SqliteDatabase& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

}  // namespace kernbench
