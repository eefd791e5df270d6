// Limits of a run (spec 11.3): what limits it, and what twice as much of each resource would gain.
#include <CLI/CLI.hpp>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/events/op_log_player.h"
#include "platform/report/report.h"

namespace kernbench {
namespace {

class LimitsReport final : public Report, private tlm::tlm_analysis_if<LimitRow> {
 public:
  LimitsReport(const ReportContext& context, bool of_kernels)
      : of_kernels_(of_kernels), binding_(context.events.rows<LimitRow>(), *this) {
    if (context.log != nullptr && !context.summary) log_ = quote(context.log->path());
  }

  void close(Fs /*end*/) override {
    if (!log_.empty() && report_.run.rows.empty())
      throw UsageError(log_ + " has no limits, which --limits needs: no kernel ran");
  }
  std::string text() override { return report_.text(); }
  Json json() override { return report_.json(); }
  std::optional<Table> table() override { return report_.run.table(); }

 private:
  void write(const LimitRow& row) override {
    static const std::string kernel = "kernel ";
    Limits* limits = &report_.run;
    if (row.window.compare(0, kernel.size(), kernel) == 0) {
      if (!of_kernels_) return;
      const std::string name = row.window.substr(kernel.size());
      if (report_.kernels.empty() || report_.kernels.back().kernel != name)
        report_.kernels.push_back({name, {}});
      limits = &report_.kernels.back().limits;
    }
    limits->window = row.length;
    limits->is_estimated = row.is_estimated;
    limits->rows.push_back(row);
  }

  bool of_kernels_;
  std::string log_;  // that has to have limits; empty: none has
  LimitReport report_;
  AnalysisBinding<LimitRow> binding_;
};

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
