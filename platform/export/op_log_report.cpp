// Operation log of a run, CSV or SQLite (docs/op-log.md).
#include <CLI/CLI.hpp>

#include "models/data/functional_model.h"
#include "platform/config/yaml_text.h"
#include "platform/events/op_log_file.h"
#include "platform/output/json_text.h"
#include "platform/report/report.h"

namespace kernbench {
namespace {

class OpLogReport final : public Report, private tlm::tlm_analysis_if<LaunchEnd> {
 public:
  OpLogReport(const ReportContext& context, std::string file, std::uint64_t limit)
      : machine_(*context.machine), data_(context.data), metadata_(context.metadata),
        file_(std::move(file)), limit_(limit), ends_(machine_.launch_ends, *this) {
    if (data_ != nullptr) data_->record_moves(true);
    if (op_log_format(file_) == OpLogFormat::csv) return;  // operations only
    machine_.observe_launches();
    machine_.observe_regions();
    machine_.observe_time();
    machine_.observe_transfers();
    machine_.observe_launch_work();
  }

  void open() override {
    recorder_.emplace(open_result(file_, metadata_.configuration), data_, machine_.platform(),
                      machine_, limit_);
  }
  void close(Fs /*end*/) override {
    OpTable::Meta meta{{"status", name_of(machine_.status())},
                       {"program_version", metadata_.version},
                       {"command_line", metadata_.command_line},
                       {"configuration", yaml_as_json(metadata_.configuration)}};
    if (!machine_.failure().empty()) meta.emplace_back("error", machine_.failure());
    meta.insert(meta.end(), metadata_.facts.begin(), metadata_.facts.end());
    if (!launches_meta_.empty()) meta.emplace_back("launches", json_text(launches_meta_));
    recorder_->close(std::move(launches_), meta);
  }

 private:
  void write(const LaunchEnd& launch) override {
    launches_.push_back(
        {launch.kernel, launch.devices(), launch.issued, launch.ended, launch.requests});
    if (!launch.meta.empty())
      launches_meta_.push_back(
          {{"kernel", launch.kernel}, {"device", launch.devices()}, {"meta", launch.meta}});
  }

  MachineEvents& machine_;
  FunctionalModel* data_;
  RunMetadata metadata_;
  std::string file_;
  std::uint64_t limit_;
  std::vector<LaunchRow> launches_;
  Json launches_meta_ = Json::array();  // given by the program
  std::optional<OpLogRecorder> recorder_;
  AnalysisBinding<LaunchEnd> ends_;
};

struct OpLogOptions final : ReportOptions {
  std::string file;  // empty: none
  std::uint64_t limit = OpLogFile::default_limit;

  void check() const override {
    if (!file.empty()) op_log_format(file);
  }
  std::vector<std::string> files() const override { return {file}; }
  std::unique_ptr<Report> make(const ReportContext& context) const override {
    return file.empty() ? nullptr : std::make_unique<OpLogReport>(context, file, limit);
  }
};

std::unique_ptr<ReportOptions> declare_op_log(CLI::App& command, unsigned /*source*/) {
  auto options = std::make_unique<OpLogOptions>();
  CLI::Option* const op_log =
      command
          .add_option("--op-log", options->file,
                      "Write one line per executed operation, or one row of a SQLite database, by "
                      "the file's extension")
          ->type_name("F.csv|.sqlite")
          ->group(report_group);
  command
      .add_option("--op-log-limit", options->limit,
                  "Operations that the log holds in memory; further ones are written to disk "
                  "during the run")
      ->type_name("RECORDS")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
      ->needs(op_log)
      ->capture_default_str()
      ->group(report_group);
  return options;
}

const ReportRegistration op_log_registration(
    {240, "op_log", ReportSource::run, {}, ReportScope::whole_machine}, declare_op_log);

}  // namespace
}  // namespace kernbench
