// Result file of a sweep (spec 10.6): a SQLite database with a row for each finished point.
//
// Tables: `points`, a row per finished point; `columns`, the name and role of its columns;
// `configurations`, what the points simulated; `requested`, all points of the plan; `meta`, facts.
// View `results`: the requested points in their order, with derived columns. A point is stored in
// one transaction, in WAL mode, so a process that is killed loses no finished point.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "platform/sweep/summary_columns.h"
#include "platform/sweep/sweep_columns.h"
#include "platform/sweep/sweep_configurations.h"
#include "platform/sweep/sweep_content.h"
#include "platform/sweep/sweep_plan.h"

namespace kernbench {

struct SweepRow {
  std::uint64_t point = 0;  // number in the plan, from 1; 0: no longer requested
  std::string key;          // hash of everything that determines the point but the version
  std::string status;       // "ok", "until" or "failed"
  std::string message, version, hash, command;
  std::string configuration;  // text that `hash` is of; may be empty
  SummaryColumns settings, summary;
};

// Part of a plan that a process runs: of `of` parts the one with this number, from 1.
struct SweepShard {
  std::uint64_t number = 1, of = 1;
  bool has(std::uint64_t point) const { return (point - 1) % of == number - 1; }
  std::uint64_t share_of(std::uint64_t points) const {
    return points / of + (number <= points % of ? 1 : 0);
  }
};

class SweepFile {
 public:
  // Opens the file for writing, or creates it. Throws UsageError that names the file: it is held by
  // another sweep, cannot be written, is no result file of a sweep, or has another schema version.
  explicit SweepFile(const std::string& path);
  ~SweepFile();
  SweepFile(const SweepFile&) = delete;
  SweepFile& operator=(const SweepFile&) = delete;

  const std::string& path() const { return path_; }
  const SweepFacts& facts() const { return facts_; }
  // Releases the lock in a worker process, so that the file is free when this process ends.
  void release_in_child() const;

  struct Stored {
    bool ok = false;
    std::string version;
  };
  std::map<std::string, Stored> stored() const;  // by key

  // Facts, and the columns that are axes. Replaces earlier ones.
  void describe(const SweepFacts& facts, const std::vector<std::string>& axes);
  // Points of the plan that the file is for, by number.
  std::vector<RequestedPoint> requested() const;
  // Replaces them. Results of other points stay in `points` without a number, but for those of
  // requested labels with other keys, which are dropped.
  void request(const std::vector<RequestedPoint>& points);
  // Fault of a write, for users: which file, and that nothing is lost.
  std::string write_fault(const std::exception& error) const;
  // Stores a point, instead of an earlier result of the same key. Throws Error: the disk is full.
  void store(const SweepRow& row);
  std::size_t columns() const { return columns_.size(); }
  std::vector<std::string> columns(ColumnRole role) const { return columns_.names(role); }
  // Stores all requested rows of another file, or those of these keys, in one transaction.
  void store_all(const std::string& path, const std::set<std::string>* keys = nullptr);

  // Defines the view `results`. Returns the faults of derived columns that it leaves out.
  std::vector<std::string> define_results(const std::vector<PlanExpression>& derived);
  // Writes the view as CSV, complete or not at all.
  void write_csv(const std::string& path) const;
  // Number of requested points with this status, and the first messages of failed ones by number.
  std::uint64_t count(const std::string& status) const;
  std::vector<std::pair<std::uint64_t, std::string>> failures(std::size_t most) const;

 private:
  void create();
  void read_facts();
  // Name of the stored column, which is added if it does not exist; "": there are too many.
  std::string column(const std::string& name, ColumnRole role);
  SQLite::Statement& insertion(const std::vector<std::string>& columns);
  void insert(const SweepRow& row);

  std::string path_;
  int lock_ = -1;
  std::unique_ptr<SQLite::Database> database_;
  std::unique_ptr<SweepConfigurations> configurations_;
  SweepFacts facts_;
  SweepColumns columns_;
  std::map<std::string, std::unique_ptr<SQLite::Statement>> insertions_;
};

// File next to the results: "a.sqlite" -> "a.csv". UsageError for a name without .sqlite, .sqlite3
// or .db.
std::string csv_next_to(const std::string& path);

}  // namespace kernbench
