#include "platform/inspect/engine_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/glob.h"
#include "platform/report/table.h"

namespace kernbench {
namespace {

struct Interval {
  Fs start = 0, end = 0;
};

using Key = std::tuple<std::string, int, std::string, std::string>;  // PE, order, part, node
using Busy = std::map<Key, std::vector<Interval>>;

// Composites in one row, whatever they compute.
std::string row_part(const std::string& engine, const std::string& operation) {
  return engine == "pe_scheduler" ? "composite" : part_of(engine, operation);
}

std::string busiest_pe(const OpLogReader& log, std::uint64_t& others) {
  std::map<std::string, std::uint64_t> operations;
  log.for_each("SELECT node, count(*) FROM ops GROUP BY node", [&](SQLite::Statement& row) {
    operations[pe_of_node(text_in(row, 0))] += number_in(row, 1);
  });
  if (operations.empty()) return "";
  others = operations.size() - 1;
  return std::max_element(operations.begin(), operations.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

void read_operations(const OpLogReader& log, const std::string& glob, Busy& busy) {
  std::map<std::string, bool> known;  // a node's name matches
  log.for_each(
      "SELECT node, name, t_start_fs, t_end_fs FROM ops ORDER BY id", [&](SQLite::Statement& row) {
        const std::string node = text_in(row, 0);
        const auto found = known.find(node);
        const bool shown = found != known.end()
                               ? found->second
                               : known.emplace(node, glob_matches_scope(glob, node)).first->second;
        if (!shown) return;
        const std::string part = row_part(engine_of_node(node), text_in(row, 1));
        busy[{pe_of_node(node), order_of(part), part, node}].push_back(
            {number_in(row, 2), number_in(row, 3)});
      });
}

std::vector<Interval> intervals_in(const OpLogReader& log, const std::string& sql,
                                   const std::string& pe) {
  std::vector<Interval> intervals;
  log.for_each(sql, {pe}, [&](SQLite::Statement& row) {
    intervals.push_back({number_in(row, 0), number_in(row, 1)});
  });
  return intervals;
}

// The kernel's thread runs where it does not wait.
std::vector<Interval> running(const std::vector<Interval>& runs,
                              const std::vector<Interval>& waits) {
  std::vector<Interval> intervals;
  auto wait = waits.begin();
  for (const Interval& run : runs) {
    Fs at = run.start;
    for (; wait != waits.end() && wait->start < run.end; ++wait) {
      intervals.push_back({at, wait->start});
      at = wait->end;
    }
    intervals.push_back({at, run.end});
  }
  return intervals;
}

// Conditions on rows of `runs` and `waits` that tell the streams of a PE apart.
std::vector<std::string> streams_of(const OpLogReader& log, const std::string& pe) {
  if (!log.has_streams()) return {""};
  std::vector<std::string> streams;
  log.for_each("SELECT DISTINCT stream FROM runs WHERE pe = ? ORDER BY stream", {pe},
               [&](SQLite::Statement& row) {
                 streams.push_back(" AND stream = " + std::to_string(number_in(row, 0)));
               });
  return streams;
}

// Without overlaps, by start.
std::vector<Interval> united(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.start < b.start; });
  std::vector<Interval> result;
  for (const Interval& each : intervals) {
    if (!result.empty() && each.start < result.back().end) {
      result.back().end = std::max(result.back().end, each.end);
    } else {
      result.push_back(each);
    }
  }
  return result;
}

void read_kernels(const OpLogReader& log, const std::string& glob, Busy& busy) {
  if (!log.has_progress()) return;
  std::vector<std::string> pes;
  log.for_each("SELECT DISTINCT pe FROM runs ORDER BY pe", [&](SQLite::Statement& row) {
    if (glob_matches_scope(glob, text_in(row, 0) + ".pe_cpu")) pes.push_back(text_in(row, 0));
  });
  for (const std::string& pe : pes) {
    std::vector<Interval>& of_pe = busy[{pe, order_of("kernel"), "kernel", pe + ".pe_cpu"}];
    for (const std::string& stream : streams_of(log, pe)) {
      const std::vector<Interval> of_stream =
          running(intervals_in(log,
                               "SELECT t_start_fs, t_return_fs FROM runs WHERE pe = ?" + stream +
                                   " ORDER BY t_start_fs",
                               pe),
                  intervals_in(log,
                               "SELECT t_start_fs, t_end_fs FROM waits WHERE pe = ?" + stream +
                                   " ORDER BY t_start_fs",
                               pe));
      of_pe.insert(of_pe.end(), of_stream.begin(), of_stream.end());
    }
    of_pe = united(std::move(of_pe));
  }
}

[[noreturn]] void fail(const OpLogReader& log, const std::string& glob) {
  std::vector<std::string> names;
  log.for_each("SELECT DISTINCT node FROM ops ORDER BY node", [&](SQLite::Statement& row) {
    const std::string pe = pe_of_node(text_in(row, 0));
    if (names.empty() || pe_of_node(names.back()) != pe) names.push_back(pe);
    names.push_back(text_in(row, 0));
  });
  throw UsageError(fmt::format("--timeline {}: no engine with operations in {} has such a name{}",
                               quote(glob), quote(log.path()), did_you_mean_of_glob(glob, names)));
}

std::pair<Fs, Fs> extent_of(const Busy& busy) {
  Fs from = never_fs, to = 0;
  for (const auto& [key, intervals] : busy) {
    for (const Interval& each : intervals) {
      from = std::min(from, each.start);
      to = std::max(to, each.end);
    }
  }
  return {std::min(from, to), to};
}

void fill(EngineTimeline::Row& row, const EngineTimeline& timeline,
          const std::vector<Interval>& intervals) {
  row.columns.assign(timeline.columns, 0);
  const Fs length = timeline.to - timeline.from;
  for (const Interval& each : intervals) {
    const Fs start = std::max(each.start, timeline.from), end = std::min(each.end, timeline.to);
    if (start >= end) continue;
    row.busy += end - start;
    auto column = static_cast<std::uint64_t>(static_cast<unsigned __int128>(start - timeline.from) *
                                             timeline.columns / length);
    for (; column < timeline.columns && timeline.column_start(column) < end; ++column) {
      const Fs first = std::max(start, timeline.column_start(column));
      const Fs last = std::min(end, timeline.column_start(column + 1));
      if (first < last) row.columns[column] += last - first;
    }
  }
  for (std::uint64_t column = 0; column < timeline.columns; ++column) {
    row.columns[column] = std::min(
        row.columns[column], timeline.column_start(column + 1) - timeline.column_start(column));
  }
}

char symbol_of(Fs busy, Fs length) {
  if (busy == 0) return ' ';
  const auto quarters = static_cast<unsigned>(static_cast<unsigned __int128>(busy) * 4 / length);
  constexpr const char* symbols = ".:+##";
  return symbols[quarters];
}

// Ticks at every tenth of the width, and the times of the first, the middle and the last.
std::string axis_text(const EngineTimeline& timeline, std::size_t indent) {
  const std::uint64_t columns = timeline.columns;
  std::string ticks(columns + 1, '-');
  for (std::uint64_t tenth = 0; tenth <= 10; ++tenth) ticks[columns * tenth / 10] = '|';
  std::string line(columns + 1, ' ');
  const auto put = [&](std::uint64_t column, const std::string& label, std::size_t left) {
    const std::size_t place = column < left ? 0 : column - left;
    if (line.size() < place + label.size()) line.resize(place + label.size(), ' ');
    line.replace(place, label.size(), label);
  };
  const auto time = [&](std::uint64_t column) {
    return readable_time(to_ns(timeline.column_start(column)));
  };
  const std::string last = time(columns);
  put(0, time(0), 0);
  if (columns >= 50) put(columns / 2, time(columns / 2), time(columns / 2).size() / 2);
  if (columns >= 25) put(columns, last, last.size() - 1);
  return std::string(indent, ' ') + ticks + '\n' + std::string(indent, ' ') + line + '\n';
}

}  // namespace

Fs EngineTimeline::column_start(std::uint64_t column) const {
  return from + static_cast<Fs>(static_cast<unsigned __int128>(to - from) * column / columns);
}

EngineTimeline engine_timeline(const OpLogReader& log, const TimelineOptions& options) {
  EngineTimeline timeline;
  timeline.columns = options.columns;
  std::string glob = options.engines;
  if (glob.empty()) {
    timeline.pe = busiest_pe(log, timeline.other_pes);
    glob = timeline.pe;
  }
  Busy busy;
  read_operations(log, glob, busy);
  read_kernels(log, glob, busy);
  if (busy.empty() && !options.engines.empty()) fail(log, options.engines);
  std::tie(timeline.from, timeline.to) = options.window.value_or(extent_of(busy));
  for (const auto& [key, intervals] : busy) {
    EngineTimeline::Row row;
    row.node = std::get<3>(key);
    row.part = std::get<2>(key);
    if (timeline.from < timeline.to) fill(row, timeline, intervals);
    timeline.rows.push_back(std::move(row));
  }
  return timeline;
}

std::string timeline_text(const EngineTimeline& timeline) {
  if (timeline.from >= timeline.to) return "no operations\n";
  std::size_t nodes = 0, parts = 0;
  for (const EngineTimeline::Row& row : timeline.rows) {
    nodes = std::max(nodes, row.node.size());
    parts = std::max(parts, row.part.size());
  }
  const Fs length = timeline.to - timeline.from;
  std::string text;
  for (const EngineTimeline::Row& row : timeline.rows) {
    std::string cells;
    for (std::uint64_t column = 0; column < timeline.columns; ++column)
      cells += symbol_of(row.columns[column],
                         timeline.column_start(column + 1) - timeline.column_start(column));
    text +=
        fmt::format("{:<{}}  {:<{}}  {:>7} |{}|\n", row.node, nodes, row.part, parts,
                    percent(static_cast<double>(row.busy) / static_cast<double>(length)), cells);
  }
  text += axis_text(timeline, nodes + parts + 12);
  text += fmt::format(
      "a column is {} ns; busy: . less than a quarter of it, : half, + three "
      "quarters, # more\n",
      exact_ns(length / timeline.columns));
  if (timeline.other_pes > 0) {
    text +=
        fmt::format("the PE with most operations; {} more with --timeline '*' or another glob\n",
                    timeline.other_pes);
  }
  return text;
}

Table timeline_rows(const EngineTimeline& timeline) {
  Table table("rows",
              {{"node", "node"}, {"part", "part"}, {"busy_ns", "busy"}, {"cells", "cells"}});
  for (const EngineTimeline::Row& row : timeline.rows) {
    std::string cells;
    for (std::uint64_t column = 0; column < row.columns.size(); ++column)
      cells += symbol_of(row.columns[column],
                         timeline.column_start(column + 1) - timeline.column_start(column));
    table.add({row.node, row.part, TimeCell{row.busy}, cells});
  }
  return table;
}

Table timeline_cells(const EngineTimeline& timeline) {
  Table table("cells", {{"node", "node"},
                        {"part", "part"},
                        {"from_ns", "from"},
                        {"to_ns", "to"},
                        {"busy_ns", "busy"}});
  for (const EngineTimeline::Row& row : timeline.rows) {
    for (std::uint64_t column = 0; column < row.columns.size(); ++column) {
      if (row.columns[column] == 0) continue;
      table.add({row.node, row.part, TimeCell{timeline.column_start(column)},
                 TimeCell{timeline.column_start(column + 1)}, TimeCell{row.columns[column]}});
    }
  }
  return table;
}

}  // namespace kernbench
