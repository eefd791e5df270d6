// PeLogs: what the PEs of a run have reported, in memory, and answers to "what ended then".
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/protocol/observation.h"
#include "platform/events/op_log_schema.h"
#include "platform/inspect/operation_names.h"

namespace kernbench {

struct LoggedOp {
  std::uint64_t id = 0;  // order of the reports, from 1
  Fs start = 0, end = 0;
  const OperationName* is = nullptr;
  std::uint64_t command = 0;
  std::int64_t tile = -1;
  std::uint32_t stream = 0;  // of the launch, here and below
};

struct LoggedWait {
  KernelWait::Reason reason = KernelWait::Reason::command;
  std::uint64_t command = 0;
  Fs start = 0, end = 0;
  std::uint32_t stream = 0;
};

struct LoggedRun {
  std::string request, kernel;
  Fs start = 0, returned = 0, end = 0;
  std::uint32_t stream = 0;
  std::uint64_t launch = 0;  // 0: of none that has ended
};

struct LoggedCommand {
  std::uint64_t id = 0;
  Fs submitted = 0, dispatched = 0, completed = never_fs;
  std::uint32_t stream = 0;
};

// A message that has been consumed.
struct LoggedMessage {
  std::uint64_t id = 0, ring = 0, number = 0, slot = 0, bytes = 0;  // id: order of sending, from 1
  std::string sender, receiver;
  Fs sent = 0, arrived = 0, write = 0, visible = 0, taken = 0, consumed = 0, credit = 0;
  std::uint32_t send_stream = 0, receive_stream = 0;
};

class PeLog {
 public:
  explicit PeLog(std::string pe) : pe_(std::move(pe)) {}

  const std::string& pe() const { return pe_; }
  const std::vector<LoggedRun>& runs() const { return runs_; }  // by end
  const std::vector<LoggedWait>& waits() const { return waits_; }
  const std::vector<const LoggedMessage*>& received() const { return received_; }

  // The last one, of equal ones that with the largest id, that has ended by then; null: none.
  // Composites, sends and receives are not among them.
  const LoggedOp* last_of_part(const LoggedOp& like, Fs by) const;
  const LoggedOp* last_compute(Fs by) const { return last_of(compute_, by); }
  const LoggedOp* last_of_tile(const LoggedOp& like, Fs by) const;
  const LoggedOp* last_of_command(std::uint64_t command, Fs by) const;
  // Those that end at that instant.
  std::vector<const LoggedOp*> ops_ending_at(Fs time) const;

  // The last one of the run that has ended by then.
  const LoggedWait* last_wait(const LoggedRun& run, Fs by) const;
  const LoggedWait* wait_ending_at(KernelWait::Reason reason, Fs time) const;
  // That of the stream that has begun last by then.
  const LoggedRun* run_at(std::uint32_t stream, Fs time) const;
  // The last one that had ended when the run began: of its stream, or of an earlier launch of
  // another stream, which it may have followed.
  const LoggedRun* run_before(const LoggedRun& run) const;
  const LoggedCommand* command(std::uint64_t id) const;
  const LoggedCommand* dispatched_before(const LoggedCommand& command) const;
  // The last one of the run's stream that completed by then, after its kernel had returned.
  const LoggedCommand* completed(const LoggedRun& run, Fs by) const;

  // The message that a receive ended with: with the delivery of its credit or, if it does not wait
  // for that, with its end; null: none.
  const LoggedMessage* received_by(const LoggedWait& receive) const;
  const LoggedWait* receive_of(const LoggedMessage& message) const;
  // That whose slot had been read when the receive of this one had its turn; null: none.
  const LoggedMessage* read_before(const LoggedMessage& message) const;
  // Of several at one instant the first: the others were sent without a wait.
  const LoggedMessage* sent_at(Fs time) const;
  const LoggedMessage* written_at(Fs time, std::uint64_t not_id) const;
  // That whose credit a send needed: the one before in its slot, or the one before that whose
  // credit came later; null: the slot had none.
  const LoggedMessage* freed_for(const LoggedMessage& sent) const;

 private:
  friend class PeLogs;                      // fills it
  using Places = std::vector<std::size_t>;  // in ops_, ascending
  using Messages = std::vector<const LoggedMessage*>;

  void add(const LoggedOp& op);
  void add(const LoggedWait& wait);
  void sort();  // after the last event
  void sort_ops();
  void sort_commands();
  void find_credits();
  const LoggedOp* last_of(const Places& places, Fs by) const;
  const LoggedMessage* consumed_at(Fs time) const;
  std::uint32_t stream_at(Fs time) const;  // of the run that has begun last by then

  std::string pe_;
  bool sorted_ = false;
  std::vector<LoggedOp> ops_;  // by end, ties by id
  Places compute_;
  std::map<std::pair<std::string, std::string>, Places> by_part_;     // engine, part
  std::map<std::pair<std::uint64_t, std::int64_t>, Places> by_tile_;  // command, tile
  std::unordered_map<std::uint64_t, Places> by_command_;
  std::vector<LoggedWait> waits_;  // by end
  std::vector<LoggedRun> runs_;
  std::unordered_map<std::uint64_t, std::uint32_t> streams_of_commands_;
  std::map<std::uint64_t, LoggedCommand> commands_;
  std::vector<const LoggedCommand*> by_dispatch_, by_completion_;
  Messages received_;  // by the time at which they were taken
  Messages by_visibility_, by_consumption_;
  Messages sent_;  // by ring, in the order of sending
  Messages by_sending_;
  std::unordered_map<std::uint64_t, const LoggedMessage*> freed_for_;  // by id of the message sent
};

class PeLogs final : private tlm::tlm_analysis_if<ExecutedOp>,
                     private tlm::tlm_analysis_if<TraceEvent>,
                     private tlm::tlm_analysis_if<KernelRun>,
                     private tlm::tlm_analysis_if<KernelWait>,
                     private tlm::tlm_analysis_if<MessageProgress> {
 public:
  explicit PeLogs(Observation& observation);

  // After the last event.
  void close(const std::vector<LaunchRow>& launches);
  const std::vector<LaunchRow>& launches() const { return launches_; }
  const PeLog& operator[](const std::string& pe);
  const std::map<std::string, PeLog>& pes() const { return pes_; }  // not sorted each

 private:
  void write(const ExecutedOp& op) override;
  void write(const TraceEvent& event) override;
  void write(const KernelRun& run) override;
  void write(const KernelWait& wait) override;
  void write(const MessageProgress& step) override;
  PeLog& pe_of(const sc_core::sc_object& node);

  std::map<std::string, PeLog> pes_;
  std::unordered_map<const sc_core::sc_object*, PeLog*> by_node_;  // for look-up only
  OperationNames names_;
  std::uint64_t ops_ = 0, sent_ = 0;
  // By installation, slot and number, until they are consumed.
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, LoggedMessage> in_flight_;
  std::deque<LoggedMessage> messages_;
  std::vector<LaunchRow> launches_;
  AnalysisBinding<ExecutedOp> executed_ops_;
  AnalysisBinding<TraceEvent> events_;
  AnalysisBinding<KernelRun> kernel_runs_;
  AnalysisBinding<KernelWait> kernel_waits_;
  AnalysisBinding<MessageProgress> steps_;
};

}  // namespace kernbench
