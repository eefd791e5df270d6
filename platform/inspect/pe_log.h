// PeLog: what an operation log has about one PE, in memory, by time; read when it is first asked
// for.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/inspect/op_log_reader.h"

namespace kernbench {

struct LoggedOp {
  std::uint64_t id = 0;
  Fs start = 0, end = 0;
  std::string engine, part, name;  // "pe_dma", "dma_read", "tile/DMA_READ"
  std::uint64_t command = 0;
  std::int64_t tile = -1;
  std::uint32_t stream = 0;  // of the launch, here and below
};

struct LoggedWait {
  std::string reason;  // "command", "send", "receive", "barrier"
  std::uint64_t command = 0;
  Fs start = 0, end = 0;
  std::uint32_t stream = 0;
};

struct LoggedRun {
  std::uint64_t launch = 0;  // 0: of none that has ended
  std::string pe, kernel;
  Fs start = 0, returned = 0, end = 0;
  std::uint32_t stream = 0;
};

struct LoggedCommand {
  std::uint64_t id = 0;
  Fs submitted = 0, dispatched = 0, completed = never_fs;
  std::uint32_t stream = 0;
};

// A message that has been consumed.
struct LoggedMessage {
  std::uint64_t id = 0, ring = 0, number = 0, slot = 0, bytes = 0;
  std::string sender, receiver;
  Fs sent = 0, arrived = 0, write = 0, visible = 0, taken = 0, consumed = 0, credit = 0;
};

class PeLog {
 public:
  PeLog(const OpLogReader& log, const std::string& pe);

  const std::string& pe() const { return pe_; }

  // The last one, of equal ones that with the largest id, that has ended by then; null: none.
  // Composites, sends and receives are not among them.
  const LoggedOp* last_op(Fs by) const { return last_of(all_, by); }
  const LoggedOp* last_of_part(const LoggedOp& like, Fs by) const;
  const LoggedOp* last_compute(Fs by) const { return last_of(compute_, by); }
  const LoggedOp* last_of_tile(const LoggedOp& like, Fs by) const;
  const LoggedOp* last_of_command(std::uint64_t command, Fs by) const;
  // Those that end at that instant.
  std::vector<const LoggedOp*> ops_ending_at(Fs time) const;

  // The last one of the run that has ended by then.
  const LoggedWait* last_wait(const LoggedRun& run, Fs by) const;
  const LoggedWait* wait_ending_at(const std::string& reason, Fs time) const;
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
  // Of the kernel that has sent or received it; of several calls that ended then the first.
  std::uint32_t stream_of_send(const LoggedMessage& message) const;
  std::uint32_t stream_of_receive(const LoggedMessage& message) const;

 private:
  using Places = std::vector<std::size_t>;  // in ops_, ascending

  const LoggedOp* last_of(const Places& places, Fs by) const;
  const LoggedMessage* consumed_at(Fs time) const;
  std::uint32_t stream_at(Fs time) const;  // of the run that has begun last by then
  void read_ops(const OpLogReader& log);
  void read_progress(const OpLogReader& log);
  void read_messages(const OpLogReader& log);
  void find_credits();

  std::string pe_;
  std::vector<LoggedOp> ops_;  // by end, ties by id
  Places all_, compute_;
  std::map<std::pair<std::string, std::string>, Places> by_part_;     // engine, part
  std::map<std::pair<std::uint64_t, std::int64_t>, Places> by_tile_;  // command, tile
  std::map<std::uint64_t, Places> by_command_;
  std::map<std::uint32_t, std::vector<LoggedWait>> waits_;                // by stream; by end
  std::map<std::uint32_t, std::vector<LoggedRun>> runs_;                  // by stream; by start
  std::map<std::pair<std::string, Fs>, std::uint32_t> streams_of_calls_;  // "ipcq_send", end
  std::map<std::uint64_t, std::uint32_t> streams_of_commands_;
  std::map<std::uint64_t, LoggedCommand> commands_;
  std::vector<const LoggedCommand*> by_dispatch_, by_completion_;
  std::vector<LoggedMessage> received_;  // by the time at which they were taken
  std::vector<const LoggedMessage*> by_visibility_, by_consumption_;
  std::vector<LoggedMessage> sent_;  // by ring, in the order of sending
  std::vector<const LoggedMessage*> by_sending_;
  std::map<std::uint64_t, const LoggedMessage*> freed_for_;  // by id of the message sent
};

// PEs of a log, each read once.
class PeLogs {
 public:
  explicit PeLogs(const OpLogReader& log) : log_(log) {}
  const PeLog& operator[](const std::string& pe);

 private:
  const OpLogReader& log_;
  std::map<std::string, std::unique_ptr<PeLog>> pes_;
};

}  // namespace kernbench
