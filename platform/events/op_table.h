// OpTable: the operation log as a SQLite database (op_log_schema.h).
//
//   meta    key, value: schema_version, and entries of the caller
//   listed  operations by t_start_fs, ties by id
//
// `text` of an operation is a readable description of its data op, `params` is typed JSON for
// SQLite's JSON functions; `inputs` and `outputs` are JSON lists of value ids, null for tile stages
// and with data off.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/events/op_log_schema.h"

namespace kernbench {

// Every fault is an Error with SQLite's text.
class OpTable {
 public:
  using Meta = std::vector<std::pair<std::string, std::string>>;

  // Creates the tables in an empty file; "": in a temporary one, for write_csv(), without the JSON
  // of `params`.
  explicit OpTable(const std::string& path);

  void insert(const std::vector<OpRecord>& records, const NodeName& node_name);
  template <class Row>
  void insert(const std::vector<Row>& rows) {
    if (rows.empty()) return;
    transaction([&](SQLite::Database& database) {
      SQLite::Statement into = insertion<Row>(database);
      for (const Row& row : rows) insert_row(into, row);
    });
  }
  // Numbers the launches from 1 on, and stores the launch of each run. Called once, after the last
  // run.
  void insert(std::vector<LaunchRow> launches);
  void write_csv(std::ostream& out);  // same format as OpLog
  // Adds indices and meta, and closes the database.
  void close(const Meta& meta);

 private:
  template <class Row>
  static SQLite::Statement insertion(SQLite::Database& database) {
    return {database, insert_statement(Row::table, column_texts<Row>().size())};
  }
  void guarded(const char* fault, const std::function<void()>& body) const;
  void transaction(const std::function<void(SQLite::Database&)>& body);

  std::string path_;
  std::optional<SQLite::Database> database_;  // none: closed
};

}  // namespace kernbench
