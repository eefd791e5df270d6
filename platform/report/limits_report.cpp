// Limits of a run (spec 11.3): what limits it, and what twice as much of each resource would gain.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/events/op_log_player.h"
#include "platform/observe/limits.h"
#include "platform/output/line_width.h"
#include "platform/report/report.h"

namespace kernbench {
namespace {

constexpr std::size_t rows_of_run = 12;

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
                       " has no limits of kernels, which --kernel-limits needs: run again "
                       "with --kernel-limits");
  }
  std::string text() override;
  Json json() override;
  // With the kernels a row for each of them and resource, first those of the run.
  std::optional<Table> table() override;

 private:
  struct Kernel {
    std::string name;  // "matmul"; "a + b": concurrent kernels
    Limits limits;
  };
  void write(const LimitRow& row) override;

  bool of_kernels_;
  std::size_t most_;  // rows in text, of the run and of each kernel
  std::string log_;   // that has to have limits; empty: none has
  Limits run_;
  std::vector<Kernel> kernels_;
  AnalysisBinding<LimitRow> binding_;
};

void LimitsReport::write(const LimitRow& row) {
  static const std::string kernel = "kernel ";
  Limits* limits = &run_;
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
  Table of_run = Limits::significant_table();
  run_.add_significant(of_run, {}, most_);
  std::string text = fitted("limit: " + run_.verdict(), 7) + "\n\n" + of_run.text();
  if (kernels_.empty()) return text;
  text += '\n';
  Table of_kernels = Limits::significant_table({{"kernel"}});
  for (const Kernel& kernel : kernels_) {
    const Limits& limits = kernel.limits;
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
  Table table = Limits::table(first);
  const auto add = [&](const Cell& kernel, const Limits& limits) {
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
    add_report_flag(command, "--limits",
                    "What limited the run, and what twice as much of each resource would have "
                    "gained",
                    options->asked);
  if ((source & (ReportSource::run | ReportSource::log)) != 0)
    add_report_flag(command, "--kernel-limits",
                    "Limits of each kernel by itself, in addition to those of the run",
                    options->of_kernels);
  return options;
}

const ReportRegistration limits_registration({10, "bottleneck",
                                              ReportSource::machine | ReportSource::log},
                                             declare_limits);

}  // namespace
}  // namespace kernbench
