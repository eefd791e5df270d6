// Kernels and composites of a run: one line per kernel, or per launch, and its distance from the
// bound of its roofline (spec 11.3).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "platform/events/machine_events.h"
#include "platform/observe/kernel_work.h"
#include "platform/output/json_text.h"
#include "platform/output/table.h"
#include "platform/report/report.h"

namespace kernbench {

namespace {

// KernelLaunches: launches of a run with their rooflines, grouped by kernel, and individually where
// a report lists launches.
//
// A launch that is not listed takes no memory once it is in its group.

struct ReportedLaunch {
  std::string kernel;
  std::string devices;                      // "sip0"
  std::map<std::string, std::string> meta;  // from the program
  KernelMetrics merged;                     // maximum over the PEs
  MetricsOfPes per_pe;
  std::map<PeId, Fs> start;          // kernel starts of PEs that report them
  std::optional<Roofline> roofline;  // over all its PEs; none: one does not report it
  std::map<std::string, CompositeTimes> composites;
};

// Launches of one kernel.
struct KernelGroup {
  std::string kernel;
  std::size_t launches = 0, pes = 0;               // distinct PEs
  Fs shortest = never_fs, longest = 0, total = 0;  // pe_exec over the launches
  Fs dma = 0, compute = 0;                         // sums
  std::string slowest;                             // PE with the longest pe_exec
  std::size_t rated = 0;                           // launches with a roofline
  Roofline roofline;                               // roofline of those launches together
  std::map<std::string, CompositeTimes> composites;
};

class KernelLaunches final : private tlm::tlm_analysis_if<RatedLaunch> {
 public:
  // `lists`: launches() contains every launch.
  KernelLaunches(MachineEvents& events, bool lists)
      : lists_(lists), rated_(events.rated_launches, *this) {
    events.observe_launch_work();
  }

  const std::vector<ReportedLaunch>& launches() const { return launches_; }
  const std::vector<KernelGroup>& groups() const { return groups_; }  // in order of first launches

 private:
  void write(const RatedLaunch& rated) override;
  void add_to_group(const ReportedLaunch& launch);

  bool lists_;
  std::vector<ReportedLaunch> launches_;
  std::vector<KernelGroup> groups_;
  std::map<std::string, std::size_t> index_;  // group of a kernel
  std::map<std::string, std::set<PeId>> pes_;
  AnalysisBinding<RatedLaunch> rated_;
};

void KernelLaunches::write(const RatedLaunch& rated) {
  ReportedLaunch launch;
  launch.kernel = rated.launch.kernel;
  launch.devices = rated.launch.devices();
  launch.meta = rated.launch.meta;
  launch.merged = rated.launch.merged;
  launch.per_pe = rated.launch.per_pe;
  launch.roofline = rated.roofline;
  for (const auto& [where, run] : rated.kernels) {
    if (lists_) launch.start[where] = run->begin;
    for (const auto& [name, times] : run->composites) launch.composites[name] += times;
  }
  add_to_group(launch);
  if (lists_) launches_.push_back(std::move(launch));
}

void KernelLaunches::add_to_group(const ReportedLaunch& kernel) {
  const auto [found, is_new] = index_.try_emplace(kernel.kernel, groups_.size());
  if (is_new) {
    groups_.emplace_back();
    groups_.back().kernel = kernel.kernel;
  }
  KernelGroup& group = groups_[found->second];
  std::set<PeId>& pes = pes_[kernel.kernel];
  ++group.launches;
  group.shortest = std::min(group.shortest, kernel.merged.pe_exec);
  group.total += kernel.merged.pe_exec;
  group.dma += kernel.merged.dma;
  group.compute += kernel.merged.compute;
  for (const auto& [where, metrics] : kernel.per_pe) {
    pes.insert(where);
    if (!group.slowest.empty() && metrics.pe_exec <= group.longest) continue;
    group.longest = metrics.pe_exec;
    group.slowest = where.str();
  }
  group.pes = pes.size();
  if (kernel.roofline) {
    if (group.rated++ == 0) {
      group.roofline = *kernel.roofline;  // with its busiest HBM and link
    } else {
      group.roofline += *kernel.roofline;
    }
  }
  for (const auto& [name, times] : kernel.composites) group.composites[name] += times;
}

using Json = nlohmann::ordered_json;
using Align = Table::Align;

std::string mean_text(Fs total, std::size_t count) {
  return readable_time(to_ns(total) / static_cast<double>(count));
}

class RooflineTable {
 public:
  void add(const std::string& what, const std::string& where, std::size_t count,
           const Roofline& roofline) {
    std::vector<std::string> cells{what, where, fmt::format("{}", count),
                                   mean_text(roofline.window, count)};
    for (std::size_t i = 0; i < roof_count; ++i)
      cells.push_back(percent(roofline.share(static_cast<Bound>(i))));
    cells.push_back(name_of(roofline.nearest()));
    table_.add(row_of(std::move(cells)));
  }
  std::string text() const { return table_.empty() ? "" : '\n' + table_.text(); }

 private:
  Table table_{{{"roofline"},
                {"of"},
                {"count", Align::right},
                {"mean time", Align::right},
                {name_of(Bound::compute), Align::right},
                {name_of(Bound::tcm), Align::right},
                {name_of(Bound::hbm), Align::right},
                {name_of(Bound::link), Align::right},
                {"nearest"}}};
};

std::string launches_text(const std::vector<ReportedLaunch>& kernels) {
  Table table({{"kernel"},
               {"device"},
               {"PEs", Align::right},
               {"start", Align::right},
               {"pe_exec", Align::right},
               {"dma", Align::right},
               {"compute", Align::right}});
  for (const ReportedLaunch& kernel : kernels) {
    const auto first =
        std::min_element(kernel.start.begin(), kernel.start.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    table.add({kernel.kernel, kernel.devices, fmt::format("{}", kernel.per_pe.size()),
               first == kernel.start.end() ? "-" : readable_time(to_ns(first->second)),
               readable_time(to_ns(kernel.merged.pe_exec)), readable_time(to_ns(kernel.merged.dma)),
               readable_time(to_ns(kernel.merged.compute))});
  }
  return table.text();
}

std::string groups_text(const std::vector<KernelGroup>& groups) {
  Table table({{"kernel"},
               {"launches", Align::right},
               {"PEs", Align::right},
               {"min pe_exec", Align::right},
               {"mean", Align::right},
               {"max", Align::right},
               {"slowest"},
               {"dma", Align::right},
               {"compute", Align::right}});
  for (const KernelGroup& group : groups) {
    table.add({group.kernel, fmt::format("{}", group.launches), fmt::format("{}", group.pes),
               readable_time(to_ns(group.shortest)), mean_text(group.total, group.launches),
               readable_time(to_ns(group.longest)), group.slowest,
               mean_text(group.dma, group.launches), mean_text(group.compute, group.launches)});
  }
  return table.text();
}

Json roofline_json(const Roofline& roofline) {
  const auto at = [&roofline](Bound bound) {
    return roofline.at_ns[static_cast<std::size_t>(bound)];
  };
  return {{"window_ns", ns_json(roofline.window)},
          {"compute_at_peak_ns", at(Bound::compute)},
          {"tcm_at_peak_ns", at(Bound::tcm)},
          {"hbm_at_peak_ns", at(Bound::hbm)},
          {"link_at_peak_ns", at(Bound::link)},
          {"nearest", name_of(roofline.nearest())},
          {"of_nearest", roofline.share(roofline.nearest())},
          {"busiest_hbm", roofline.hbm.empty() ? Json() : Json(roofline.hbm)},
          {"busiest_link", roofline.link.empty() ? Json() : Json(roofline.link)}};
}

Json composites_json(const std::map<std::string, CompositeTimes>& composites) {
  Json list = Json::array();
  for (const auto& [name, times] : composites) {
    list.push_back({{"composite", name},
                    {"count", times.count},
                    {"min_ns", ns_json(times.shortest)},
                    {"mean_ns", to_ns(times.roofline.window) / static_cast<double>(times.count)},
                    {"max_ns", ns_json(times.longest)},
                    {"roofline", roofline_json(times.roofline)}});
  }
  return list;
}

std::string kernels_text(const std::vector<KernelGroup>& groups,
                         const std::vector<ReportedLaunch>* launches) {
  if (groups.empty()) return "";
  RooflineTable rooflines;
  for (std::size_t i = 0; launches != nullptr && i < launches->size(); ++i) {
    const ReportedLaunch& kernel = (*launches)[i];
    if (kernel.roofline) rooflines.add(kernel.kernel, kernel.devices, 1, *kernel.roofline);
  }
  for (const KernelGroup& group : groups) {
    if (launches == nullptr && group.rated > 0)
      rooflines.add(group.kernel, "launches", group.rated, group.roofline);
    for (const auto& [name, times] : group.composites)
      rooflines.add(name, group.kernel, times.count, times.roofline);
  }
  return (launches != nullptr ? launches_text(*launches) : groups_text(groups)) + rooflines.text();
}

Json kernels_json(const std::vector<ReportedLaunch>& kernels) {
  Json list = Json::array();
  for (const ReportedLaunch& kernel : kernels) {
    Json entry;
    entry["kernel"] = kernel.kernel;
    entry["device"] = kernel.devices;
    if (!kernel.meta.empty()) entry["meta"] = kernel.meta;
    entry["pes"] = kernel.per_pe.size();
    entry["pe_exec_ns"] = ns_json(kernel.merged.pe_exec);
    entry["dma_ns"] = ns_json(kernel.merged.dma);
    entry["compute_ns"] = ns_json(kernel.merged.compute);
    entry["start_skew_ns"] = ns_json(kernel.merged.start_skew);
    entry["roofline"] = kernel.roofline ? roofline_json(*kernel.roofline) : Json();
    entry["per_pe"] = Json::array();
    for (const auto& [where, metrics] : kernel.per_pe) {
      const auto start = kernel.start.find(where);
      entry["per_pe"].push_back(
          {{"pe", where.str()},
           {"start_ns", start == kernel.start.end() ? Json() : ns_json(start->second)},
           {"pe_exec_ns", ns_json(metrics.pe_exec)},
           {"dma_ns", ns_json(metrics.dma)},
           {"compute_ns", ns_json(metrics.compute)}});
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json kernel_groups_json(const std::vector<KernelGroup>& groups) {
  Json list = Json::array();
  for (const KernelGroup& group : groups) {
    const auto mean = [&group](Fs total) {
      return to_ns(total) / static_cast<double>(group.launches);
    };
    list.push_back({{"kernel", group.kernel},
                    {"launches", group.launches},
                    {"pes", group.pes},
                    {"pe_exec_min_ns", ns_json(group.shortest)},
                    {"pe_exec_mean_ns", mean(group.total)},
                    {"pe_exec_max_ns", ns_json(group.longest)},
                    {"slowest", group.slowest},
                    {"dma_mean_ns", mean(group.dma)},
                    {"compute_mean_ns", mean(group.compute)},
                    {"roofline", group.rated == 0 ? Json() : roofline_json(group.roofline)},
                    {"composites", composites_json(group.composites)}});
  }
  return list;
}

class KernelsReport final : public Report {
 public:
  KernelsReport(const ReportContext& context, bool per_launch)
      : per_launch_(per_launch), launches_(*context.machine, per_launch || context.lists_all) {}

  std::string text() override {
    return kernels_text(launches_.groups(), per_launch_ ? &launches_.launches() : nullptr);
  }
  Json json() override { return kernels_json(launches_.launches()); }
  void add_to(Json& json, const char* name) override {
    json[name] = this->json();
    json["kernel_groups"] = kernel_groups_json(launches_.groups());
  }

 private:
  bool per_launch_;
  KernelLaunches launches_;
};

struct KernelsOptions final : ReportOptions {
  bool per_launch = false;

  std::unique_ptr<Report> make(const ReportContext& context) const override {
    return std::make_unique<KernelsReport>(context, per_launch);
  }
};

std::unique_ptr<ReportOptions> declare_kernels(CLI::App& command, unsigned /*source*/) {
  auto options = std::make_unique<KernelsOptions>();
  add_report_flag(command, "--per-launch",
                  "One line for each launch of a kernel; without it one for each kernel",
                  options->per_launch);
  return options;
}

const ReportRegistration kernels_registration({30, "kernels", ReportSource::run}, declare_kernels);

}  // namespace

}  // namespace kernbench
