#include "platform/observe/timeline_kernels.h"

#include <algorithm>

namespace kernbench {

TimelineKernels::RequestKey TimelineKernels::key_of(const KernelLaunch& launch) {
  return {launch.correlation_id, launch.request_id,
          launch.targets.empty() ? 0 : launch.targets.front().sip};
}

void TimelineKernels::requested(const KernelLaunch& launch, TimelineSlices::Open request) {
  requests_[key_of(launch)] = request;
}

void TimelineKernels::reached(const std::string& path, const TieKey& key,
                              const KernelLaunch& launch, Fs now) {
  Pe& pe = pes_[path];
  if (pe.lanes == nullptr) {
    pe.lanes = std::make_unique<TimelineLanes>(tracks_, path, path + ".pe_cpu kernels",
                                               TimelineRank::kernel);
  }
  under_way_[key] = &pe;
  const auto request = requests_.find(key_of(launch));
  pe.launches.push_back({key, launch.kernel.name, launch.target_start.value_or(now),
                         request == requests_.end() ? 0 : request->second});
  if (pe.launches.size() == 1) begin_first(pe, now);
}

void TimelineKernels::begin_first(Pe& pe, Fs now) {
  if (pe.launches.empty()) return;
  const Launch& launch = pe.launches.front();
  const Fs start = std::max(launch.start, now);
  const TimelineFlows flows =
      slices_.arrow(launch.request, start, pe.lanes->group(), SliceKind::kernel);
  pe.running = slices_.begin(SliceKind::kernel, *pe.lanes, start, launch.kernel, {}, flows);
}

void TimelineKernels::answered(const TieKey& key, Fs now) {
  const auto found = under_way_.find(key);
  if (found == under_way_.end()) return;
  Pe& pe = *found->second;
  under_way_.erase(found);
  if (pe.launches.empty() || !(pe.launches.front().key == key)) return;
  slices_.end(pe.running, now);
  pe.running = 0;
  pe.launches.pop_front();
  begin_first(pe, now);
}

TimelineSlices::Open TimelineKernels::running_on(const std::string& pe) const {
  const auto found = pes_.find(pe);
  return found == pes_.end() ? 0 : found->second.running;
}

}  // namespace kernbench
