// Report of --log: log lines of a run, on standard error.
#include <CLI/CLI.hpp>

#include "platform/observe/log_selection.h"
#include "platform/report/report.h"

namespace kernbench {
namespace {

class LogReport final : public Report {
 public:
  LogReport(const ReportContext& context, std::vector<LogRequest> requests)
      : selection_(std::move(requests), context.machine->platform(), context.rank_name),
        guard_([this](const ReportLine& line) {
          if (selection_.shows(line)) print_report_line(line);
        }) {}

 private:
  LogSelection selection_;
  ReportGuard guard_;
};

struct LogOptions final : ReportOptions {
  std::vector<std::string> texts;

  void check() const override { requests(); }
  std::unique_ptr<Report> make(const ReportContext& context) const override {
    return texts.empty() ? nullptr : std::make_unique<LogReport>(context, requests());
  }
  std::vector<LogRequest> requests() const {
    std::vector<LogRequest> requests;
    for (const std::string& text : texts) requests.push_back(parse_log_request(text));
    return requests;
  }
};

std::unique_ptr<ReportOptions> declare_log(CLI::App& command, unsigned /*source*/) {
  auto options = std::make_unique<LogOptions>();
  command
      .add_option("--log", options->texts,
                  "Log on standard error with simulated times: components by glob (host: calls of "
                  "the torch API and messages), or ccl: sends, receives and calls of collectives. "
                  "LEVEL: error, warning (failures), info (launches, kernels, calls), debug "
                  "(commands, DMA, messages), trace (tile stages, flits); default: info. "
                  "Repeatable, later ones take precedence")
      ->type_name("COMPONENT[=LEVEL]")
      ->allow_extra_args(false)
      ->group(report_group);
  return options;
}

const ReportRegistration log_registration({250, "log", ReportSource::machine}, declare_log);

}  // namespace
}  // namespace kernbench
