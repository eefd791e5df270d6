// PeLogs: reports of the PEs of a run in memory, with queries for events that ended at a time.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "platform/events/ordered_ops.h"
#include "platform/events/progress_log.h"
#include "platform/report/operation_names.h"

namespace kernbench {

struct LoggedOp {
  std::uint64_t id = 0;  // as in the operation log
  Fs start = 0, end = 0;
  const OperationName* is = nullptr;
  std::uint64_t command = 0;
  std::int64_t tile = -1;
  std::uint32_t stream = 0;
};

class PeLog {
 public:
  explicit PeLog(std::string pe) : pe_(std::move(pe)) {}

  const std::string& pe() const { return pe_; }
  const std::vector<const RunRow*>& runs() const { return runs_; }     // by end
  const std::vector<const WaitRow*>& waits() const { return waits_; }  // by end
  const std::vector<const MessageRow*>& received() const { return received_; }

  // Last operation that has ended by then, with the largest id among equal ones; null: none.
  // Composites, sends and receives are excluded.
  const LoggedOp* last_of_part(const LoggedOp& like, Fs by) const;
  const LoggedOp* last_compute(Fs by) const { return last_of(compute_, by); }
  const LoggedOp* last_of_tile(const LoggedOp& like, Fs by) const;
  const LoggedOp* last_of_command(std::uint64_t command, Fs by) const;
  // Operations that end at that time.
  std::vector<const LoggedOp*> ops_ending_at(Fs time) const;

  // Last wait of the run that has ended by then.
  const WaitRow* last_wait(const RunRow& run, Fs by) const;
  const WaitRow* wait_ending_at(KernelWait::Reason reason, Fs time) const;
  // Run of the stream that began last by then.
  const RunRow* run_at(std::uint32_t stream, Fs time) const;
  // Last run that had ended when this run began: of its stream, or of an earlier launch of another
  // stream, which it may have followed.
  const RunRow* run_before(const RunRow& run) const;
  // Commands that have completed.
  const CommandRow* command(std::uint64_t id) const;
  const CommandRow* dispatched_before(const CommandRow& command) const;
  // Last command of the run's stream that completed by then, after its kernel had returned.
  const CommandRow* completed(const RunRow& run, Fs by) const;
  std::uint32_t stream_of(const CommandRow& command) const;

  // Messages that have been consumed. received_by(): the message that ended the receive, with the
  // delivery of its credit or, without a wait for that, with its end; null: none.
  const MessageRow* received_by(const WaitRow& receive) const;
  const WaitRow* receive_of(const MessageRow& message) const;
  // Message whose slot had been read when the receive of this one had its turn; null: none.
  const MessageRow* read_before(const MessageRow& message) const;
  // First message sent at that time: the others were sent without a wait.
  const MessageRow* sent_at(Fs time) const;
  const MessageRow* written_at(Fs time, std::uint64_t not_id) const;
  // Message whose credit a send needed: the previous one in its slot, or an earlier one whose
  // credit arrived later; null: the slot had none.
  const MessageRow* freed_for(const MessageRow& sent) const;

 private:
  friend class PeLogs;                      // fills it
  using Places = std::vector<std::size_t>;  // in ops_, ascending
  using Messages = std::vector<const MessageRow*>;

  void sort();
  void find_credits();
  const LoggedOp* last_of(const Places& places, Fs by) const;
  const MessageRow* consumed_at(Fs time) const;

  std::string pe_;
  bool sorted_ = false;
  std::vector<LoggedOp> ops_;  // by end, ties by id
  Places compute_;
  std::map<std::pair<std::string, std::string>, Places> by_part_;     // engine, part
  std::map<std::pair<std::uint64_t, std::int64_t>, Places> by_tile_;  // command, tile
  std::unordered_map<std::uint64_t, Places> by_command_;
  std::vector<const WaitRow*> waits_;
  std::vector<const RunRow*> runs_;
  std::unordered_map<std::uint64_t, std::uint32_t> streams_of_commands_;
  std::vector<const CommandRow*> commands_, by_dispatch_;  // by completion, by dispatch
  std::unordered_map<std::uint64_t, const CommandRow*> commands_by_id_;
  Messages received_, by_visibility_, by_consumption_;  // received_: by the time of consumption
  Messages sent_, by_sending_;                          // sent_: by ring, in the order of sending
  std::unordered_map<std::uint64_t, const MessageRow*> freed_for_;  // by id of the message sent
};

class PeLogs final {
 public:
  explicit PeLogs(Observation& observation)
      : progress_(observation),
        ordered_(observation, [this](std::uint64_t id, const ExecutedOp& op) { add(id, op); }) {}

  // Called after the last event.
  void close(std::vector<LaunchRow> launches);
  const std::vector<LaunchRow>& launches() const { return launches_; }  // in the order of issue
  const ProgressRows& rows() const { return rows_; }
  const PeLog& operator[](const std::string& pe);
  const std::map<std::string, PeLog>& pes() const { return pes_; }  // for runs() and waits()

 private:
  void add(std::uint64_t id, const ExecutedOp& op);
  PeLog& pe(const std::string& name) { return pes_.try_emplace(name, name).first->second; }

  std::map<std::string, PeLog> pes_;
  OperationNames names_;
  std::vector<PeLog*> places_;  // by OperationName::place
  ProgressLog progress_;
  ProgressRows rows_;
  std::vector<LaunchRow> launches_;
  OrderedOps ordered_;
};

}  // namespace kernbench
