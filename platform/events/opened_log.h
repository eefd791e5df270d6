// OpenedLog: an operation log written by `run --op-log F.sqlite`, opened read-only, with the facts
// and launches of its run.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "platform/events/op_log_schema.h"

namespace kernbench {

class OpenedLog {
 public:
  // Throws UsageError if the file is unreadable, no SQLite database, truncated, not a complete
  // operation log, without one of its tables, or of another schema version.
  explicit OpenedLog(const std::string& path);

  const std::string& path() const { return path_; }
  // `meta`: "bench", "topology", "command_line", ...; empty if there is none.
  const std::string& fact(const std::string& key) const;
  std::string bench() const;                                            // without its parameters
  bool has_completed() const { return fact("status") == "completed"; }  // the run itself completed
  std::string status() const;  // "completed"; "failed: kernel 'k' ..."
  // Launches in the order of issue.
  const std::vector<LaunchRow>& launches() const { return launches_; }

 protected:
  const SQLite::Database& database() const { return database_; }
  // Runs `body` and converts its faults to errors that name the file.
  void reading(const std::function<void()>& body) const;

 private:
  void read_meta();
  void check_tables();
  void read_launches();

  std::string path_;
  SQLite::Database database_;
  std::map<std::string, std::string> facts_;
  std::vector<LaunchRow> launches_;
};

}  // namespace kernbench
