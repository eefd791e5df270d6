// OpLogRecorder: writes an operation log while a machine runs: executed operations with their
// parameters; in SQLite also the progress of kernels, commands and messages, launches, and the rows
// of the run (op_log_schema.h).
#pragma once

#include <exception>
#include <optional>
#include <tuple>
#include <vector>

#include "platform/events/op_log_file.h"
#include "platform/events/progress_log.h"
#include "platform/observe/op_parameters.h"

namespace kernbench {

// Rows of one type go to their table, `limit` at a time.
template <class Row>
class RowRecorder final : private tlm::tlm_analysis_if<Row> {
 public:
  struct Target {
    EventSource& events;
    OpTable& table;
    std::uint64_t limit;
  };
  explicit RowRecorder(const Target& target)
      : table_(target.table), limit_(target.limit),
        binding_(target.events.template rows<Row>(), *this) {}

  // Writes what is left. Throws what has gone wrong.
  void close() {
    if (fault_) std::rethrow_exception(fault_);
    table_.insert(rows_);
    rows_.clear();
  }

 private:
  void write(const Row& row) override {
    if (fault_) return;
    rows_.push_back(row);
    if (rows_.size() < limit_) return;
    try {
      close();
    } catch (const std::exception&) {  // this may be an SC_METHOD, which no exception may leave
      fault_ = std::current_exception();
    }
  }

  OpTable& table_;
  std::uint64_t limit_;
  std::vector<Row> rows_;
  std::exception_ptr fault_;
  AnalysisBinding<Row> binding_;
};

template <class Ports>
class RowRecorders;
template <class... Rows>
class RowRecorders<RowPorts<Rows...>> {
 public:
  RowRecorders(EventSource& events, OpTable& table, std::uint64_t limit)
      : recorders_(typename RowRecorder<Rows>::Target{events, table, limit}...) {}
  void close() {
    std::apply([](auto&... recorder) { (recorder.close(), ...); }, recorders_);
  }

 private:
  std::tuple<RowRecorder<Rows>...> recorders_;
};

class OpLogRecorder {
 public:
  // Observes `platform`, whose events `events` has; both outlive it. `data` as in OpLogFile. Throws
  // Error if SQLite cannot use the file.
  OpLogRecorder(ResultFile file, FunctionalModel* data, Platform& platform, EventSource& events,
                std::uint64_t limit);

  // Once, after the last event. Throws Error if not everything is in the file.
  void close(std::vector<LaunchRow> launches, const OpTable::Meta& meta);

 private:
  OpLogFile file_;
  OpParameters parameters_;
  std::optional<ProgressLog> progress_;  // of SQLite, as the rows
  std::optional<RowRecorders<RunRowPorts>> rows_;
};

}  // namespace kernbench
