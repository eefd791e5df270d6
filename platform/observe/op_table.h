// The operation log as tables of a SQLite database:
//
//   meta   key, value: schema_version, and what the caller adds
//   ops    id, t_start_fs, t_end_fs, node, kind, name, command, tile, bytes, macs, text, params,
//          inputs, outputs
//   listed the same, by t_start, ties by id
//
//   launches, runs, waits, slot_waits, commands, messages    progress of kernels (progress_log.h)
//
// docs/op-log.md names every column. `text` describes the data op for people, `params` holds it as
// JSON, typed, for SQLite's JSON functions; `inputs` and `outputs` are JSON lists of value ids,
// null for tile stages and with data off.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/data/op_log.h"
#include "platform/observe/progress_rows.h"

namespace kernbench {

// Every fault is an Error with SQLite's text.
class OpTable {
 public:
  static constexpr int schema_version = 4;
  using Meta = std::vector<std::pair<std::string, std::string>>;

  // Creates the tables in an empty file; "": in a temporary one, for write_csv(), without the JSON
  // of `params`.
  explicit OpTable(const std::string& path);

  void insert(const std::vector<OpRecord>& records, const NodeName& node_name);
  void insert(const ProgressRows& rows);
  // Numbers them from 1 on, and names the launch of each run; once, after the last run.
  void insert(const std::vector<LaunchRow>& launches);
  void write_csv(std::ostream& out);  // as OpLog does
  // Adds indices and meta, and closes the database.
  void close(const Meta& meta);

 private:
  void insert_one(const OpRecord& record, const NodeName& node_name);

  std::string path_;
  std::optional<SQLite::Database> database_;  // none: closed
  std::optional<SQLite::Statement> insert_;   // ends before its database
};

}  // namespace kernbench
