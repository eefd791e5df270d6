// Timeline of the engines in text: a row per engine and part, a column per interval of time, and in
// each cell how much of the interval the engine was busy.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/inspect/op_log_reader.h"
#include "platform/report/table.h"

namespace kernbench {

struct TimelineOptions {
  // Glob over the names of engines or of a scope around them; empty: the PE with most operations.
  std::string engines;
  std::optional<std::pair<Fs, Fs>> window;  // default: from the first to the last operation shown
  std::uint64_t columns = 100;
};

struct EngineTimeline {
  struct Row {
    std::string node, part;
    Fs busy = 0;              // within the window; of several operations at once each counts
    std::vector<Fs> columns;  // busy time, at most the length of the column
  };
  Fs from = 0, to = 0;
  std::vector<Row> rows;  // by PE, in the order of a tile's way
  std::string pe;         // that was chosen; empty: the caller chose
  std::uint64_t other_pes = 0;

  // Begin of a column; that behind the last is `to`.
  Fs column_start(std::uint64_t column) const;
  std::uint64_t columns = 0;
};

// UsageError, with the nearest names: no engine's name matches.
EngineTimeline engine_timeline(const OpLogReader& log, const TimelineOptions& options);
std::string timeline_text(const EngineTimeline& timeline);
Table timeline_rows(const EngineTimeline& timeline);   // a row per engine and part
Table timeline_cells(const EngineTimeline& timeline);  // a row per cell that is not empty

}  // namespace kernbench
