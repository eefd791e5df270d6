// Durations of the operations of a log: by operation, and per engine.
//
// Spans (composites, which hold their tiles; sends and receives, which hold their waits) are
// counted as operations, but make no engine busy.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platform/inspect/op_log_reader.h"
#include "platform/report/table.h"

namespace kernbench {

// Operations of one name on one kind of engine.
struct OperationGroup {
  std::string engine, name, part;
  std::vector<Fs> durations;  // ascending
  Fs total = 0;
  std::uint64_t bytes = 0, macs = 0;
  Fs longest = 0;
  std::uint64_t longest_id = 0;  // of equal ones the first
  std::string longest_node;
  Fs longest_start = 0;

  bool span() const { return is_span(engine); }
  std::uint64_t count() const { return durations.size(); }
  // The smallest duration that is not exceeded by `share` of them (nearest rank).
  Fs percentile(double share) const;
};

// An engine's part: what serves one type of stage, on all PEs together.
struct EnginePart {
  std::string engine, part;
  std::map<std::string, Fs> busy;  // by node
  Fs total() const;
  // Of equal ones the first by name.
  std::pair<std::string, Fs> busiest() const;
};

struct OperationStatistics {
  std::vector<OperationGroup> groups;  // by total time, ties by engine and name
  std::vector<EnginePart> engines;     // in the order of a tile's way, then by name
  std::uint64_t operations = 0;
  Fs first = 0, last = 0;  // of all operations

  explicit OperationStatistics(const OpLogReader& log);
  Fs window() const { return last - first; }
};

// Tables of `inspect`. `most`: groups.
Table operations_table(const OperationStatistics& statistics, std::size_t most);
Table spans_table(const OperationStatistics& statistics, std::size_t most);
Table engines_table(const OperationStatistics& statistics);

// Histogram of the durations of each operation that is no span, in bins that double from 1 ns on.
Table stages_table(const OperationStatistics& statistics);
Table histogram_table(const OperationStatistics& statistics);
std::string stages_text(const OperationStatistics& statistics);

}  // namespace kernbench
