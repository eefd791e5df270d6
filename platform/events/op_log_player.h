// LogPlayer: plays back an operation log written by `run --op-log F.sqlite`, opened read-only. Its
// events appear on the ports of an Observation, for reports that also subscribe to a machine:
//
//   LogPlayer log("run.sqlite");
//   PeTimes times(log.observation());
//   log.play();
//
// Events: executed operations, starts and runs of kernels, waits of kernels and for the accel_slot,
// progress of messages, and among trace events the submission, first dispatch and completion of
// commands. Order: by end time; at the same time messages and commands, operations, waits, starts
// of kernels, runs of kernels; within one kind the order of the run. The rows of the run follow.
// Nodes are empty modules in a hierarchy of the names in the log: nothing is simulated. A log does
// not contain values and tile tasks of operations, nor bytes and stages of trace events.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "models/protocol/observation.h"
#include "platform/assembly/machine_root.h"
#include "platform/events/event_source.h"
#include "platform/events/op_log_schema.h"

namespace kernbench {

class LogPlayer final : public EventSource {
 public:
  // Throws UsageError if the file is unreadable, no SQLite database, truncated, not a complete
  // operation log, without one of its tables, or of another schema version.
  explicit LogPlayer(const std::string& path);
  ~LogPlayer() override;

  const std::string& path() const { return path_; }
  // `meta`: "bench", "topology", "command_line", ...; empty if there is none.
  const std::string& fact(const std::string& key) const;
  std::string bench() const;                                            // without its parameters
  bool has_completed() const { return fact("status") == "completed"; }  // the run itself completed
  std::string status() const;  // "completed"; "failed: kernel 'k' ..."
  // Launches in the order of issue.
  const std::vector<LaunchRow>& launches() const { return launches_; }

  // Writes all events. Throws UsageError for a value that no log contains, or a fault of SQLite.
  void play();

 private:
  struct Scope;
  class Merge;
  class RowPlayer;

  void read_meta();
  void check_tables();
  void read_launches();
  void add_messages(Merge& events);
  void add_commands(Merge& events);
  void add_operations(Merge& events);
  void add_ends(Merge& events);
  void play_rows();
  void write(const CommandRow& row, TraceKind kind, Fs time);
  const sc_core::sc_object* node(const std::string& name);
  const sc_core::sc_object* node_of(const std::string& pe, const char* engine);
  Scope* scope(const std::string& name);

  std::string path_;
  SQLite::Database database_;
  std::map<std::string, std::string> facts_;
  std::vector<LaunchRow> launches_;
  Observation observation_;                    // used by the base only after the first event
  std::deque<std::unique_ptr<Scope>> scopes_;  // the root scope first
  std::optional<MachineRoot> root_;
  std::unordered_map<std::string, Scope*> by_name_;  // for look-up only
  std::unordered_set<std::string> names_;            // names of operations; for look-up only
};

}  // namespace kernbench
