#include "platform/events/op_log_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <systemc>
#include <utility>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/assembly/machine_root.h"

namespace kernbench {

namespace {

std::string name_of_node(const sc_core::sc_object* node) { return name_in_machine(*node); }

}  // namespace

OpLogFormat op_log_format(const std::string& path) {
  const std::filesystem::path extension = std::filesystem::path(path).extension();
  if (extension == ".csv") return OpLogFormat::csv;
  if (extension == ".sqlite" || extension == ".sqlite3" || extension == ".db")
    return OpLogFormat::sqlite;
  if (is_stream(path)) return OpLogFormat::csv;
  throw UsageError(fmt::format(
      "the operation log {} ends in {}: .csv, or .sqlite, .sqlite3 or .db for SQLite", quote(path),
      extension.empty() ? "nothing that names a format" : quote(extension.string())));
}

OpLogFile::OpLogFile(ResultFile file, FunctionalModel* data, std::uint64_t limit)
    : file_(std::move(file)), data_(data), format_(op_log_format(file_.path())), limit_(limit) {
  if (format_ != OpLogFormat::sqlite) return;
  file_.close();  // SQLite opens it by name
  table_.emplace(file_.path());
}

void OpLogFile::write(const ExecutedOp& op) {
  if (fault_) return;
  recent_.write(op);
  if (recent_.size() < limit_ || op.t_end == spilled_at_) return;
  spilled_at_ = op.t_end;
  try {
    // An operation that ends now may move data whose timestep is not over.
    if (data_ != nullptr) data_->resolve_before(op.t_end);
    spill(recent_.take_before(op.t_end));
  } catch (const std::exception&) {  // this may be an SC_METHOD, which no exception may leave
    fault_ = std::current_exception();
  }
}

void OpLogFile::spill(std::vector<OpRecord> records) {
  if (records.empty()) return;
  if (!table_) table_.emplace("");
  table_->insert(records, &name_of_node);
}

void OpLogFile::close(const OpTable::Meta& meta) {
  if (fault_) std::rethrow_exception(fault_);
  if (data_ != nullptr) data_->resolve();
  if (format_ == OpLogFormat::csv && !table_) {
    recent_.write_csv(file_.out(), &name_of_node);
    return file_.close();
  }
  spill(recent_.take_before(never_fs));
  if (format_ == OpLogFormat::sqlite) return table_->close(meta);
  table_->write_csv(file_.out());
  file_.close();
}

OpLogRecorder::OpLogRecorder(ResultFile file, FunctionalModel* data, Platform& platform,
                             EventSource& events, std::uint64_t limit)
    : file_(std::move(file), data, limit),
      parameters_(platform.observation(), platform.machine(), file_) {
  if (file_.table() == nullptr) return;
  progress_.emplace(platform.observation(), *file_.table(), limit);
  rows_.emplace(events, *file_.table(), limit);
}

void OpLogRecorder::close(std::vector<LaunchRow> launches, const OpTable::Meta& meta) {
  if (progress_) {
    progress_->close(std::move(launches));
    rows_->close();
  }
  file_.close(meta);
}

}  // namespace kernbench
