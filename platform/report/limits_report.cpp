// Limits of a run (spec 11.3): its limiting resource, and the gain with twice as much of each
// resource.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/events/op_log_player.h"
#include "platform/observe/limits.h"
#include "platform/output/json_text.h"
#include "platform/output/text_layout.h"
#include "platform/report/report.h"

namespace kernbench {
namespace {

constexpr std::size_t rows_of_run = 12;
constexpr double worth_naming = 1.1;  // a gain worth reporting
constexpr std::size_t named_in_latency = 4;
// Thresholds of rows in text.
constexpr double least_gain = 0.005, least_busy = 0.05;

double ratio(Fs part, Fs whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// "pe_dma.rd_engines" for "cube.pe_template.components.pe_dma.attrs.rd_engines".
std::string short_key(std::string key) {
  for (const std::string& part : {std::string("cube.pe_template.components."),
                                  std::string("cube.components."), std::string(".attrs")}) {
    if (const std::size_t at = key.find(part); at != std::string::npos)
      key.replace(at, part.size(), "");
  }
  return key.substr(0, key.find(','));
}

struct ReportedLimits : Limits {
  double gain(const ResourceLimit& row) const;  // 1.5: 1.5 times as fast
  // Resource with the largest gain, if at least 10 %; else those with a saturated server; none:
  // latency, or not estimated.
  std::vector<const ResourceLimit*> limits() const;
  // "HBM, PE links"; "latency"; "not estimated".
  std::string name() const;
  // "HBM (KEY), 56.6 % busy: twice as much is 14.7 % faster; ..."; empty without rows.
  std::string verdict() const;
  // Adds significant rows, after the columns `first`.
  void add_significant(Table& table, const Table::Row& first, std::size_t most) const;
  // Adds all rows in the same way.
  void add_all(Table& table, const Table::Row& first) const;
  nlohmann::ordered_json json() const;
  // Table without rows; its columns follow the columns `first`.
  static Table significant_table(std::vector<Table::Column> first = {});
  static Table table(std::vector<Table::Column> first = {});
};

double ReportedLimits::gain(const ResourceLimit& row) const {
  return row.twice == 0 ? 1 : ratio(window, row.twice);
}

std::vector<const ResourceLimit*> ReportedLimits::limits() const {
  std::vector<const ResourceLimit*> limits;
  if (!is_estimated || rows.empty()) return limits;
  if (gain(rows.front()) >= worth_naming) return {&rows.front()};
  for (const ResourceLimit& row : rows) {
    if (row.kind == "rate" && ratio(row.busy, window) >= saturated) limits.push_back(&row);
  }
  return limits;
}

std::string ReportedLimits::name() const {
  if (!is_estimated) return "not estimated";
  std::string names;
  for (const ResourceLimit* row : limits()) names += (names.empty() ? "" : ", ") + row->resource;
  return names.empty() ? "latency" : names;
}

std::string ReportedLimits::verdict() const {
  if (rows.empty()) return "";
  if (!is_estimated)
    return "not estimated, as the run was stopped or no kernel has ended; busy times are those so "
           "far";
  const std::vector<const ResourceLimit*> named = limits();
  if (named.size() == 1 && gain(*named.front()) >= worth_naming) {
    const ResourceLimit& row = *named.front();
    return fmt::format("{}, {} busy: with twice as much ({}) {} faster; with it unlimited {}",
                       row.resource, percent(ratio(row.busy, window)), row.key,
                       percent(gain(row) - 1), readable_time(to_ns(row.at_least)));
  }
  std::string list;
  for (const ResourceLimit* row : named)
    list += fmt::format("{}{} {} busy", list.empty() ? "" : ", ", row->resource,
                        percent(ratio(row->busy, window)));
  if (!list.empty()) return list + ": doubling one of them alone gains less than 10 %";
  for (std::size_t i = 0; i < std::min(rows.size(), named_in_latency); ++i) {
    if (rows[i].twice < window)
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", rows[i].resource,
                          percent(gain(rows[i]) - 1));
  }
  return "latency: doubling any single resource gains less than 10 %" +
         (list.empty() ? "" : "; most: " + list);
}

Table ReportedLimits::significant_table(std::vector<Table::Column> columns) {
  using Align = Table::Align;
  columns.insert(columns.end(), {{"resource"},
                                 {"busiest"},
                                 {"busy", Align::right},
                                 {"stall time", Align::right},
                                 {"2x gains", Align::right},
                                 {"key to double"}});
  const std::size_t keys = columns.size() - 5;
  return Table(std::move(columns)).with_keys(keys);
}

void ReportedLimits::add_significant(Table& table, const Table::Row& first,
                                     std::size_t most) const {
  for (const ResourceLimit& row : rows) {
    const double busy = ratio(row.busy, window), more = gain(row) - 1;
    if (most == 0 || (busy < least_busy && more < least_gain)) continue;
    --most;
    Table::Row cells = first;
    for (const std::string& cell :
         {row.resource, row.busiest, percent(busy),
          row.stalled ? readable_time(to_ns(*row.stalled)) : std::string("-"),
          is_estimated ? percent(more) : std::string("-"), short_key(row.key)})
      cells.emplace_back(cell);
    table.add(std::move(cells));
  }
}

Table ReportedLimits::table(std::vector<Table::Column> columns) {
  columns.insert(columns.end(), {{"resource", "resource"},
                                 {"kind", "kind"},
                                 {"busiest", "busiest"},
                                 {"busy", "busy"},
                                 {"stalled_ns", "stalled"},
                                 {"gain", "2x gains"},
                                 {"at_least_ns", "at least"},
                                 {"key", "2x is"}});
  return Table("resources", std::move(columns));
}

void ReportedLimits::add_all(Table& table, const Table::Row& first) const {
  for (const ResourceLimit& row : rows) {
    const std::optional<Fs> least = is_estimated ? std::optional(row.at_least) : std::nullopt;
    Table::Row cells = first;
    for (const std::string& text : {row.resource, row.kind, row.busiest}) cells.emplace_back(text);
    cells.emplace_back(ShareCell{ratio(row.busy, window)});
    cells.push_back(time_cell(row.stalled));
    is_estimated ? cells.emplace_back(ShareCell{gain(row) - 1}) : cells.emplace_back(NoneCell());
    cells.push_back(time_cell(least));
    cells.emplace_back(row.key);
    table.add(std::move(cells));
  }
}

nlohmann::ordered_json ReportedLimits::json() const {
  if (window == 0) return nullptr;
  Table all = table();
  add_all(all, {});
  return {{"window_ns", ns_json(window)},
          {"limit", is_estimated ? nlohmann::ordered_json(name()) : nlohmann::ordered_json()},
          {"resources", all.json()},
          {"verdict", verdict()}};
}

// --- Report

class LimitsReport final : public Report, private tlm::tlm_analysis_if<LimitRow> {
 public:
  LimitsReport(const ReportContext& context, bool of_kernels)
      : of_kernels_(of_kernels), most_(context.rows.value_or(rows_of_run)),
        binding_(context.events.rows<LimitRow>(), *this) {
    if (context.log != nullptr && !context.summary) log_ = quote(context.log->path());
  }

  void close(Fs /*end*/) override {
    if (log_.empty()) return;
    if (run_.rows.empty())
      throw UsageError(log_ + " has no limits, which --limits needs: no kernel ran");
    if (of_kernels_ && kernels_.empty())
      throw UsageError(log_ +
                       " has no limits of kernels, which --kernel-limits needs: a run with "
                       "--kernel-limits in which a kernel has ended");
  }
  std::string text() override;
  Json json() override;
  void add_to(Json& json, const char* name) override { json[name] = this->json(); }  // also null
  // With kernels, one row for each kernel and resource, after those of the run.
  std::optional<Table> table() override;

 private:
  struct Kernel {
    std::string name;  // "matmul"; "a + b": concurrent kernels
    ReportedLimits limits;
  };
  void write(const LimitRow& row) override;

  bool of_kernels_;
  std::size_t most_;  // maximum number of text rows, for the run and for each kernel
  std::string log_;   // log that must contain limits; empty: no log
  ReportedLimits run_;
  std::vector<Kernel> kernels_;
  AnalysisBinding<LimitRow> binding_;
};

void LimitsReport::write(const LimitRow& row) {
  static const std::string kernel = "kernel ";
  ReportedLimits* limits = &run_;
  if (row.window.compare(0, kernel.size(), kernel) == 0) {
    if (!of_kernels_) return;
    const std::string name = row.window.substr(kernel.size());
    if (kernels_.empty() || kernels_.back().name != name) kernels_.push_back({name, {}});
    limits = &kernels_.back().limits;
  }
  limits->window = row.length;
  limits->is_estimated = row.is_estimated;
  limits->rows.push_back(row);
}

std::string LimitsReport::text() {
  if (run_.rows.empty()) return "";
  Table of_run = ReportedLimits::significant_table();
  run_.add_significant(of_run, {}, most_);
  std::string text = fitted("limit: " + run_.verdict(), 7) + "\n\n" + of_run.text();
  if (kernels_.empty()) return text;
  text += '\n';
  Table of_kernels = ReportedLimits::significant_table({{"kernel"}});
  for (const Kernel& kernel : kernels_) {
    const ReportedLimits& limits = kernel.limits;
    text += fitted(fmt::format("{}, {}, limit: {}\n", kernel.name,
                               readable_time(to_ns(limits.window)), limits.verdict()),
                   2);
    limits.add_significant(of_kernels, {kernel.name}, most_);
  }
  return text + '\n' + of_kernels.text();
}

Report::Json LimitsReport::json() {
  Json json = run_.json();
  for (const Kernel& kernel : kernels_) {
    Json row{{"kernel", kernel.name}};
    row.update(kernel.limits.json());
    json["kernels"].push_back(std::move(row));
  }
  return json;
}

std::optional<Table> LimitsReport::table() {
  std::vector<Table::Column> first;
  if (!kernels_.empty())
    first = {{"kernel", "kernel"}, {"window_ns", "window"}, {"limit", "limit"}};
  Table table = ReportedLimits::table(first);
  const auto add = [&](const Cell& kernel, const ReportedLimits& limits) {
    limits.add_all(table, kernels_.empty()
                              ? Table::Row()
                              : Table::Row{kernel, TimeCell{limits.window}, limits.name()});
  };
  add(Cell(), run_);
  for (const Kernel& kernel : kernels_) add(kernel.name, kernel.limits);
  return table;
}

struct LimitsOptions final : ReportOptions {
  bool is_log = false, asked = false, of_kernels = false;

  std::unique_ptr<Report> make(const ReportContext& context) const override {
    if (is_log && !asked && !of_kernels && !context.summary) return nullptr;
    if (of_kernels && context.machine != nullptr) context.machine->observe_kernels();
    return std::make_unique<LimitsReport>(context, of_kernels);
  }
};

std::unique_ptr<ReportOptions> declare_limits(CLI::App& command, unsigned source) {
  auto options = std::make_unique<LimitsOptions>();
  options->is_log = source == ReportSource::log;
  if (options->is_log)
    add_report_flag(
        command, "--limits",
        "Limiting resource of the run, and the gain with twice as much of each resource",
        options->asked);
  if ((source & (ReportSource::run | ReportSource::log)) != 0)
    add_report_flag(command, "--kernel-limits",
                    "Limits of each kernel by itself, in addition to those of the run",
                    options->of_kernels);
  return options;
}

const ReportRegistration limits_registration(
    {10, "bottleneck", ReportSource::machine | ReportSource::log, {"kernel", "resource"}},
    declare_limits);

}  // namespace
}  // namespace kernbench
