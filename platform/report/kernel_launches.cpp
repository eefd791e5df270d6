#include "platform/report/kernel_launches.h"

#include <algorithm>

namespace kernbench {
namespace {

// Posted transfers of a launch may end behind it, but not behind so many others.
constexpr std::size_t launches_behind = 64;

}  // namespace

void KernelLaunches::write(const LaunchEnd& launch) {
  recent_.push_back(launch);
  if (recent_.size() <= launches_behind) return;
  take(recent_.front());
  recent_.pop_front();
}

void KernelLaunches::close() {
  for (LaunchEnd& launch : recent_) take(launch);
  recent_.clear();
}

void KernelLaunches::take(LaunchEnd& launch) {
  ReportedLaunch rated_launch = rated(launch);
  add_to_group(rated_launch);
  for (const auto& [where, metrics] : rated_launch.per_pe) work_.forget(where, launch.requests);
  if (lists_) launches_.push_back(std::move(rated_launch));
}

// With the work of its PEs; without a roofline if one of them does not report it.
ReportedLaunch KernelLaunches::rated(LaunchEnd& launch) const {
  ReportedLaunch rated;
  rated.kernel = launch.kernel;
  rated.devices = launch.devices();
  rated.meta = launch.meta;
  rated.merged = launch.merged;
  std::vector<const PeWork*> of_pes;
  Fs begin = never_fs, end = 0;
  for (const auto& [where, pe] : launch.per_pe) {
    const KernelExecution* run = work_.find(where, launch.requests);
    if (run == nullptr) continue;
    if (lists_) rated.start[where] = run->begin;
    begin = std::min(begin, run->begin);
    end = std::max({end, run->end, run->last_transfer});
    of_pes.push_back(&run->work);
    for (const auto& [name, times] : run->composites) rated.composites[name] += times;
  }
  if (!of_pes.empty() && of_pes.size() == launch.per_pe.size())
    rated.roofline = roofline_of(of_pes, end - begin, work_.graph());
  rated.per_pe = std::move(launch.per_pe);
  return rated;
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

}  // namespace kernbench
