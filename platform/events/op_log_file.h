// `--op-log F`: the operation log of a run as a file: CSV, or tables of a SQLite database
// (op_table.h), as the name's ending says.
//
// Records are kept in memory up to a limit; what is beyond waits in SQLite: in the file itself, or
// in a temporary one from which the CSV is written in the end. The limit changes no byte of a CSV
// and no row of a table.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

#include "models/data/functional_model.h"
#include "models/data/op_log.h"
#include "platform/events/op_table.h"
#include "platform/output/result_file.h"

namespace kernbench {

enum class OpLogFormat : std::uint8_t { csv, sqlite };
// .csv; .sqlite, .sqlite3, .db. A device or a pipe gets CSV. UsageError for other endings.
OpLogFormat op_log_format(const std::string& path);

class OpLogFile final : public tlm::tlm_analysis_if<ExecutedOp> {
 public:
  static constexpr std::uint64_t default_limit = 100'000;  // records; up to about 1 KiB each

  // `file`: empty, and not written to by others. `data`: of the run, which completes the records
  // before they are read; null if there is none. Throws Error if SQLite cannot use the file.
  OpLogFile(ResultFile file, FunctionalModel* data, std::uint64_t limit = default_limit);

  // Of SQLite, for further rows until close(); null for CSV.
  OpTable* table() { return format_ == OpLogFormat::sqlite ? &*table_ : nullptr; }
  void write(const ExecutedOp& op) override;  // a fault is kept for close()
  // Writes what is missing. `meta` is for SQLite. Throws Error if not everything is in the file.
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

}  // namespace kernbench
