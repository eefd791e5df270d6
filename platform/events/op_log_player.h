// LogPlayer: plays back an operation log. Its events appear on the ports of an Observation, for
// reports that also subscribe to a machine:
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
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "models/protocol/observation.h"
#include "platform/assembly/machine_root.h"
#include "platform/events/event_source.h"
#include "platform/events/opened_log.h"

namespace kernbench {

class LogPlayer final : public OpenedLog, public EventSource {
 public:
  explicit LogPlayer(const std::string& path);
  ~LogPlayer() override;

  // Writes all events. Throws UsageError for a value that no log contains, or a fault of SQLite.
  void play();

 private:
  struct Scope;
  class Merge;
  class RowPlayer;

  void add_messages(Merge& events);
  void add_commands(Merge& events);
  void add_operations(Merge& events);
  void add_ends(Merge& events);
  void play_rows();
  void write(const CommandRow& row, TraceKind kind, Fs time);
  const sc_core::sc_object* node(const std::string& name);
  const sc_core::sc_object* node_of(const std::string& pe, const char* engine);
  Scope* scope(const std::string& name);

  Observation observation_;                    // used by the base only after the first event
  std::deque<std::unique_ptr<Scope>> scopes_;  // the root scope first
  std::optional<MachineRoot> root_;
  std::unordered_map<std::string, Scope*> by_name_;  // for look-up only
  std::unordered_set<std::string> names_;            // names of operations; for look-up only
};

}  // namespace kernbench
