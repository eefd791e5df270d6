#include "platform/report/critical_path.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/events/op_log_player.h"
#include "platform/output/json_text.h"
#include "platform/report/option_values.h"
#include "platform/report/report.h"

namespace kernbench {
namespace {

const char* name_of(PathStep::Kind kind) {
  constexpr std::array<const char*, 2> names{"operation", "wait"};
  return names.at(static_cast<std::size_t>(kind));
}

double share_of(const CriticalPath& path, Fs time) {
  const Fs length = path.launch.length();
  return length == 0 ? 0 : static_cast<double>(time) / static_cast<double>(length);
}

// Steps as lines: consecutive steps of one resource at one place are merged.
Table path_lines(const CriticalPath& path) {
  Table table("lines", {{"start_ns", "start ns"},
                        {"time_ns", "ns"},
                        {"share", "share"},
                        {"kind", "kind"},
                        {"resource", "resource"},
                        {"where", "where"},
                        {"what", "what"}});
  for (std::size_t first = 0; first < path.steps.size();) {
    const PathStep& step = path.steps[first];
    std::size_t next = first + 1;
    while (next < path.steps.size() && path.steps[next].resource == step.resource &&
           path.steps[next].where == step.where && path.steps[next].kind == step.kind)
      ++next;
    const PathStep& last = path.steps[next - 1];
    std::string what = step.kind == PathStep::Kind::wait ? "for " + step.what : step.what;
    if (next > first + 1)
      what = fmt::format("{} of these: {} ... {}", next - first, step.what, last.what);
    table.add({ExactTimeCell{step.start}, ExactTimeCell{last.end - step.start},
               ShareCell{share_of(path, last.end - step.start)}, name_of(step.kind), step.resource,
               step.where, what});
    first = next;
  }
  return table;
}

// "sip5 > sip3" for "sip5.cube0.pe0 > sip3.cube0.pe0", "sip3" for two places on it.
std::string device_of(const std::string& where) {
  const auto sip_of = [](const std::string& place) { return place.substr(0, place.find('.')); };
  const std::size_t arrow = where.find(" > ");
  if (arrow == std::string::npos) return sip_of(where);
  const std::string from = sip_of(where.substr(0, arrow)), to = sip_of(where.substr(arrow + 3));
  return from == to ? from : from + " > " + to;
}

Fs sum_of(const CriticalPath& path) {
  Fs sum = 0;
  for (const PathStep& step : path.steps) sum += step.time();
  return sum;
}

}  // namespace

// --- Launches

const LaunchRow& longest_of(const std::vector<LaunchRow>& launches, const std::string& source) {
  if (launches.empty())
    throw UsageError(fmt::format("{} has no launch that has ended", quote(source)));
  return *std::max_element(
      launches.begin(), launches.end(),
      [](const LaunchRow& a, const LaunchRow& b) { return a.length() < b.length(); });
}

const LaunchRow& launch_of(const std::vector<LaunchRow>& launches, std::uint64_t id,
                           const std::string& source) {
  const auto found = std::find_if(launches.begin(), launches.end(),
                                  [id](const LaunchRow& launch) { return launch.id == id; });
  if (found != launches.end()) return *found;
  throw UsageError(
      launches.size() > 1
          ? fmt::format("{} has no launch {}, it has 1 to {}", quote(source), id, launches.size())
          : fmt::format("{} has no launch {}, it has launch {} only", quote(source), id,
                        longest_of(launches, source).id));
}

// --- Tables

std::vector<PathResource> CriticalPath::resources() const {
  std::map<std::pair<PathStep::Kind, std::string>, PathResource> by_name;
  for (const PathStep& step : steps) {
    PathResource& resource = by_name[{step.kind, step.resource}];
    resource.resource = step.resource;
    resource.kind = step.kind;
    ++resource.steps;
    resource.time += step.time();
  }
  std::vector<PathResource> sorted;
  for (auto& [name, resource] : by_name) sorted.push_back(std::move(resource));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const PathResource& a, const PathResource& b) { return a.time > b.time; });
  return sorted;
}

Table CriticalPath::steps_table() const {
  Table table("steps", {{"start_ns", "start ns"},
                        {"end_ns", "end ns"},
                        {"time_ns", "ns"},
                        {"kind", "kind"},
                        {"resource", "resource"},
                        {"where", "where"},
                        {"what", "what"},
                        {"after", "after"},
                        {"op", "op"}});
  for (const PathStep& step : steps) {
    Cell op;
    if (step.op) op = *step.op;
    table.add({ExactTimeCell{step.start}, ExactTimeCell{step.end}, ExactTimeCell{step.time()},
               name_of(step.kind), step.resource, step.where, step.what, step.after, op});
  }
  return table;
}

Table CriticalPath::resources_table() const {
  Table table("resources", {{"resource", "resource"},
                            {"kind", "kind"},
                            {"steps", "steps"},
                            {"time_ns", "ns"},
                            {"share", "share"},
                            {"at_least_ns", "without it at least"}});
  for (const PathResource& resource : resources()) {
    table.add({resource.resource, name_of(resource.kind), resource.steps,
               ExactTimeCell{resource.time}, ShareCell{share_of(*this, resource.time)},
               ExactTimeCell{launch.length() - resource.time}});
  }
  return table;
}

Table CriticalPath::devices_table() const {
  Table table("devices",
              {{"device", "device"}, {"steps", "steps"}, {"time_ns", "ns"}, {"share", "share"}});
  struct Part {
    std::uint64_t steps = 0;
    Fs time = 0;
  };
  std::map<std::string, Part> by_device;
  for (const PathStep& step : steps) {
    Part& part = by_device[device_of(step.where)];
    ++part.steps;
    part.time += step.time();
  }
  std::vector<std::pair<std::string, Part>> sorted(by_device.begin(), by_device.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.time > b.second.time; });
  for (const auto& [device, part] : sorted)
    table.add(
        {device, part.steps, ExactTimeCell{part.time}, ShareCell{share_of(*this, part.time)}});
  return table;
}

bool CriticalPath::has_several_devices() const {
  std::set<std::string> devices;
  for (const PathStep& step : steps) {
    const std::string device = device_of(step.where);
    if (device.find(" > ") == std::string::npos) devices.insert(device);
  }
  return devices.size() > 1;
}

std::string CriticalPath::text(std::size_t most) const {
  std::string text =
      fmt::format("launch {} of '{}' on {}: {} ns, from its issue at {} ns to its end at {} ns\n\n",
                  launch.id, launch.kernel, launch.device, exact_ns(launch.length()),
                  exact_ns(launch.issued), exact_ns(launch.ended));
  text += path_lines(*this).text("", most, Table::Cut::middle);
  text += fmt::format("sum of {} steps: {} ns\n\n", steps.size(), exact_ns(sum_of(*this)));
  text += resources_table().text();
  if (has_several_devices()) text += '\n' + devices_table().text();
  return text;
}

nlohmann::ordered_json CriticalPath::json() const {
  return {{"launch", launch.id},
          {"kernel", launch.kernel},
          {"device", launch.device},
          {"issue_ns", ns_json(launch.issued)},
          {"end_ns", ns_json(launch.ended)},
          {"length_ns", ns_json(launch.length())},
          {"resources", resources_table().json()},
          {"devices", devices_table().json()},
          {"steps", steps_table().json()}};
}

// --- Report

namespace {

class CriticalPathReport final : public Report {
 public:
  CriticalPathReport(const ReportContext& context, std::string launch)
      : log_(*context.log), rows_(context.rows.value_or(80)), launch_(std::move(launch)),
        pes_(context.events.observation()), transfers_(context.events) {}

  void close(Fs /*end*/) override {
    const std::vector<LaunchRow>& launches = log_.launches();
    pes_.close(launches);
    path_ = critical_path(pes_,
                          launch_.empty() ? longest_of(launches, log_.path())
                                          : launch_of(launches, std::stoull(launch_), log_.path()),
                          &transfers_.by_end());
  }
  std::string text() override { return path_.text(rows_); }
  Json json() override { return path_.json(); }
  std::optional<Table> table() override { return path_.steps_table(); }

 private:
  const LogPlayer& log_;
  std::size_t rows_;
  std::string launch_;
  PeLogs pes_;
  CollectedTransfers transfers_;
  CriticalPath path_;
};

struct CriticalPathOptions final : ReportOptions {
  std::string launch;
  const CLI::Option* option = nullptr;

  std::unique_ptr<Report> make(const ReportContext& context) const override {
    if (option->count() == 0) return nullptr;
    return std::make_unique<CriticalPathReport>(context, launch);
  }
};

std::unique_ptr<ReportOptions> declare_critical_path(CLI::App& command, unsigned /*source*/) {
  auto options = std::make_unique<CriticalPathOptions>();
  options->option = command
                        .add_option("--critical-path", options->launch,
                                    "Critical path of a launch: the operations and stalls that "
                                    "make up its length; by number (default: the longest)")
                        ->type_name("LAUNCH")
                        ->expected(0, 1)
                        ->check(whole_number())
                        ->group(report_group);
  return options;
}

const ReportRegistration critical_path_registration({80, "critical_path", ReportSource::log},
                                                    declare_critical_path);

}  // namespace

}  // namespace kernbench
