// OpLogReader: an operation log that `run --op-log F.sqlite` has written, opened read-only
// (docs/op-log.md).
//
// Logs of schema version 1 have operations only: no launches, and no waits; those of version 2 do
// not say what kind of command is waited for, and what for the accel_slot.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/base/units.h"

namespace kernbench {

// A launch of the host program.
struct LoggedLaunch {
  std::uint64_t id = 0;
  std::string kernel, device;
  Fs issued = 0, ended = 0;
  Fs length() const { return ended - issued; }
};

class OpLogReader {
 public:
  // Throws UsageError: not a readable file, not a SQLite database, cut short, not a complete
  // operation log, or of another schema version.
  explicit OpLogReader(const std::string& path);

  const std::string& path() const { return path_; }
  // `meta`: "bench", "topology", "command_line", ...; empty if there is none.
  const std::string& fact(const std::string& key) const;
  std::string bench() const;  // without its parameters
  bool has_progress() const { return version_ >= 2; }
  bool has_pe_time() const { return version_ >= 3; }
  bool has_streams() const { return version_ >= 4; }  // else one kernel at a time ran on a PE
  std::string stream_column() const { return has_streams() ? "stream" : "0"; }
  // UsageError if the log has none; `what` needs it.
  void require_progress(const std::string& what) const;

  const std::vector<LoggedLaunch>& launches() const { return launches_; }
  // The longest, of equal ones the first. UsageError without launches.
  const LoggedLaunch& longest_launch() const;
  const LoggedLaunch& launch(std::uint64_t id) const;  // UsageError: not there

  // Rows of a query, with its parameters bound. A fault is a UsageError with SQLite's text.
  using Parameters = std::vector<std::string>;
  using EachRow = std::function<void(SQLite::Statement& row)>;
  void for_each(const std::string& sql, const Parameters& parameters, const EachRow& each) const;
  void for_each(const std::string& sql, const EachRow& each) const { for_each(sql, {}, each); }

 private:
  void read_meta();
  void check_tables() const;
  void read_launches();

  std::string path_;
  mutable SQLite::Database database_;
  int version_ = 0;
  std::map<std::string, std::string> facts_;
  std::vector<LoggedLaunch> launches_;
};

// Values of a row.
inline std::uint64_t number_in(SQLite::Statement& row, int column) {
  return static_cast<std::uint64_t>(row.getColumn(column).getInt64());
}
inline std::string text_in(SQLite::Statement& row, int column) {
  return row.getColumn(column).getString();
}

// Parts of a node's name: "sip0.cube0.pe1", "pe_dma".
std::string pe_of_node(const std::string& node);
std::string engine_of_node(const std::string& node);
// "dma_read" of "tile/DMA_READ" on pe_dma; "gemm", "math" of whatever PE_GEMM, PE_MATH execute.
std::string part_of(const std::string& engine, const std::string& operation);
// Place on a tile's way through the PE, kernel and composite before it; what is no stage comes
// last.
int order_of(const std::string& part);
// The operation spans others: a composite its tiles, a send or receive its waits.
bool is_span(const std::string& engine);

}  // namespace kernbench
