#include "sc_main/kernel_summary.h"

#include <algorithm>

namespace kernbench {
namespace {

// Posted transfers of a launch may end behind it, but not behind so many others.
constexpr std::size_t launches_behind = 64;

// What the PEs of a launch have done; none if one of them does not report it.
void rate(KernelReport& report, const LaunchRecord& launch, const KernelWork& work,
          bool lists_launches) {
  std::vector<const PeWork*> of_pes;
  Fs begin = never_fs, end = 0;
  for (const auto& [where, pe] : launch.metrics.per_pe) {
    const KernelExecution* run = work.find(where, launch.request_ids);
    if (run == nullptr) continue;
    if (lists_launches) report.start[where] = run->begin;
    begin = std::min(begin, run->begin);
    end = std::max({end, run->end, run->last_transfer});
    of_pes.push_back(&run->work);
    for (const auto& [name, times] : run->composites) report.composites[name] += times;
  }
  if (!of_pes.empty() && of_pes.size() == launch.metrics.per_pe.size())
    report.roofline = roofline_of(of_pes, end - begin, work.graph());
}

KernelReport report_of(LaunchRecord& launch, const KernelWork& work, bool lists_launches) {
  KernelReport report;
  report.kernel = launch.name;
  report.devices = devices_of(launch.metrics);
  report.meta = launch.meta;
  report.merged = launch.metrics.merged;
  rate(report, launch, work, lists_launches);
  if (lists_launches) {
    report.per_pe = launch.metrics.per_pe;
  } else {
    report.per_pe = std::move(launch.metrics.per_pe);
  }
  return report;
}

}  // namespace

void KernelSummary::ended(LaunchRecord launch) {
  recent_.push_back(std::move(launch));
  if (lists_launches_ || recent_.size() <= launches_behind) return;
  take(recent_.front());
  recent_.pop_front();
}

void KernelSummary::close() {
  for (LaunchRecord& launch : recent_) take(launch);
  if (lists_launches_) launches_.assign(recent_.begin(), recent_.end());
  recent_.clear();
}

void KernelSummary::take(LaunchRecord& launch) {
  KernelReport report = report_of(launch, work_, lists_launches_);
  add_to_group(report);
  if (lists_launches_) return kernels_.push_back(std::move(report));
  for (const auto& [where, metrics] : report.per_pe) work_.forget(where, launch.request_ids);
}

void KernelSummary::add_to_group(const KernelReport& kernel) {
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

}  // namespace kernbench
