// Operation log of a run as a file (`--op-log F`): CSV, or tables of a SQLite database
// (op_table.h), by the name's extension.
//
// Records are kept in memory up to a limit. Further records are stored in SQLite: in the file
// itself, or in a temporary one from which the CSV is written in the end. The limit changes no byte
// of a CSV and no row of a table.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "models/data/functional_model.h"
#include "models/data/op_log.h"
#include "platform/events/op_table.h"
#include "platform/events/progress_log.h"
#include "platform/observe/op_parameters.h"
#include "platform/output/result_file.h"

namespace kernbench {

enum class OpLogFormat : std::uint8_t { csv, sqlite };
// Accepts .csv; .sqlite, .sqlite3, .db. A device or a pipe gets CSV. Throws UsageError for other
// endings.
OpLogFormat op_log_format(const std::string& path);

class OpLogFile final : public tlm::tlm_analysis_if<ExecutedOp> {
 public:
  static constexpr std::uint64_t default_limit = 100'000;  // records; up to about 1 KiB each

  // `file`: empty, with no other writer. `data`: functional model of the run, which completes the
  // records before they are read; null if there is none. Throws Error if SQLite cannot use the
  // file.
  OpLogFile(ResultFile file, FunctionalModel* data, std::uint64_t limit = default_limit);

  // Table of SQLite, for further rows until close(); null for CSV.
  OpTable* table() { return format_ == OpLogFormat::sqlite ? &*table_ : nullptr; }
  void write(const ExecutedOp& op) override;  // stores a fault for close()
  // Writes the remaining records. `meta` is for SQLite. Throws Error if the file is incomplete.
  void close(const OpTable::Meta& meta = {});

 private:
  void spill(std::vector<OpRecord> records);

  ResultFile file_;
  FunctionalModel* data_;
  OpLogFormat format_;
  std::uint64_t limit_;
  OpLog recent_;
  Fs spilled_at_ = 0;
  std::optional<OpTable> table_;
  std::exception_ptr fault_;
};

// OpLogRecorder: writes an operation log while a machine runs: executed operations with their
// parameters; in SQLite also the progress of kernels, commands and messages, launches, and the rows
// of the run (op_log_schema.h).

// Writes rows of one type to their table, `limit` at a time.
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

  // Writes the remaining rows. Throws the first stored error.
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
  // Observes `platform`, whose events are in `events`; both outlive it. `data` as in OpLogFile.
  // Throws Error if SQLite cannot use the file.
  OpLogRecorder(ResultFile file, FunctionalModel* data, Platform& platform, EventSource& events,
                std::uint64_t limit);

  // Called once, after the last event. Throws Error if the file is incomplete.
  void close(std::vector<LaunchRow> launches, const OpTable::Meta& meta);

 private:
  OpLogFile file_;
  OpParameters parameters_;
  std::optional<ProgressLog> progress_;  // SQLite only, like the rows
  std::optional<RowRecorders<RunRowPorts>> rows_;
};

}  // namespace kernbench
