// Statistics of every component and link of a machine, as a JSON file (spec 11.3, docs/json.md).
#include <CLI/CLI.hpp>

#include "platform/observe/run_statistics.h"
#include "platform/observe/waiting_times.h"
#include "platform/output/result_file.h"
#include "platform/report/report.h"
#include "platform/report/server_windows.h"
#include "platform/report/transfer_sums.h"

namespace kernbench {
namespace {

bool is_region(const std::string& window) { return window.compare(0, 7, "region ") == 0; }

class StatisticsReport final : public Report {
 public:
  StatisticsReport(const ReportContext& context, std::string file)
      : machine_(*context.machine), reports_(*context.reports),
        configuration_(context.metadata.configuration), file_name_(std::move(file)),
        transfers_(machine_), waiting_(machine_.platform()),
        windows_(machine_,
                 [](const std::string& name) { return name == "pe" || is_region(name); }) {
    machine_.observe_regions();
    machine_.observe_transfers();
  }

  void open() override { file_.emplace(open_result(file_name_, configuration_)); }
  void close(Fs /*end*/) override {
    Json json = machine_.statistics().json(
        machine_.regions() == nullptr ? Json::array() : machine_.regions()->json(), waiting_,
        transfers_.statistics_json());
    for (Json& region : json["regions"]) {
      const std::string label = region["label"];
      region["servers"] = windows_.table("region " + label).json();
    }
    json["bottleneck"] = reports_.json_of("bottleneck");
    if (Json energy = reports_.json_of("energy"); !energy.is_null())
      json["energy"] = std::move(energy);
    json["servers"] = windows_.table("pe").json();
    if (Json kernels = reports_.json_of("kernels"); !kernels.is_null())
      json["kernels"] = std::move(kernels);
    write_json_lines(file_->out(), json);
    file_->close();
  }

 private:
  MachineEvents& machine_;
  const Reports& reports_;
  std::string configuration_, file_name_;
  std::optional<ResultFile> file_;
  TransferSums transfers_;
  WaitingTimes waiting_;
  ServerWindows windows_;
};

struct StatisticsOptions final : ReportOptions {
  std::string file;  // empty: none

  bool lists_all() const override { return !file.empty(); }
  std::vector<std::string> files() const override { return {file}; }
  std::unique_ptr<Report> make(const ReportContext& context) const override {
    return file.empty() ? nullptr : std::make_unique<StatisticsReport>(context, file);
  }
};

std::unique_ptr<ReportOptions> declare_statistics(CLI::App& command, unsigned /*source*/) {
  auto options = std::make_unique<StatisticsOptions>();
  command.add_option("--stats", options->file, "Write the statistics of every component and link")
      ->type_name("F.json")
      ->group(report_group);
  return options;
}

const ReportRegistration statistics_registration(
    {230, "stats", ReportSource::machine, {}, ReportScope::whole_machine}, declare_statistics);

}  // namespace
}  // namespace kernbench
