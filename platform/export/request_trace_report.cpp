// Path and times of every request of a run (spec 11.2).
#include <CLI/CLI.hpp>

#include "platform/export/request_trace.h"
#include "platform/output/result_file.h"
#include "platform/report/report.h"

namespace kernbench {
namespace {

class RequestTraceReport final : public Report {
 public:
  RequestTraceReport(const ReportContext& context, std::string file)
      : machine_(*context.machine), configuration_(context.metadata.configuration),
        file_name_(std::move(file)) {}

  void open() override {
    file_.emplace(open_result(file_name_, configuration_));
    trace_.emplace(machine_.platform(), file_->out());
    trace_->number_by([this](const TieKey& key, NodeId initiator) {
      return machine_.request_number ? machine_.request_number(key, initiator) : std::nullopt;
    });
  }
  void close(Fs /*end*/) override {
    trace_->close();
    file_->close();
  }

 private:
  MachineEvents& machine_;
  std::string configuration_, file_name_;
  std::optional<ResultFile> file_;
  std::optional<RequestTrace> trace_;
};

struct RequestTraceOptions final : ReportOptions {
  std::string file;  // empty: none

  std::vector<std::string> files() const override { return {file}; }
  std::unique_ptr<Report> make(const ReportContext& context) const override {
    return file.empty() ? nullptr : std::make_unique<RequestTraceReport>(context, file);
  }
};

std::unique_ptr<ReportOptions> declare_requests(CLI::App& command, unsigned /*source*/) {
  auto options = std::make_unique<RequestTraceOptions>();
  command
      .add_option("--trace-requests", options->file,
                  "Write a JSON-lines trace of every transfer and command")
      ->type_name("F.jsonl")
      ->group(report_group);
  return options;
}

const ReportRegistration requests_registration({220, "requests", ReportSource::machine},
                                               declare_requests);

}  // namespace
}  // namespace kernbench
