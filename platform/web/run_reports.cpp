#include "platform/web/run_reports.h"

#include <CLI/CLI.hpp>
#include <array>
#include <vector>

#include "models/base/errors.h"
#include "platform/events/op_log_player.h"
#include "platform/report/critical_path.h"
#include "platform/report/log_comparison.h"
#include "platform/report/report.h"
#include "platform/report/transfer_sums.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

std::mutex& playback_mutex() {
  static std::mutex mutex;
  return mutex;
}

// Reports of `inspect` with some of its options. A report without data in the log fails alone.
class AskedReports {
 public:
  AskedReports(const std::string& options, LogPlayer& log) : app_("inspect") {
    set_.declare(app_, ReportSource::log);
    app_.parse(options, false);
    ReportContext context{ReportSource::log, log, nullptr, &log};
    context.summary = options.empty();
    context.lists_all = true;
    reports_ = std::make_unique<Reports>(set_, context);
  }
  Json json() {
    Json json = Json::object();
    try {
      reports_->close(0);
      reports_->add_to(json);
    } catch (const UsageError&) {  // the log lacks the data of the report
      json = Json::object();
    }
    return json;
  }

 private:
  CLI::App app_;
  ReportSet set_;
  std::unique_ptr<Reports> reports_;
};

}  // namespace

struct RunReports::Paths {
  explicit Paths(const std::string& path) : log(path), pes(log.observation()), transfers(log) {
    log.play();
    pes.close(log.launches());
  }

  LogPlayer log;
  PeLogs pes;
  CollectedTransfers transfers;
};

RunReports::RunReports(std::string log, const ServedMachine& machine)
    : log_(std::move(log)), machine_(machine),
      tables_([&machine](const std::string& text) { return machine.place_of(text); }) {}

RunReports::~RunReports() {
  const std::lock_guard<std::mutex> lock(playback_mutex());
  paths_.reset();
}

void RunReports::play() {
  if (is_played_) return;
  const std::lock_guard<std::mutex> playback(playback_mutex());
  LogPlayer log(log_);
  // The summary first; each of the others alone, because a log may lack its data.
  constexpr std::array<const char*, 7> options{"--limits --kernel-limits",
                                               "",
                                               "--servers",
                                               "--operators",
                                               "--top",
                                               "--breakdown",
                                               "--energy"};
  std::vector<std::unique_ptr<AskedReports>> reports;
  for (const char* each : options) reports.push_back(std::make_unique<AskedReports>(each, log));
  log.play();
  for (std::size_t i = 0; i < reports.size(); ++i) {
    Json json = reports[i]->json();
    tables_.add("", json);
    if (i < 2) summary_.update(json);
    reports[i].reset();
  }
  is_played_ = true;
}

const Json& RunReports::summary() {
  const std::lock_guard<std::mutex> lock(mutex_);
  play();
  return summary_;
}

const WebTables& RunReports::tables() {
  const std::lock_guard<std::mutex> lock(mutex_);
  play();
  return tables_;
}

Json RunReports::critical_path(std::uint64_t number) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::lock_guard<std::mutex> playback(playback_mutex());
  if (!paths_) paths_ = std::make_unique<Paths>(log_);
  const std::vector<LaunchRow>& launches = paths_->log.launches();
  const LaunchRow& launch =
      number == 0 ? longest_of(launches, log_) : launch_of(launches, number, log_);
  const CriticalPath path =
      kernbench::critical_path(paths_->pes, launch, &paths_->transfers.by_end());
  Json steps = Json::array();
  for (const PathStep& step : path.steps) {
    const std::string place = machine_.place_of(step.where);
    steps.push_back({{"place", place.empty() ? Json() : Json(place)},
                     {"where", step.where},
                     {"what", step.what},
                     {"resource", step.resource},
                     {"kind", step.kind == PathStep::Kind::wait ? "wait" : "operation"},
                     {"after", step.after},
                     {"start_fs", step.start},
                     {"end_fs", step.end}});
  }
  return {{"launch", launch.id},       {"kernel", launch.kernel},
          {"begin_fs", launch.issued}, {"end_fs", launch.ended},
          {"steps", std::move(steps)}, {"resources", path.resources_table().json()}};
}

Json compare_logs(const std::string& a, const std::string& b) {
  const std::lock_guard<std::mutex> playback(playback_mutex());
  LogPlayer first(a), second(b);
  LogComparison comparison(first, second);
  first.play();
  second.play();
  comparison.close();
  return comparison.json();
}

}  // namespace kernbench
