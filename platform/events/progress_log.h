// ProgressLog: progress of kernels, commands and messages as tables next to the operations of a log
// (docs/op-log.md).
//
// Rows are in the order of their ends, those of one instant by PE, then by stream and command,
// request or message (spec 11.7). Commands and messages in flight at the end of the run come last.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "models/base/instant_order.h"
#include "models/protocol/observation.h"
#include "platform/events/op_table.h"

namespace kernbench {

struct ProgressRows {
  std::vector<KernelStartRow> starts;
  std::vector<RunRow> runs;
  std::vector<WaitRow> waits;
  std::vector<SlotWaitRow> slot_waits;
  std::vector<CommandRow> commands;
  std::vector<MessageRow> messages;

  std::size_t size() const {
    return starts.size() + runs.size() + waits.size() + slot_waits.size() + commands.size() +
           messages.size();
  }
  void insert_into(OpTable& table) const;
};

class ProgressLog final : private tlm::tlm_analysis_if<TraceEvent>,
                          private tlm::tlm_analysis_if<KernelRun>,
                          private tlm::tlm_analysis_if<KernelWait>,
                          private tlm::tlm_analysis_if<MessageProgress> {
 public:
  // Keeps all rows.
  explicit ProgressLog(Observation& observation);
  // Writes rows to `table`, which outlives it, up to `limit` at a time.
  ProgressLog(Observation& observation, OpTable& table, std::uint64_t limit);

  // Returns all rows after the last event: commands and messages that have not ended come last.
  ProgressRows take();
  // Writes the remaining rows before the table is closed. `launches`: in the order of their ends.
  // Throws the first stored error.
  void close(const std::vector<LaunchRow>& launches);

 private:
  struct RowOrder {
    bool operator()(const KernelStartRow& a, const KernelStartRow& b) const;
    bool operator()(const RunRow& a, const RunRow& b) const;
    bool operator()(const WaitRow& a, const WaitRow& b) const;
    bool operator()(const SlotWaitRow& a, const SlotWaitRow& b) const;
    bool operator()(const CommandRow& a, const CommandRow& b) const;
    bool operator()(const MessageRow& a, const MessageRow& b) const;  // by id
  };
  struct SendOrder {
    bool operator()(const MessageRow& a, const MessageRow& b) const;
  };
  template <class Row>
  using Instant = InstantOrder<Row, RowOrder>;
  using CommandKey = std::pair<const sc_core::sc_object*, std::uint64_t>;  // scheduler, command
  struct CommandHash {
    std::size_t operator()(const CommandKey& key) const {
      return std::hash<const void*>()(key.first) * 31 + std::hash<std::uint64_t>()(key.second);
    }
  };
  using MessageKey = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;

  template <class Event>
  struct Subscriber final : tlm::tlm_analysis_if<Event> {
    explicit Subscriber(ProgressLog& log_) : log(log_) {}
    void write(const Event& event) override { log.take(event); }
    ProgressLog& log;
  };

  void take(const ExecutedOp& op);
  void take(const SlotWait& wait);
  void take(const KernelStart& start);
  void write(const TraceEvent& event) override;
  void write(const KernelRun& run) override;
  void write(const KernelWait& wait) override;
  void write(const MessageProgress& step) override;
  // Adds a row that ends at `end` to `rows`.
  template <class Row>
  void add(std::vector<Row>& rows, Fs end, Row row);
  void number(MessageRow message);
  void end_instants();
  void take_unfinished();
  void spill_beyond_limit();

  OpTable* table_ = nullptr;
  std::uint64_t limit_ = 0;
  ProgressRows rows_;
  std::tuple<Instant<KernelStartRow>, Instant<RunRow>, Instant<WaitRow>, Instant<SlotWaitRow>,
             Instant<CommandRow>, Instant<MessageRow>>
      instants_;                                  // rows that may not be in order yet
  InstantOrder<MessageRow, SendOrder> sent_now_;  // messages without ids yet
  std::unordered_map<CommandKey, CommandRow, CommandHash> commands_;  // for look-up only
  std::map<MessageKey, MessageRow> messages_;                         // in flight
  std::uint64_t sent_ = 0;
  std::exception_ptr fault_;
  Subscriber<ExecutedOp> op_subscriber_{*this};
  Subscriber<SlotWait> slot_wait_subscriber_{*this};
  Subscriber<KernelStart> start_subscriber_{*this};
  AnalysisBinding<ExecutedOp> ops_;
  AnalysisBinding<TraceEvent> events_;
  AnalysisBinding<KernelStart> starts_;
  AnalysisBinding<KernelRun> runs_;
  AnalysisBinding<KernelWait> waits_;
  AnalysisBinding<SlotWait> slot_waits_;
  AnalysisBinding<MessageProgress> steps_;
};

}  // namespace kernbench
