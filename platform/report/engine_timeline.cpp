#include "platform/report/engine_timeline.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <systemc>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/assembly/machine_root.h"
#include "platform/config/glob.h"
#include "platform/events/op_log_player.h"
#include "platform/output/json_text.h"
#include "platform/report/option_values.h"
#include "platform/report/report.h"

namespace kernbench {
namespace {

// Merges intervals: sorted by start, without overlaps.
template <class Intervals>
Intervals united(Intervals intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const auto& a, const auto& b) { return a.start < b.start; });
  Intervals result;
  for (const auto& each : intervals) {
    if (!result.empty() && each.start < result.back().end) {
      result.back().end = std::max(result.back().end, each.end);
    } else {
      result.push_back(each);
    }
  }
  return result;
}

// Intervals in which the kernel's thread is not blocked.
template <class Intervals>
void add_running(const Intervals& runs, const Intervals& waits, Intervals& running) {
  auto wait = waits.begin();
  for (const auto& run : runs) {
    Fs at = run.start;
    for (; wait != waits.end() && wait->start < run.end; ++wait) {
      running.push_back({at, wait->start});
      at = wait->end;
    }
    running.push_back({at, run.end});
  }
}

char symbol_of(Fs busy, Fs length) {
  if (busy == 0) return ' ';
  const auto quarters = static_cast<unsigned>(static_cast<unsigned __int128>(busy) * 4 / length);
  constexpr const char* symbols = ".:+##";
  return symbols[quarters];
}

}  // namespace

EngineTimeline::EngineTimeline(Observation& observation, TimelineOptions options)
    : options_(std::move(options)), ops_(observation.executed_ops, *this),
      runs_(observation.kernel_runs, *this), waits_(observation.kernel_waits, *this) {}

// --- Events

EngineTimeline::Intervals* EngineTimeline::intervals_of(const OperationName& name) {
  if (name.place < places_.size()) return places_[name.place];
  Intervals* intervals = nullptr;
  if (options_.engines.empty() || glob_matches_scope(options_.engines, name.node)) {
    // Composites share one row, whatever they compute.
    const std::string part = name.engine == "pe_scheduler" ? "composite" : name.part;
    intervals = &busy_[{name.pe, order_of(part), part, name.node}];
  }
  return places_.emplace_back(intervals);
}

void EngineTimeline::write(const ExecutedOp& op) {
  const OperationName& name = names_.of(op);
  ++operations_[name.node];
  first_ = std::min(first_, op.t_start);
  last_ = std::max(last_, op.t_end);
  if (Intervals* intervals = intervals_of(name)) intervals->push_back({op.t_start, op.t_end});
}

void EngineTimeline::write(const KernelRun& run) {
  first_ = std::min(first_, run.start);
  last_ = std::max(last_, run.returned);
  kernels_[name_in_machine(*run.node)][run.stream].runs.push_back({run.start, run.returned});
}

void EngineTimeline::write(const KernelWait& wait) {
  kernels_[name_in_machine(*wait.node)][wait.stream].waits.push_back({wait.start, wait.end});
}

// --- End of the events

void EngineTimeline::close(const std::string& source) {
  if (options_.engines.empty()) choose_pe();
  add_kernels();
  if (busy_.empty() && (options_.engines.empty() || operations_.empty()))
    throw UsageError(fmt::format("{} has no operations, which --timeline needs", quote(source)));
  if (busy_.empty()) refuse_names(source);
  set_window(source);
  for (const auto& [key, intervals] : busy_) {
    Row& row = rows_.emplace_back();
    row.node = std::get<3>(key);
    row.part = std::get<2>(key);
    if (from_ < to_) fill(row, united(intervals));
  }
}

void EngineTimeline::choose_pe() {
  std::map<std::string, std::uint64_t> by_pe;
  for (const auto& [node, operations] : operations_) by_pe[scope_of(node)] += operations;
  if (by_pe.empty()) return;
  pe_ = std::max_element(by_pe.begin(), by_pe.end(), [](const auto& a, const auto& b) {
          return a.second < b.second;
        })->first;
  other_pes_ = by_pe.size() - 1;
  for (auto row = busy_.begin(); row != busy_.end();)
    row = std::get<0>(row->first) == pe_ ? std::next(row) : busy_.erase(row);
}

void EngineTimeline::add_kernels() {
  const std::string& glob = pe_.empty() ? options_.engines : pe_;
  for (const auto& [node, streams] : kernels_) {
    if (!glob_matches_scope(glob, node)) continue;
    Intervals running;
    for (const auto& [stream, kernels] : streams) add_running(kernels.runs, kernels.waits, running);
    if (!running.empty())
      busy_[{scope_of(node), order_of("kernel"), "kernel", node}] = united(std::move(running));
  }
}

void EngineTimeline::refuse_names(const std::string& source) const {
  std::vector<std::string> names;
  for (const auto& [node, operations] : operations_) {
    const std::string pe = scope_of(node);
    if (names.empty() || names.back().compare(0, pe.size() + 1, pe + '.') != 0) names.push_back(pe);
    names.push_back(node);
  }
  throw UsageError(fmt::format("--timeline {}: no engine with operations in {} has such a name{}",
                               quote(options_.engines), quote(source),
                               did_you_mean_of_glob(options_.engines, names)));
}

void EngineTimeline::set_window(const std::string& source) {
  if (options_.window) {
    std::tie(from_, to_) = *options_.window;
    if (from_ < last_ && to_ > first_) return;
    throw UsageError(fmt::format("--window {}:{} has nothing of {}, which goes from {} to {} ns",
                                 exact_ns(from_), exact_ns(to_), quote(source), exact_ns(first_),
                                 exact_ns(last_)));
  }
  from_ = never_fs;
  for (const auto& [key, intervals] : busy_) {
    for (const Interval& each : intervals) {
      from_ = std::min(from_, each.start);
      to_ = std::max(to_, each.end);
    }
  }
}

Fs EngineTimeline::column_start(std::uint64_t column) const {
  return from_ +
         static_cast<Fs>(static_cast<unsigned __int128>(to_ - from_) * column / options_.columns);
}

void EngineTimeline::fill(Row& row, const Intervals& intervals) const {
  row.columns.assign(options_.columns, 0);
  for (const Interval& each : intervals) {
    const Fs start = std::max(each.start, from_), end = std::min(each.end, to_);
    if (start >= end) continue;
    row.busy += end - start;
    auto column = static_cast<std::uint64_t>(static_cast<unsigned __int128>(start - from_) *
                                             options_.columns / (to_ - from_));
    for (; column < options_.columns && column_start(column) < end; ++column) {
      const Fs first = std::max(start, column_start(column));
      const Fs last = std::min(end, column_start(column + 1));
      if (first < last) row.columns[column] += last - first;
    }
  }
}

// --- Text and tables

std::string EngineTimeline::cells_of(const Row& row) const {
  std::string cells;
  for (std::uint64_t column = 0; column < row.columns.size(); ++column)
    cells += symbol_of(row.columns[column], column_start(column + 1) - column_start(column));
  return cells;
}

// Ticks at every tenth of the width, and the times of the first, the middle and the last.
std::string EngineTimeline::axis_text(std::size_t indent) const {
  const std::uint64_t columns = options_.columns;
  std::string ticks(columns + 1, '-');
  for (std::uint64_t tenth = 0; tenth <= 10; ++tenth) ticks[columns * tenth / 10] = '|';
  std::string line(columns + 1, ' ');
  const auto put = [&](std::uint64_t column, const std::string& label, std::size_t left) {
    const std::size_t place = column < left ? 0 : column - left;
    if (line.size() < place + label.size()) line.resize(place + label.size(), ' ');
    line.replace(place, label.size(), label);
  };
  const auto time = [&](std::uint64_t column) {
    return readable_time(to_ns(column_start(column)));
  };
  const std::string last = time(columns);
  put(0, time(0), 0);
  if (columns >= 50) put(columns / 2, time(columns / 2), time(columns / 2).size() / 2);
  if (columns >= 25) put(columns, last, last.size() - 1);
  return std::string(indent, ' ') + ticks + '\n' + std::string(indent, ' ') + line + '\n';
}

std::string EngineTimeline::text() const {
  if (from_ >= to_) return "no operations\n";
  std::size_t nodes = 0, parts = 0;
  for (const Row& row : rows_) {
    nodes = std::max(nodes, row.node.size());
    parts = std::max(parts, row.part.size());
  }
  const Fs length = to_ - from_;
  std::string text;
  for (const Row& row : rows_) {
    text += fmt::format("{:<{}}  {:<{}}  {:>7} |{}|\n", row.node, nodes, row.part, parts,
                        percent(static_cast<double>(row.busy) / static_cast<double>(length)),
                        cells_of(row));
  }
  text += axis_text(nodes + parts + 12);
  text += fmt::format(
      "a column is {} ns; busy: . less than a quarter of it, : half, + three quarters, # more\n",
      exact_ns(length / options_.columns));
  if (other_pes_ > 0) {
    text += fmt::format(
        "the PE with most operations; {} more with --timeline '*' or another glob\n", other_pes_);
  }
  return text;
}

nlohmann::ordered_json EngineTimeline::json() const {
  return {{"from_ns", ns_json(from_)},
          {"to_ns", ns_json(to_)},
          {"columns", options_.columns},
          {"rows", rows().json()}};
}

Table EngineTimeline::rows() const {
  Table table("rows",
              {{"node", "node"}, {"part", "part"}, {"busy_ns", "busy"}, {"cells", "cells"}});
  for (const Row& row : rows_) table.add({row.node, row.part, TimeCell{row.busy}, cells_of(row)});
  return table;
}

Table EngineTimeline::cells() const {
  Table table("cells", {{"node", "node"},
                        {"part", "part"},
                        {"from_ns", "from"},
                        {"to_ns", "to"},
                        {"busy_ns", "busy"}});
  for (const Row& row : rows_) {
    for (std::uint64_t column = 0; column < row.columns.size(); ++column) {
      if (row.columns[column] == 0) continue;
      table.add({row.node, row.part, TimeCell{column_start(column)},
                 TimeCell{column_start(column + 1)}, TimeCell{row.columns[column]}});
    }
  }
  return table;
}

// --- Report

namespace {

class TimelineReport final : public Report {
 public:
  TimelineReport(const ReportContext& context, TimelineOptions options)
      : log_(context.log->path()), timeline_(context.events.observation(), std::move(options)) {}
  void close(Fs /*end*/) override { timeline_.close(log_); }
  std::string text() override { return timeline_.text(); }
  Json json() override { return timeline_.json(); }
  std::optional<Table> table() override { return timeline_.cells(); }

 private:
  std::string log_;
  EngineTimeline timeline_;
};

struct TimelineReportOptions final : ReportOptions {
  TimelineOptions timeline;
  std::string window;
  const CLI::Option* option = nullptr;

  void check() const override {
    if (!window.empty()) interval_option("--window", window);
  }
  std::unique_ptr<Report> make(const ReportContext& context) const override {
    if (option->count() == 0) return nullptr;
    TimelineOptions options = timeline;
    if (!window.empty()) options.window = interval_option("--window", window);
    return std::make_unique<TimelineReport>(context, std::move(options));
  }
};

std::unique_ptr<ReportOptions> declare_engine_timeline(CLI::App& command, unsigned /*source*/) {
  auto options = std::make_unique<TimelineReportOptions>();
  CLI::Option* const timeline =
      command
          .add_option("--timeline", options->timeline.engines,
                      "Utilisation, a row per engine and a column per interval of time. Engines by "
                      "glob over their names or a scope around them, e.g. 'sip0.cube0.pe0' or "
                      "'*.pe_dma' (default: those of the PE with most operations)")
          ->type_name("GLOB")
          ->expected(0, 1)
          ->group(report_group);
  options->option = timeline;
  command
      .add_option("--window", options->window,
                  "Interval of the timeline, in ns (default: the whole run)")
      ->type_name("FROM:TO")
      ->needs(timeline)
      ->group(report_group);
  command.add_option("--width", options->timeline.columns, "Columns of the timeline")
      ->type_name("COLUMNS")
      ->check(CLI::Range(std::uint64_t{10}, std::uint64_t{1000}))
      ->needs(timeline)
      ->capture_default_str()
      ->group(report_group);
  return options;
}

const ReportRegistration engine_timeline_registration({70, "timeline", ReportSource::log},
                                                      declare_engine_timeline);

}  // namespace

}  // namespace kernbench
