// Timeline of a run for Perfetto (spec 11.2).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <map>

#include "models/base/quote.h"
#include "platform/export/timeline.h"
#include "platform/output/result_file.h"
#include "platform/report/report.h"

namespace kernbench {
namespace {

class TimelineExport final : public Report, private tlm::tlm_analysis_if<HostCall> {
 public:
  TimelineExport(const ReportContext& context, std::string file, std::uint64_t limit)
      : platform_(context.machine->platform()), configuration_(context.metadata.configuration),
        file_(std::move(file)), limit_(limit), powers_(context.events),
        calls_(context.machine->host_calls, *this) {}

  void open() override {
    timeline_.emplace(platform_, timeline_writer(open_result(file_, configuration_)), limit_);
  }
  void close(Fs /*end*/) override {
    timeline_->close([this](TimelineRecorder& out) { write_powers(out); });
    if (const std::string left_out = timeline_->left_out(); !left_out.empty())
      std::cerr << fmt::format(
          "kernbench: the timeline {} has {} slices; left out beyond them: {} (--timeline-limit)\n",
          quote(file_), timeline_->slices(), left_out);
  }

 private:
  void write(const HostCall& call) override {
    if (call.step == HostCall::Step::end) {
      if (const auto open = open_.extract(call.id)) timeline_->end_call(open.mapped());
      return;
    }
    TimelineArguments arguments;
    if (!call.details.empty()) arguments.emplace_back("details", call.details);
    open_[call.id] = timeline_->begin_call(call.rank, call.name, std::move(arguments));
  }
  // With --energy: of each SIP and the rest of the system, and of each kind of component or link.
  void write_powers(TimelineRecorder& out) const {
    std::map<std::pair<std::string, std::string>, TimelineRecorder::Points> series;
    for (const PowerRow& row : powers_.all()) {
      const bool is_sip = row.part == "place" && row.name != "system";
      series[{is_sip ? row.name : "power", row.name + " power"}].emplace_back(row.begin, row.w);
    }
    for (const auto& [names, points] : series) out.points(names.first, names.second, "W", points);
  }

  Platform& platform_;
  std::string configuration_, file_;
  std::uint64_t limit_;
  std::optional<Timeline> timeline_;
  std::map<std::uint64_t, TimelineRecorder::Open> open_;  // calls in progress
  CollectedRows<PowerRow> powers_;
  AnalysisBinding<HostCall> calls_;
};

struct TimelineOptions final : ReportOptions {
  std::string file;  // empty: none
  std::uint64_t limit = TimelineRecorder::default_limit;

  void check() const override {
    if (!file.empty()) timeline_name(file);
  }
  std::vector<std::string> files() const override { return {file}; }
  std::unique_ptr<Report> make(const ReportContext& context) const override {
    return file.empty() ? nullptr : std::make_unique<TimelineExport>(context, file, limit);
  }
};

std::unique_ptr<ReportOptions> declare_timeline(CLI::App& command, unsigned /*source*/) {
  auto options = std::make_unique<TimelineOptions>();
  CLI::Option* const timeline =
      command
          .add_option("--timeline", options->file,
                      "Write the run for ui.perfetto.dev: slices, arrows and counters, as JSON or "
                      "in Perfetto's format; a further .gz compresses it")
          ->type_name("F.json|.pftrace|.gz")
          ->group(report_group);
  command
      .add_option("--timeline-limit", options->limit,
                  "Maximum number of slices in the timeline; counters cover the whole run, and "
                  "a message reports omitted slices")
      ->type_name("SLICES")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
      ->needs(timeline)
      ->capture_default_str()
      ->group(report_group);
  return options;
}

const ReportRegistration timeline_registration({210, "timeline", ReportSource::machine},
                                               declare_timeline);

}  // namespace
}  // namespace kernbench
